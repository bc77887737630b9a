import type { FinishReason } from '../chat-types.js';
import { OpenAiStreamParser } from './openai-compatible-stream.js';

const context = { providerId: 'acme', publicModel: 'm', answerId: 'call_1', createdSeconds: 99 };

function piece(index: number, content: string | null, reason: FinishReason | null = null): object {
  return { choices: [{ index, delta: content === null ? {} : { content }, finish_reason: reason }] };
}

function open(choicesAsked: number) {
  const parser = new OpenAiStreamParser({ ...context, choicesAsked });
  const push = (event: object | '[DONE]') =>
    parser.push({ name: null, data: typeof event === 'string' ? event : JSON.stringify(event) });
  return { parser, push };
}

/** What the caller is told of two choices, in order: which one, its words, why it ended. */
function readTwo(...events: (object | '[DONE]')[]): unknown[] {
  const { parser, push } = open(2);
  const told = events.flatMap(push);
  told.push(...parser.end());
  const chunks = told.flatMap((event) => (event.type === 'chunk' ? event.chunk.choices : []));
  return chunks.map(({ index, delta, finish_reason }) => [index, delta.content ?? null, finish_reason]);
}

const both = [piece(0, 'a'), piece(1, 'b')];
const begun = readTwo(...both);
const [ended, secondEnded, other] = [piece(0, null, 'stop'), piece(1, null, 'length'), piece(1, 'c')];
const [firstEnd, secondEnd] = [
  [0, null, 'stop'],
  [1, null, 'length'],
];

describe('The end of one of several choices', () => {
  it.each<[string, object[], unknown[]]>([
    ['before the next words of another', [ended, other, secondEnded], [firstEnd, [1, 'c', null], secondEnd]],
    [
      'with the stream, where its reason stands beside words, as it may on every event',
      [piece(0, 'x', 'stop'), other, secondEnded],
      [[0, 'x', null], [1, 'c', null], firstEnd, secondEnd],
    ],
    [
      'with the stream, where it went on',
      [ended, piece(0, 'x'), other, ended, other, secondEnded],
      [[0, 'x', null], [1, 'c', null], [1, 'c', null], firstEnd, secondEnd],
    ],
    [
      'once, also where its provider says it again',
      [ended, other, ended, piece(0, null, 'length'), secondEnded],
      [firstEnd, [1, 'c', null], secondEnd],
    ],
  ])('is told once, as soon as it is known that nothing more of it comes: %s', (_, sent, told) => {
    expect(readTwo(...both, ...sent)).toEqual([...begun, ...told]);
    expect(readTwo(...both, ...sent, '[DONE]')).toEqual([...begun, ...told]);
  });

  it('is told with the stream where a reason is on every event', () => {
    const sent = [piece(0, 'a', 'stop'), piece(1, 'b', 'stop'), ended, other, piece(1, null, 'stop')];
    expect(readTwo(...sent)).toEqual([[0, 'a', null], [1, 'b', null], [1, 'c', null], firstEnd, [1, null, 'stop']]);
  });

  it('is told before the usage, of all of them, and waits for no provider that closes late', () => {
    const { parser, push } = open(2);
    for (const event of [...both, ended, secondEnded]) push(event);
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
    expect(push({ choices: [], usage }).map(({ type }) => type)).toEqual(['chunk', 'usage']);
    expect([parser.end(), parser.isWhole]).toEqual([[], true]);
  });

  it('completes the arguments of a tool call with it', () => {
    const { push } = open(2);
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } };
    push({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] });
    push(piece(1, 'b'));
    push(piece(0, null, 'tool_calls'));
    const end = { index: 0, finish_reason: 'tool_calls', delta: { tool_calls: [{ function: { arguments: '{}' } }] } };
    expect(push(other)[0]).toMatchObject({ type: 'chunk', chunk: { choices: [end] } });
  });
});

describe('A stream of which nothing is still to come', () => {
  const counted = (event: object) => ({ ...event, usage: { prompt_tokens: 11, completion_tokens: 3 } });
  const usageAlone = counted({ choices: [] });
  const end = piece(0, null, 'stop');

  it.each<[string, object[], boolean]>([
    ['is one that has ended, with its usage behind', [piece(0, 'a'), end, usageAlone], true],
    ['… with its usage beside its end', [piece(0, 'a'), counted(end)], true],
    ['is none where usage did not come', [piece(0, 'a'), end], false],
    ['… where it came before the end', [counted(piece(0, 'a')), end], false],
    ['… where output came behind it', [piece(0, 'a'), end, usageAlone, piece(0, 'b', 'stop')], false],
    ['… where an end stands on its first event, as it may on every one', [counted(piece(0, 'a', 'stop'))], false],
    ['… where that is so and usage came again', [counted(piece(0, 'a', 'stop')), usageAlone], false],
    ['… where it has not ended', [piece(0, 'a'), usageAlone], false],
  ])('%s', (_, events, isCounted) => {
    const { parser, push } = open(1);
    events.flatMap(push);
    expect(parser.isCounted).toBe(isCounted);
  });

  it('has the end of each of its choices', () => {
    const { parser, push } = open(2);
    [...both, end, usageAlone].flatMap(push);
    expect(parser.isCounted).toBe(false);
    [secondEnded, usageAlone].flatMap(push);
    expect(parser.isCounted).toBe(true);
  });
});
