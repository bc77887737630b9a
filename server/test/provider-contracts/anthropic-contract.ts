import { anthropicAdapter } from '../../providers/anthropic/anthropic-adapter.js';
import type { JsonObject, ToolCall } from '../../providers/chat-types.js';
import { type AnsweredCase, canary, type ProviderContract, toEvent } from '../provider-contract-case.js';
import {
  plainAnswer,
  type RecordedBlock,
  type RecordedEnd,
  redactedBlock,
  streamedAnswer,
  textBlock,
  thinkingBlock,
  toolBlock,
} from './anthropic-answers.js';

const ends = { stopReason: 'end_turn', inputTokens: 11, outputTokens: 7 };
const calls = { ...ends, stopReason: 'tool_use' };
const shortCounts = {
  inputTokens: 11,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 7,
  reasoningTokens: null,
};

const question = [{ role: 'user', content: 'What is the weather in Paris?' }] as const;
const asked = [{ role: 'user', content: [{ type: 'text', text: 'What is the weather in Paris?' }] }];
const parameters = {
  type: 'object',
  properties: { city: { oneOf: [{ type: 'string' }, { type: 'null' }] } },
  required: ['city'],
  additionalProperties: false,
} as const;
const tools = [
  { type: 'function', function: { name: 'get_weather', description: 'Tells the weather', parameters } },
] as const;
const sentTools = [{ name: 'get_weather', description: 'Tells the weather', input_schema: parameters }];
const callOf = (id: string, name: string, text: string): ToolCall & JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});
const paris = callOf('toolu_a', 'get_weather', '{"city":"Paris"}');
const rome = callOf('toolu_b', 'get_weather', '{"city":"Rome"}');
const parisBlock = toolBlock('toolu_a', 'get_weather', { city: 'Paris' }, '{"city":', '"Paris"}');
const romeBlock = toolBlock('toolu_b', 'get_weather', { city: 'Rome' }, '{"city":"Rome"}');

function body(fields: object): JsonObject {
  return { model: 'claude-opus-5', max_tokens: 128_000, messages: asked, service_tier: 'standard_only', ...fields };
}

interface Recording {
  readonly blocks: readonly RecordedBlock[];
  readonly end?: RecordedEnd;
}

function answered(
  request: AnsweredCase['request'],
  upstreamBody: JsonObject,
  { blocks, end = ends }: Recording,
  expected: Partial<AnsweredCase['expected']> & Pick<AnsweredCase['expected'], 'message'>,
): AnsweredCase {
  return {
    request,
    upstreamBody,
    answer: plainAnswer(blocks, end),
    stream: streamedAnswer(blocks, end),
    expected: { finishReason: 'stop', usage: shortCounts, ...expected },
  };
}

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

const unknownData = [
  toEvent({ type: 'weather_report', mood: 'calm' }, 'weather_report'),
  toEvent(
    { type: 'content_block_start', index: 7, content_block: { type: 'hologram', depth: 3 } },
    'content_block_start',
  ),
  toEvent(
    { type: 'content_block_delta', index: 7, delta: { type: 'hologram_delta', depth: 4 } },
    'content_block_delta',
  ),
  toEvent(
    { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: {} } },
    'content_block_delta',
  ),
  toEvent({ type: 'content_block_stop', index: 7 }, 'content_block_stop'),
];
const plainHi = plainAnswer([textBlock('Hi', '!')], ends);
const streamedHi = streamedAnswer([textBlock('Hi', '!')], ends);

function failing(type: string): string[] {
  const event = {
    type: 'error',
    error: { type, message: `${canary.organisation} failed` },
    request_id: 'req_011CSHoEe',
  };
  return [...streamedAnswer([textBlock('It ', 'is')], ends).slice(0, 4), toEvent(event, 'error')];
}

function refusal(type: string, words: string): string {
  const message = `${words} (key ${canary.key}, ${canary.organisation}, https://${canary.host}/v1)`;
  return JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy' });
}

export const anthropicContract: ProviderContract = {
  id: 'anthropic',
  adapter: anthropicAdapter,
  upstreamModel: 'claude-opus-5',
  findPath: () => '/messages',
  findKeyHeader: (key) => ['x-api-key', key],
  streamFields: { stream: true },
  cases: {
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
      answer: { ...plainHi, mood: 'calm', content: [{ type: 'hologram', depth: 3 }, ...(plainHi.content as object[])] },
      stream: [...streamedHi.slice(0, 3), ...unknownData, ...streamedHi.slice(3)],
      expected: { message: { content: 'Hi!' }, finishReason: 'stop', usage: shortCounts },
    },
  },
  errorEvents: [
    { name: 'overload', stream: failing('overloaded_error'), code: 'provider_overloaded' },
    { name: 'our rate', stream: failing('rate_limit_error'), code: 'provider_rate_limited' },
    { name: 'its failure', stream: failing('api_error'), code: 'provider_error' },
    { name: 'a type that is new', stream: failing('tea_error'), code: 'provider_error' },
  ],
  errorStatuses: [
    {
      name: 'a fault of the request',
      status: 400,
      body: refusal('invalid_request_error', 'messages: text content blocks must be non-empty'),
      code: 'provider_rejected',
      quote: 'messages: text content blocks must be non-empty',
    },
    {
      name: 'our bill, as a fault of the request',
      status: 400,
      body: refusal('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
      code: 'provider_unavailable',
    },
    {
      name: 'our key',
      status: 401,
      body: refusal('authentication_error', 'invalid x-api-key'),
      code: 'provider_unavailable',
    },
    { name: 'our bill', status: 402, body: refusal('billing_error', 'Payment'), code: 'provider_unavailable' },
    { name: 'our rights', status: 403, body: refusal('permission_error', 'No'), code: 'provider_unavailable' },
    {
      name: 'its model',
      status: 404,
      body: refusal('not_found_error', 'model: claude-x'),
      code: 'provider_rejected',
      quote: 'model: claude-x',
    },
    { name: 'its conflict', status: 409, body: refusal('conflict_error', 'Again'), code: 'provider_error' },
    {
      name: 'too large',
      status: 413,
      body: refusal('request_too_large', 'Request exceeds'),
      code: 'provider_rejected',
    },
    { name: 'our rate', status: 429, body: refusal('rate_limit_error', 'Slow down'), code: 'provider_rate_limited' },
    { name: 'its failure', status: 500, body: refusal('api_error', 'Internal'), code: 'provider_error' },
    { name: 'its slowness', status: 504, body: refusal('timeout_error', 'Timed out'), code: 'provider_timeout' },
    { name: 'overload', status: 529, body: refusal('overloaded_error', 'Overloaded'), code: 'provider_overloaded' },
  ],
  untranslatable: [
    { name: 'several answers', request: { messages: question, n: 2 }, code: 'unsupported_value', param: 'n' },
    {
      name: 'logprobs',
      request: { messages: question, logprobs: true },
      code: 'unsupported_parameter',
      param: 'logprobs',
    },
    {
      name: 'a forced tool where the model takes none',
      upstreamModel: 'claude-opus-5-5',
      request: { messages: question, tools, tool_choice: 'required' },
      code: 'unsupported_value',
      param: 'tool_choice',
    },
    {
      name: 'a PDF in the place of an image',
      request: {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'data:application/pdf;base64,aGk=' } }],
          },
        ],
      },
      code: 'unsupported_value',
      param: 'messages[0].content[0].image_url.url',
    },
    {
      name: 'a call without a result',
      request: { messages: [...question, { role: 'assistant', tool_calls: [paris] }, ...question] },
      code: 'invalid_value',
      param: 'messages[1].tool_calls',
    },
    {
      name: 'a result without a call',
      request: { messages: [...question, { role: 'tool', tool_call_id: 'toolu_z', content: 'Sun' }] },
      code: 'invalid_value',
      param: 'messages[1].tool_call_id',
    },
  ],
};
