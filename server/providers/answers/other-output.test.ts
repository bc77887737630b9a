import { type ChatCompletionChunk, otherOutput } from '../chat-types.js';
import { measureOutput, OtherOutputFinder } from './other-output.js';

function chunkOf(delta: object, choice: object = {}, answer: object = {}): ChatCompletionChunk {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: null, ...choice }];
  return {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices,
    ...answer,
  } as ChatCompletionChunk;
}

function findIn(...chunks: ChatCompletionChunk[]) {
  const finder = new OtherOutputFinder();
  for (const chunk of chunks) finder.note(chunk);
  return chunks.map((chunk) => chunk[otherOutput]);
}

/** How often lists are gone through, or copied, meanwhile. */
function countWalks(work: () => void): number {
  const walk = Array.prototype[Symbol.iterator];
  let count = 0;
  Array.prototype[Symbol.iterator] = function (this: unknown[]) {
    count += 1;
    return walk.call(this);
  };
  try {
    work();
  } finally {
    Array.prototype[Symbol.iterator] = walk;
  }
  return count;
}

describe('What an answer brings in fields that nobody lists', () => {
  it.each<[string, ChatCompletionChunk, readonly unknown[]]>([
    ['in what is said', chunkOf({ content: 'Hi', hologram: { says: 'Grüße' } }), ['hologram', { says: 'Grüße' }]],
    ['beside what is said', chunkOf({}, { words: 'Hello!!' }), ['words', 'Hello!!']],
    ['beside the choices', chunkOf({}, {}, { said: ['Hello', '!!'] }), ['said', ['Hello', '!!']]],
  ])('is found wherever it stands: %s', (_, chunk, part) => {
    expect(findIn(chunk)).toEqual([{ bytes: 7, choice: 0, parts: [part] }]);
  });

  it.each<[string, ChatCompletionChunk]>([
    ['known words', chunkOf({ role: 'assistant', content: 'Hi', reasoning: 'Hm', tool_calls: [{ index: 0 }] })],
    ['empty fields', chunkOf({ audio: null, a: '', b: [], c: {}, d: { e: [null, ''] }, f: false })],
    ['seals', chunkOf({ extra_content: { google: { thought_signature: 'c2VhbA' } }, sealed: { signature: 'c2VhbA' } })],
    ['markers', chunkOf({ hologram: { type: 'x', id: 'y', index: 3 } })],
    [
      'marks of a choice',
      chunkOf({}, { seed: 7, isDone: true, stop_reason: 'eos', content_filter_results: { a: 'safe' } }),
    ],
    ['marks of an answer', chunkOf({}, {}, { took: 3.5, citations: ['https://x.test'], service_tier: 'default' })],
    [
      'states and counts beside the choices',
      chunkOf({}, {}, { state: { code: 0, ok: true }, base_resp: { status_msg: 'success' } }),
    ],
  ])('is nothing where there are only %s', (_, chunk) => {
    expect(findIn(chunk)).toEqual([undefined]);
  });

  it('counts once where it is told again and again, and anew where it has changed', () => {
    const state = (words: string) => chunkOf({ state: { words } });
    const sizes = findIn(state('abc'), state('abc'), state('abcd'), state('abc')).map((found) => found?.bytes ?? 0);
    expect(sizes).toEqual([3, 0, 4, 3]);
  });

  it('is found in an answer with a thousand such fields without going through what was found before for each', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `field_${index}`);
    const chunk = chunkOf(Object.fromEntries(names.map((name) => [name, 'ab'])));
    const walkCount = countWalks(() => new OtherOutputFinder().note(chunk));
    const found = chunk[otherOutput];
    expect(found?.bytes).toBe(2 * names.length);
    expect(found?.parts.map(([name]) => name)).toEqual(names);
    expect(walkCount).toBeLessThan(10);
  });

  it('is measured by its texts, numbers and truth values, in UTF-8', () => {
    expect(measureOutput({ a: 'ü', b: [12, true, false, null], type: 'x' })).toBe(2 + 2 + 4);
  });
});
