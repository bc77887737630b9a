import { toAnthropicConversation } from '../providers/anthropic/anthropic-messages.js';
import { parseAnthropicResponse } from '../providers/anthropic/anthropic-response.js';
import { AnthropicStreamParser } from '../providers/anthropic/anthropic-stream.js';
import type { ChatMessage, JsonObject } from '../providers/chat-types.js';
import { completionToChunk } from '../providers/completion-to-chunk.js';
import type { UpstreamEvent } from '../providers/provider-adapter.js';
import { parseRequest } from '../proxy/requests/parse-request.js';
import {
  plainAnswer,
  type RecordedBlock,
  redactedBlock,
  streamedData,
  textBlock,
  thinkingBlock,
  toolBlock,
} from '../test/provider-contracts/anthropic-answers.js';
import { MessagesAnswer } from './messages/messages-answer.js';
import { ResponsesAnswer } from './responses/responses-answer.js';

const context = { providerId: 'anthropic', publicModel: 'm', answerId: 'call_1', createdSeconds: 1 };
const ends = { stopReason: 'tool_use', inputTokens: 1, outputTokens: 1 } as const;
const usage = {
  prompt_tokens: 1,
  completion_tokens: 1,
  total_tokens: 2,
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

const call = (id: string) => toolBlock(id, 'f', { city: id }, `{"city":"${id}"}`);
const turns: readonly (readonly [name: string, blocks: readonly RecordedBlock[]])[] = [
  ['between words and a call', [thinkingBlock('s1', 'one'), textBlock('Words'), thinkingBlock('s2', 'two'), call('a')]],
  ['between calls', [thinkingBlock('s1', 'one'), call('a'), thinkingBlock('s2', 'two'), call('b'), call('c')]],
  [
    'between words, in pieces with a character of two units',
    [thinkingBlock('s1', 'one'), textBlock('😀 ', 'a'), thinkingBlock('s2', 'two'), textBlock('b'), call('a')],
  ],
  ['behind words alone', [textBlock('Words'), thinkingBlock('s1', 'one'), call('a')]],
  [
    'twice in a row, hidden and without a text',
    [redactedBlock('r1'), thinkingBlock('s1'), call('a'), thinkingBlock('s2'), redactedBlock('r2'), call('b')],
  ],
];

/** An answer as `eventsOf` gives it, told by a wire and sent back with what the tools said; the messages of the next call. */
const wires = {
  chat: (events: readonly UpstreamEvent[]) => {
    const message = gather(events);
    const results = (message.tool_calls ?? []).map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'ok' }));
    return parse('chat', { messages: [{ role: 'user', content: 'Hi' }, message, ...results] });
  },
  messages: (events: readonly UpstreamEvent[]) => {
    const answer = new MessagesAnswer({ callId: 'call_1', model: 'm', promptTokensEstimate: 1 });
    const content = tellAll(answer, events).content as JsonObject[];
    const results = content
      .filter(({ type }) => type === 'tool_use')
      .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' }));
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: results },
    ];
    return parse('messages', { max_tokens: 9, messages });
  },
  responses: (events: readonly UpstreamEvent[]) => sendItems(events, {}),
  'responses with summaries': (events: readonly UpstreamEvent[]) =>
    sendItems(events, { reasoning: { summary: 'auto' } }),
};

function sendItems(events: readonly UpstreamEvent[], fields: object, isEachAtOnce = false) {
  const asked = { model: 'm', input: [{ role: 'user', content: 'Hi' }], store: false, ...fields };
  const { responses: settings } = parseRequest(JSON.stringify(asked), { wire: 'responses' });
  if (settings === null) throw new Error('no settings');
  const options = {
    callId: 'call_1',
    model: 'm',
    createdSeconds: 1,
    nowSeconds: () => 1,
    settings,
    customTools: new Set<string>(),
  };
  const output = tellAll(new ResponsesAnswer(options), events).output as JsonObject[];
  const resultOf = ({ type, call_id: id }: JsonObject) =>
    type === 'function_call' ? [{ type: 'function_call_output', call_id: id, output: 'ok' }] : [];
  const items = isEachAtOnce
    ? output.flatMap((item) => [item, ...resultOf(item)])
    : [...output, ...output.flatMap(resultOf)];
  return parse('responses', { store: false, input: [...asked.input, ...items] });
}

function parse(wire: 'chat' | 'messages' | 'responses', fields: object) {
  return parseRequest(JSON.stringify({ model: 'm', ...fields }), { wire }).request;
}

/** What a client has of a stream, or of a plain answer. */
function tellAll(answer: MessagesAnswer | ResponsesAnswer, events: readonly UpstreamEvent[]): JsonObject {
  const told = events.map((event) => {
    if (event.type === 'completion') return { plain: answer.toBody(event.completion)(usage) };
    return { text: event.type === 'chunk' ? answer.toEvents(event.chunk) : '' };
  });
  const plain = told.find((one) => one.plain !== undefined)?.plain;
  if (plain !== undefined) return plain as JsonObject;
  const stream = `${told.map(({ text }) => text).join('')}${answer.toEnd(usage)}`;
  const data = [...stream.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? '') as JsonObject);
  const completed = data.find(({ type }) => type === 'response.completed');
  return completed === undefined ? { content: gatherBlocks(data) } : (completed.response as JsonObject);
}

// As Anthropic's clients put the pieces of a stream together.
function gatherBlocks(data: readonly JsonObject[]): JsonObject[] {
  const blocks: Record<string, unknown>[] = [];
  for (const event of data) {
    const at = Number(event.index);
    if (event.type === 'content_block_start') blocks[at] = { ...(event.content_block as JsonObject), json: '' };
    const block = blocks[at];
    if (event.type !== 'content_block_delta' || block === undefined) continue;
    const { partial_json: json = '', type: _type, ...pieces } = event.delta as JsonObject;
    block.json = `${block.json}${json}`;
    for (const [name, piece] of Object.entries(pieces)) block[name] = `${block[name]}${piece}`;
  }
  return blocks.map(({ json, ...block }) =>
    block.type === 'tool_use' ? { ...block, input: JSON.parse(String(json)) } : block,
  );
}

// As clients of chat completions put the pieces of a stream together.
function gather(events: readonly UpstreamEvent[]): ChatMessage {
  const calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = [];
  const details: JsonObject[] = [];
  let content = '';
  const chunks = events.flatMap((event) => {
    if (event.type === 'completion') return [completionToChunk(event.completion)];
    return event.type === 'chunk' ? [event.chunk] : [];
  });
  for (const { delta } of chunks.flatMap(({ choices }) => choices)) {
    content += typeof delta.content === 'string' ? delta.content : '';
    if (Array.isArray(delta.reasoning_details)) details.push(...(delta.reasoning_details as JsonObject[]));
    for (const { index, id, function: target } of delta.tool_calls ?? []) {
      calls[index] ??= { id: id ?? '', type: 'function', function: { name: target?.name ?? '', arguments: '' } };
      calls[index].function.arguments += target?.arguments ?? '';
    }
  }
  return { role: 'assistant', content, tool_calls: calls, reasoning_details: details };
}

const forms = {
  plain: (blocks: readonly RecordedBlock[]) =>
    parseAnthropicResponse(JSON.stringify(plainAnswer(blocks, ends)), context),
  streamed: (blocks: readonly RecordedBlock[]) => {
    const parser = new AnthropicStreamParser(context);
    return streamedData(blocks, ends).flatMap((event) => [...parser.push({ name: null, data: JSON.stringify(event) })]);
  },
};

/** What identifies each block of the turn that goes upstream. */
function sentTurn(request: Parameters<typeof toAnthropicConversation>[0]): unknown[] {
  const turn = toAnthropicConversation(request).messages[1]?.content as unknown as readonly JsonObject[];
  return turn.map((block) => block.signature ?? block.data ?? block.id ?? block.text);
}

const cases = Object.entries(wires).flatMap(([wire, sendBack]) =>
  Object.entries(forms).flatMap(([form, eventsOf]) =>
    turns.map(([name, blocks]) => ({ wire, form, name, blocks, sendBack, eventsOf })),
  ),
);

describe('what Claude thought amid an answer, sent back with what its tools said', () => {
  it.each(cases)('$name: stands where it stood, over $wire, $form', ({ blocks, sendBack, eventsOf }) => {
    const answer = plainAnswer(blocks, ends).content as unknown as readonly JsonObject[];
    expect(sentTurn(sendBack(eventsOf(blocks)))).toEqual(
      answer.map((block) => block.signature ?? block.data ?? block.id ?? block.text),
    );
  });

  it('stands where it stood over Responses, too, where each result comes right behind its call', () => {
    const blocks = [thinkingBlock('s1', 'one'), call('a'), thinkingBlock('s2', 'two'), call('b')];
    expect(sentTurn(sendItems(forms.streamed(blocks), {}, true))).toEqual(['s1', 'a', 's2', 'b']);
    const further = sendItems(forms.streamed([...blocks, call('c')]), {}, true);
    expect(sentTurn(further)).toEqual(['s1', 'a', 's2', 'b']);
  });

  const [, blocks] = turns[0] ?? ['', []];
  const message = gather(forms.plain(blocks));
  const details = message.reasoning_details ?? [];
  const [first, second] = details;
  const send = (changed: Partial<ChatMessage>) => {
    const answer = { ...message, ...changed };
    const results = (answer.tool_calls ?? []).map(
      ({ id }): ChatMessage => ({ role: 'tool', tool_call_id: id, content: 'ok' }),
    );
    return sentTurn({ model: 'm', messages: [{ role: 'user', content: 'Hi' }, answer, ...results] });
  };

  it.each<[string, Partial<ChatMessage>]>([
    ['the words', { content: 'Wordy' }],
    ['the length of the words', { content: 'Word' }],
    ['the order of the thinking', { reasoning_details: details.toReversed() }],
    ['a piece of thinking, which is missing', { reasoning_details: details.slice(1) }],
    ['a piece of thinking, which comes twice', { reasoning_details: [...details, ...details] }],
    ['a mark', { reasoning_details: [first ?? {}, { ...second, after: '1.0.9999999999.x' }] }],
    ['what followed the last thinking, which is gone', { tool_calls: [] }],
    [
      'the release that it comes from, which made no marks',
      { reasoning_details: [first ?? {}, { ...second, after: null }] },
    ],
  ])('is left out, all of it, where another thing is %s', (_name, changed) => {
    const { content, tool_calls: calls = [] } = { ...message, ...changed };
    expect(send(changed)).toEqual([content, ...calls.map(({ id }) => id)]);
  });

  it('is left out where a call before it is gone', () => {
    const [, between] = turns[1] ?? ['', []];
    const { reasoning_details, tool_calls = [] } = gather(forms.plain(between));
    expect(send({ content: '', reasoning_details, tool_calls: tool_calls.slice(1) })).toEqual(['b', 'c']);
  });

  it('goes back though words after it were changed, and where all of it came first, also from releases without marks', () => {
    const [, blocksOfWords] = turns[2] ?? ['', []];
    const words = gather(forms.plain(blocksOfWords));
    expect(send({ ...words, content: '😀 a and b' })).toEqual(['s1', '😀 a', 's2', ' and b', 'a']);
    const old = [first ?? {}, { type: 'reasoning.encrypted', data: 'r', format: first?.format, model: 'm', index: 1 }];
    expect(send({ content: 'Other words', reasoning_details: old })).toEqual(['s1', 'r', 'Other words', 'a']);
  });

  it('keeps a mark for the cache at the end of the words that it divides', () => {
    const [, blocksOfWords] = turns[2] ?? ['', []];
    const control = { type: 'ephemeral' } as const;
    const content = [{ type: 'text', text: '😀 ab', cache_control: control }] as const;
    const answer = { ...gather(forms.plain(blocksOfWords)), content };
    const messages: ChatMessage[] = [answer, { role: 'tool', tool_call_id: 'a', content: 'ok' }];
    const sent = toAnthropicConversation({ model: 'm', messages }).messages[1]?.content;
    expect(sent?.filter(({ type }) => type === 'text')).toEqual([
      { type: 'text', text: '😀 a' },
      { type: 'text', text: 'b', cache_control: control },
    ]);
  });
});
