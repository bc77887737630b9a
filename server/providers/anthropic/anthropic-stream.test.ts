import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { answerContext as context } from '../../test/answer-context.js';
import {
  plainAnswer,
  streamedData,
  textBlock,
  thinkingBlock,
  toolBlock,
} from '../../test/provider-contracts/anthropic-answers.js';
import type { ChatDelta } from '../chat-types.js';
import type { UpstreamEvent } from '../provider-adapter.js';
import { parseAnthropicResponse } from './anthropic-response.js';
import { AnthropicStreamParser } from './anthropic-stream.js';
import { jsonAnswerTool } from './anthropic-tools.js';

const ends = { stopReason: 'end_turn', inputTokens: 11, outputTokens: 7 } as const;

function parse(events: readonly (RawMessageStreamEvent | object | string)[]) {
  const parser = new AnthropicStreamParser(context);
  const parsed = events.flatMap((event) =>
    parser.push({ name: null, data: typeof event === 'string' ? event : JSON.stringify(event) }),
  );
  return { parser, parsed };
}

function deltasOf(events: readonly UpstreamEvent[]): ChatDelta[] {
  return events.flatMap((event) => (event.type === 'chunk' ? event.chunk.choices.map(({ delta }) => delta) : []));
}

describe('AnthropicStreamParser', () => {
  it('begins with the count of the prompt and one role, and ends with the last count and one reason', () => {
    const { parsed } = parse(streamedData([textBlock('Hi')], ends));
    const head = { id: 'call_1', object: 'chat.completion.chunk', created: 99, model: 'public-name' };
    const chunk = (delta: object, reason: string | null = null) => ({
      type: 'chunk',
      chunk: { ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] },
    });
    const usage = { inputTokens: 11, cachedInputTokens: 0, cacheWriteInputTokens: 0, reasoningTokens: null };
    expect(parsed).toEqual([
      { type: 'usage', usage: { ...usage, outputTokens: 1 } },
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hi' }),
      { type: 'usage', usage: { ...usage, outputTokens: 7 } },
      chunk({}, 'stop'),
    ]);
  });

  it('goes by the type in the data, whatever the event is called', () => {
    const parser = new AnthropicStreamParser(context);
    const [start] = streamedData([], ends);
    expect(parser.push({ name: 'ping', data: JSON.stringify(start) })).toHaveLength(2);
    expect(parser.push({ name: 'message_stop', data: '{"type":"ping"}' })).toEqual([]);
    expect(parser.isWhole).toBe(false);
  });

  it('numbers calls by their own order, not by their blocks', () => {
    const blocks = [
      thinkingBlock('s', 'Hm'),
      textBlock('I look.'),
      toolBlock('a', 'f', {}, '{}'),
      toolBlock('b', 'g', {}),
    ];
    const { parsed } = parse(streamedData(blocks, { ...ends, stopReason: 'tool_use' }));
    expect(deltasOf(parsed).flatMap((delta) => delta.tool_calls ?? [])).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: '{}' } },
      { index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '' } },
      { index: 1, function: { arguments: '{}' } },
    ]);
  });

  it('takes the input of a call that comes at once', () => {
    const block = { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } };
    const [start] = streamedData([], ends);
    const { parsed } = parse([
      start ?? '',
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_stop', index: 0 },
    ]);
    const texts = deltasOf(parsed).flatMap(({ tool_calls: pieces = [] }) =>
      pieces.map((piece) => piece.function?.arguments),
    );
    expect(texts).toEqual(['{"x":1}']);
  });

  it('gives thinking as reasoning, then once more whole and signed; unsigned it is not given again', () => {
    const { parsed } = parse(streamedData([thinkingBlock('s', 'Let ', 'me')], ends));
    expect(deltasOf(parsed).slice(1, -1)).toEqual([
      { reasoning_content: 'Let ' },
      { reasoning_content: 'me' },
      {
        reasoning_details: [
          {
            type: 'reasoning.text',
            text: 'Let me',
            signature: 's',
            format: 'anthropic-claude-v1',
            model: 'public-name',
            index: 0,
          },
        ],
      },
    ]);
    expect(deltasOf(parse(streamedData([thinkingBlock('', 'Hm')], ends)).parsed).slice(1, -1)).toEqual([
      { reasoning_content: 'Hm' },
    ]);
  });

  it('keeps the signature of thinking that has no text', () => {
    const { parsed } = parse(streamedData([thinkingBlock('s')], ends));
    expect(deltasOf(parsed)[1]).toMatchObject({ reasoning_details: [{ text: '', signature: 's' }] });
  });

  it('gives the JSON of the answering tool as words, and no call', () => {
    const block = toolBlock('a', jsonAnswerTool, { a: 1 }, '{"a":', '1}');
    const { parsed } = parse(streamedData([block], { ...ends, stopReason: 'tool_use' }));
    expect(
      deltasOf(parsed)
        .map(({ content }) => content)
        .join(''),
    ).toBe('{"a":1}');
    expect(parsed.at(-1)).toMatchObject({ chunk: { choices: [{ finish_reason: 'stop' }] } });
    const plain = parseAnthropicResponse(
      JSON.stringify(plainAnswer([block], { ...ends, stopReason: 'tool_use' })),
      context,
    );
    expect(plain.at(-1)).toMatchObject({
      completion: { choices: [{ finish_reason: 'stop', message: { content: '{"a":1}' } }] },
    });
    expect(JSON.stringify(plain)).not.toContain('tool_calls');
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['a_reason_of_tomorrow', 'stop'],
  ])('ends for the reason %s as %s, plain and streamed', (stopReason, finishReason) => {
    const end = { ...ends, stopReason: stopReason as 'end_turn' };
    expect(parse(streamedData([textBlock('Hi')], end)).parsed.at(-1)).toMatchObject({
      chunk: { choices: [{ finish_reason: finishReason }] },
    });
    expect(parseAnthropicResponse(JSON.stringify(plainAnswer([textBlock('Hi')], end)), context).at(-1)).toMatchObject({
      completion: { choices: [{ finish_reason: finishReason }] },
    });
  });

  it('loses no words or thoughts of a block whose beginning did not come', () => {
    const deltas = [
      { type: 'thinking_delta', thinking: 'Hm.' },
      { type: 'text_delta', text: 'Hi' },
      { type: 'text_delta', text: ' there' },
    ];
    const { parsed } = parse(deltas.map((delta, at) => ({ type: 'content_block_delta', index: at && 1, delta })));
    expect(deltasOf(parsed)).toEqual([{ reasoning_content: 'Hm.' }, { content: 'Hi' }, { content: ' there' }]);
  });

  it('takes the input of a call that is text for what it is, plain and streamed', () => {
    const call = { type: 'tool_use', id: 't', name: 'f', input: '{"a":1}' };
    const { parsed } = parse([{ type: 'content_block_start', index: 0, content_block: call }]);
    expect(deltasOf(parsed)).toMatchObject([{ tool_calls: [{ function: { name: 'f', arguments: '{"a":1}' } }] }]);
    const [plain] = parseAnthropicResponse(JSON.stringify({ content: [call], stop_reason: 'tool_use' }), context);
    expect(plain).toMatchObject({
      completion: { choices: [{ message: { tool_calls: [{ function: { arguments: '{"a":1}' } }] } }] },
    });
  });

  it('takes nothing after the end', () => {
    const { parser, parsed } = parse([...streamedData([textBlock('Hi')], ends), 'no JSON']);
    expect([parser.isEnded, parser.isWhole]).toEqual([true, true]);
    expect(deltasOf(parsed)).toHaveLength(3);
  });

  it('is not whole without a reason to stop, whatever ends it', () => {
    const [start] = streamedData([], ends);
    expect(() => parse([start ?? '', { type: 'message_stop' }])).toThrow(
      expect.objectContaining({ code: 'provider_error' }),
    );
    expect(() => parse([{ type: 'message_stop' }])).toThrow(expect.objectContaining({ code: 'provider_error' }));
  });

  it('lets an answer without usage through, without a guess', () => {
    const data = streamedData([textBlock('Hi')], ends).map((event) =>
      JSON.stringify(event).replaceAll('output_tokens"', 'x"'),
    );
    expect(parse(data).parsed.filter(({ type }) => type === 'usage')).toEqual([]);
  });

  it.each([
    ['is left out', undefined],
    ['is a number', 7],
    ['has no counts', {}],
    ['counts the prompt alone', { input_tokens: 11 }],
    ['has rounds of kinds that are not known', { iterations: [{ type: 'advisor_message', output_tokens: 500 }] }],
  ])('does not give the count from before the words once more at an end whose usage %s', (_, usage) => {
    const data = streamedData([textBlock('Hi')], ends);
    const { parsed } = parse(data.map((event) => (event.type === 'message_delta' ? { ...event, usage } : event)));
    expect(parsed.flatMap((event) => (event.type === 'usage' ? [event.usage.outputTokens] : []))).toEqual([1]);
    expect(parsed.at(-1)).toMatchObject({ chunk: { choices: [{ finish_reason: 'stop' }] } });
  });
});
