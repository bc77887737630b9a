import type { ProviderContract } from '../provider-contract-case.js';
import { toEvent } from '../provider-contract-case.js';
import {
  plainAnswer,
  redactedBlock,
  streamedAnswer,
  textBlock,
  thinkingBlock,
  toolBlock,
} from './anthropic-answers.js';
import {
  answered,
  asked,
  body,
  callOf,
  calls,
  ends,
  paris,
  parisBlock,
  question,
  rome,
  romeBlock,
  sentTools,
  shortCounts,
  tools,
} from './anthropic-exchange.js';

const signed = {
  type: 'reasoning.text',
  text: 'Let me think.',
  signature: 'sig-1',
  format: 'anthropic-claude-v1',
  model: 'public-name',
  index: 0,
};
const sealed = { type: 'reasoning.encrypted', data: 'c2VhbGVk', format: 'anthropic-claude-v1', model: 'public-name' };

const detailed = {
  ...ends,
  inputTokens: 40,
  cacheReadTokens: 128,
  cacheWriteTokens: 32,
  outputTokens: 50,
  thinkingTokens: 30,
};

/** What nobody knows, in a block and in a piece of one. */
const hologram = [
  { type: 'hologram', depth: 3 },
  { type: 'hologram_delta', depth: 4 },
];

const unknownData = [
  toEvent({ type: 'weather_report', mood: 'calm' }, 'weather_report'),
  toEvent({ type: 'content_block_start', index: 7, content_block: hologram[0] }, 'content_block_start'),
  toEvent({ type: 'content_block_delta', index: 7, delta: hologram[1] }, 'content_block_delta'),
  toEvent(
    { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: {} } },
    'content_block_delta',
  ),
  toEvent({ type: 'content_block_stop', index: 7 }, 'content_block_stop'),
];
const plainHi = plainAnswer([textBlock('Hi', '!')], ends);
const streamedHi = streamedAnswer([textBlock('Hi', '!')], ends);

/** Every case of the contract, as Anthropic speaks it. */
export const anthropicCases: ProviderContract['cases'] = {
  text: answered(
    {
      messages: [
        { role: 'developer', content: 'Be brief' },
        ...question,
        { role: 'system', content: [{ type: 'text', text: 'Be kind' }] },
      ],
      max_completion_tokens: 9,
      temperature: 0.5,
      stop: ['END', ' '],
      seed: 7,
    },
    body({
      max_tokens: 9,
      system: [
        { type: 'text', text: 'Be brief' },
        { type: 'text', text: 'Be kind' },
      ],
      stop_sequences: ['END'],
    }),
    { blocks: [textBlock('It is ', 'sunny'), textBlock(' — ☀️.')] },
    { message: { content: 'It is sunny — ☀️.' } },
  ),
  'one tool': answered(
    { messages: question, tools, tool_choice: 'required' },
    body({ tools: sentTools, tool_choice: { type: 'any' }, thinking: { type: 'disabled' } }),
    { blocks: [parisBlock], end: calls },
    { message: { content: null, tool_calls: [paris] }, finishReason: 'tool_calls' },
  ),
  'parallel tools': answered(
    { messages: question, tools, parallel_tool_calls: true },
    body({ tools: sentTools }),
    { blocks: [textBlock('I look.'), parisBlock, romeBlock], end: calls },
    { message: { content: 'I look.', tool_calls: [paris, rome] }, finishReason: 'tool_calls' },
  ),
  'tool without arguments': answered(
    { messages: question, tools: [{ type: 'function', function: { name: 'now' } }], parallel_tool_calls: false },
    body({
      tools: [{ name: 'now', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    }),
    { blocks: [toolBlock('toolu_a', 'now', {})], end: calls },
    { message: { content: null, tool_calls: [callOf('toolu_a', 'now', '{}')] }, finishReason: 'tool_calls' },
  ),
  'tool results in history': answered(
    {
      messages: [
        ...question,
        { role: 'assistant', content: null, tool_calls: [paris, rome] },
        { role: 'tool', tool_call_id: 'toolu_a', content: 'Sun' },
        { role: 'tool', tool_call_id: 'toolu_b', content: [{ type: 'text', text: 'Rain' }] },
        { role: 'user', content: 'And?' },
      ],
      tools,
    },
    body({
      messages: [
        ...asked,
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'toolu_a', name: 'get_weather', input: { city: 'Paris' } },
            { type: 'tool_use', id: 'toolu_b', name: 'get_weather', input: { city: 'Rome' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_a', content: [{ type: 'text', text: 'Sun' }] },
            { type: 'tool_result', tool_use_id: 'toolu_b', content: [{ type: 'text', text: 'Rain' }] },
            { type: 'text', text: 'And?' },
          ],
        },
      ],
      tools: sentTools,
    }),
    { blocks: [textBlock('Sun, rain.')] },
    { message: { content: 'Sun, rain.' } },
  ),
  image: answered(
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What are these?' },
            { type: 'image_url', image_url: { url: 'data:image/png;name=a.png;base64,aGk=', detail: 'low' } },
            { type: 'image_url', image_url: { url: 'https://example.org/cat.webp' } },
          ],
        },
      ],
    },
    body({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What are these?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
            { type: 'image', source: { type: 'url', url: 'https://example.org/cat.webp' } },
          ],
        },
      ],
    }),
    { blocks: [textBlock('Cats.')] },
    { message: { content: 'Cats.' } },
  ),
  'JSON schema': answered(
    {
      messages: question,
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'city',
          strict: true,
          schema: { type: 'object', properties: { name: { type: 'string', minLength: 1 } }, required: ['name'] },
        },
      },
    },
    body({
      output_config: {
        format: {
          type: 'json_schema',
          schema: {
            type: 'object',
            properties: { name: { type: 'string', description: 'Must have minLength 1.' } },
            required: ['name'],
            additionalProperties: false,
          },
        },
      },
    }),
    { blocks: [textBlock('{"name":', '"Paris"}')] },
    { message: { content: '{"name":"Paris"}' } },
  ),
  reasoning: answered(
    {
      messages: [
        ...question,
        { role: 'assistant', content: '', tool_calls: [paris], reasoning_details: [signed, { ...sealed, index: 1 }] },
        { role: 'tool', tool_call_id: 'toolu_a', content: 'Sun' },
      ],
      tools,
      reasoning_effort: 'minimal',
      max_completion_tokens: 900,
    },
    body({
      max_tokens: 900,
      messages: [
        ...asked,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Let me think.', signature: 'sig-1' },
            { type: 'redacted_thinking', data: 'c2VhbGVk' },
            { type: 'tool_use', id: 'toolu_a', name: 'get_weather', input: { city: 'Paris' } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_a', content: [{ type: 'text', text: 'Sun' }] }],
        },
      ],
      tools: sentTools,
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'low' },
    }),
    { blocks: [thinkingBlock('sig-1', 'Let me ', 'think.'), redactedBlock('c2VhbGVk'), textBlock('Sun.')] },
    {
      message: {
        content: 'Sun.',
        reasoning_content: 'Let me think.',
        reasoning_details: [signed, { ...sealed, index: 1 }],
      },
    },
  ),
  length: answered(
    { messages: question, max_completion_tokens: 2 },
    body({ max_tokens: 2 }),
    { blocks: [textBlock('It ', 'is')], end: { ...ends, stopReason: 'max_tokens' } },
    { message: { content: 'It is' }, finishReason: 'length' },
  ),
  refusal: answered(
    { messages: question },
    body({}),
    {
      blocks: [textBlock('Well')],
      end: {
        ...ends,
        stopReason: 'refusal',
        stopDetails: { type: 'refusal', category: 'cyber', explanation: 'This may do harm.' },
      },
    },
    { message: { content: 'Well', refusal: 'This may do harm.' }, finishReason: 'content_filter' },
  ),
  'usage with every detail': answered(
    { messages: question },
    body({}),
    { blocks: [textBlock('Sun.')], end: detailed },
    {
      message: { content: 'Sun.' },
      usage: {
        inputTokens: 200,
        cachedInputTokens: 128,
        cacheWriteInputTokens: 32,
        outputTokens: 50,
        reasoningTokens: 30,
      },
    },
  ),
  'unknown fields and events': {
    request: { messages: question },
    upstreamBody: body({}),
    answer: { ...plainHi, mood: 'calm', content: [...hologram, ...(plainHi.content as object[])] },
    stream: [...streamedHi.slice(0, 3), ...unknownData, ...streamedHi.slice(3)],
    expected: { message: { content: 'Hi!', other_parts: hologram }, finishReason: 'stop', usage: shortCounts },
  },
};
