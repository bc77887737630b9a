import type { JsonObject, ToolCall } from '../../providers/chat-types.js';
import { createOpenAiCompatibleAdapter } from '../../providers/openai-compatible/openai-compatible-adapter.js';
import { commonDialect } from '../../providers/openai-compatible/openai-dialect.js';
import { type AnsweredCase, canary, type ProviderContract, toEvent } from '../provider-contract-case.js';

/*
 * Shapes of https://platform.openai.com/docs/api-reference/chat, and for reasoning of DeepSeek's
 * https://api-docs.deepseek.com/guides/reasoning_model, on which the compatible providers agree.
 */

const adapter = createOpenAiCompatibleAdapter({
  ...commonDialect,
  maxTokensField: 'by_model',
  roles: {},
  isRefusalKnown: true,
  isObfuscationSent: true,
  droppedParams: [],
});

const head = {
  id: 'chatcmpl-theirs',
  created: 1_700_000_000,
  model: 'gpt-4o-mini-2024-07-18',
  service_tier: 'default',
};
const shortUsage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const shortCounts = {
  inputTokens: 11,
  cachedInputTokens: null,
  cacheWriteInputTokens: null,
  outputTokens: 7,
  reasoningTokens: null,
};

function answer(message: object, finishReason = 'stop', usage: object = shortUsage): JsonObject {
  const whole = { role: 'assistant', refusal: null, annotations: undefined, ...message };
  const choices = [{ index: 0, message: whole, logprobs: null, finish_reason: finishReason }];
  return { ...head, object: 'chat.completion', choices, usage, system_fingerprint: 'fp_1' };
}

function stream(deltas: readonly object[], finishReason = 'stop', usage: object = shortUsage): string[] {
  const choice = (delta: object, reason: string | null) => [{ index: 0, delta, logprobs: null, finish_reason: reason }];
  const chunk = { ...head, object: 'chat.completion.chunk' };
  return [
    toEvent({ ...chunk, choices: choice({ role: 'assistant', content: '', refusal: null }, null), usage: null }),
    ...deltas.map((delta) => toEvent({ ...chunk, choices: choice(delta, null), usage: null })),
    toEvent({ ...chunk, choices: choice({}, finishReason), usage: null }),
    toEvent({ ...chunk, choices: [], usage }),
    toEvent('[DONE]'),
  ];
}

const question = [{ role: 'user', content: 'What is the weather in Paris?' }] as const;
const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'Tells the weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
] as const;
const callOf = (id: string, name: string, text: string): ToolCall & JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});
const paris = callOf('call_a', 'get_weather', '{"city":"Paris"}');
const rome = callOf('call_b', 'get_weather', '{"city":"Rome"}');
const open = (index: number, call: ToolCall) => ({
  tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: '' } }],
});
const pieceOf = (index: number, text: string) => ({ tool_calls: [{ index, function: { arguments: text } }] });

const body = (fields: object): JsonObject => ({ model: 'gpt-4o-mini', messages: question, ...fields });

/** One case of words alone; the others differ in what they ask. */
function worded(request: AnsweredCase['request'], upstreamBody: JsonObject, words: readonly string[]): AnsweredCase {
  return {
    request,
    upstreamBody,
    answer: answer({ content: words.join('') }),
    stream: stream(words.map((content) => ({ content }))),
    expected: { message: { content: words.join('') }, finishReason: 'stop', usage: shortCounts },
  };
}

const history = [
  ...question,
  { role: 'assistant', content: null, tool_calls: [paris, rome] },
  { role: 'tool', tool_call_id: 'call_a', content: 'Sun' },
  { role: 'tool', tool_call_id: 'call_b', content: 'Rain' },
] as const;
const image = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=', detail: 'low' } },
    ],
  },
] as const;
const jsonSchema = {
  type: 'json_schema',
  json_schema: { name: 'city', strict: true, schema: { type: 'object', properties: { name: { type: 'string' } } } },
} as const;
const detailedUsage = {
  prompt_tokens: 200,
  completion_tokens: 50,
  total_tokens: 250,
  prompt_tokens_details: { cached_tokens: 128, audio_tokens: 0, cache_write_tokens: 32 },
  completion_tokens_details: { reasoning_tokens: 30, audio_tokens: 0 },
};
const detailedCounts = {
  inputTokens: 200,
  cachedInputTokens: 128,
  cacheWriteInputTokens: 32,
  outputTokens: 50,
  reasoningTokens: 30,
};
export const openAiCompatibleContract: ProviderContract = {
  id: 'openai-compatible',
  adapter,
  upstreamModel: 'gpt-4o-mini',
  findPath: () => '/chat/completions',
  findKeyHeader: (key) => ['authorization', `Bearer ${key}`],
  streamFields: { stream: true, stream_options: { include_usage: true, include_obfuscation: false } },
  cases: {
    text: worded(
      {
        messages: [{ role: 'developer', content: 'Be brief' }, ...question],
        max_completion_tokens: 9,
        temperature: 0.5,
        stop: ['END'],
      },
      body({
        messages: [{ role: 'developer', content: 'Be brief' }, ...question],
        max_tokens: 9,
        temperature: 0.5,
        stop: ['END'],
      }),
      ['It ', 'is ', 'sunny — ☀️.'],
    ),
    'one tool': {
      request: { messages: question, tools, tool_choice: 'required' },
      upstreamBody: body({ tools, tool_choice: 'required' }),
      answer: answer({ content: null, tool_calls: [paris] }, 'tool_calls'),
      stream: stream([open(0, paris), pieceOf(0, '{"city":'), pieceOf(0, '"Paris"}')], 'tool_calls'),
      expected: { message: { content: null, tool_calls: [paris] }, finishReason: 'tool_calls', usage: shortCounts },
    },
    'parallel tools': {
      request: { messages: question, tools, parallel_tool_calls: true },
      upstreamBody: body({ tools, parallel_tool_calls: true }),
      answer: answer({ content: null, tool_calls: [paris, rome] }, 'tool_calls'),
      stream: stream(
        [open(0, paris), pieceOf(0, '{"city":"Paris"}'), open(1, rome), pieceOf(1, '{"city":"Rome"}')],
        'tool_calls',
      ),
      expected: {
        message: { content: null, tool_calls: [paris, rome] },
        finishReason: 'tool_calls',
        usage: shortCounts,
      },
    },
    'tool without arguments': {
      request: { messages: question, tools },
      upstreamBody: body({ tools }),
      answer: answer({ content: null, tool_calls: [callOf('call_a', 'now', '')] }, 'tool_calls'),
      stream: stream([open(0, callOf('call_a', 'now', ''))], 'tool_calls'),
      expected: {
        message: { content: null, tool_calls: [callOf('call_a', 'now', '{}')] },
        finishReason: 'tool_calls',
        usage: shortCounts,
      },
    },
    'tool results in history': worded({ messages: history, tools }, body({ messages: history, tools }), ['Sun, rain.']),
    image: worded({ messages: image }, body({ messages: image }), ['A ', 'cat.']),
    'JSON schema': worded({ messages: question, response_format: jsonSchema }, body({ response_format: jsonSchema }), [
      '{"name":',
      '"Paris"}',
    ]),
    reasoning: {
      upstreamModel: 'o4-mini',
      request: { messages: question, reasoning_effort: 'low', max_completion_tokens: 900, temperature: 1 },
      upstreamBody: body({ model: 'o4-mini', reasoning_effort: 'low', max_completion_tokens: 900 }),
      answer: answer({ content: 'Sun.', reasoning_content: 'Let me think.' }),
      stream: stream([{ reasoning_content: 'Let me ' }, { reasoning_content: 'think.' }, { content: 'Sun.' }]),
      expected: {
        message: { content: 'Sun.', reasoning_content: 'Let me think.' },
        finishReason: 'stop',
        usage: shortCounts,
      },
    },
    length: {
      request: { messages: question, max_completion_tokens: 2 },
      upstreamBody: body({ max_tokens: 2 }),
      answer: answer({ content: 'It is' }, 'length'),
      stream: stream([{ content: 'It ' }, { content: 'is' }], 'length'),
      expected: { message: { content: 'It is' }, finishReason: 'length', usage: shortCounts },
    },
    refusal: {
      request: { messages: question },
      upstreamBody: body({}),
      answer: answer({ content: null, refusal: 'I cannot.' }, 'content_filter'),
      stream: stream([{ refusal: 'I ' }, { refusal: 'cannot.' }], 'content_filter'),
      expected: {
        message: { content: null, refusal: 'I cannot.' },
        finishReason: 'content_filter',
        usage: shortCounts,
      },
    },
    'usage with every detail': {
      ...worded({ messages: question }, body({}), []),
      answer: answer({ content: 'Sun.' }, 'stop', detailedUsage),
      stream: stream([{ content: 'Sun.' }], 'stop', detailedUsage),
      expected: { message: { content: 'Sun.' }, finishReason: 'stop', usage: detailedCounts },
    },
    'unknown fields and events': {
      ...worded({ messages: question }, body({}), ['Hi', '!']),
      answer: { ...answer({ content: 'Hi!' }), x_new: { a: 1 } },
      stream: [
        ': a comment\n\n',
        toEvent({ ...head, choices: [], prompt_filter_results: [] }),
        ...stream([{ content: 'Hi' }, { content: '!' }]).map((event) =>
          event.replace('"created"', '"x_new":1,"created"'),
        ),
      ],
    },
  },
  errorEvents: [
    {
      name: 'an error object',
      stream: [
        ...stream([{ content: 'It ' }]).slice(0, 2),
        toEvent({ error: { message: `${canary.organisation} failed`, type: 'server_error', code: null } }),
        toEvent('[DONE]'),
      ],
      code: 'provider_error',
    },
    {
      name: 'overload, by status',
      stream: [
        ...stream([{ content: 'It ' }]).slice(0, 2),
        toEvent({ error: { message: `${canary.organisation} is busy`, code: 503 } }),
      ],
      code: 'provider_overloaded',
    },
  ],
  errorStatuses: [
    {
      name: 'a fault of the request',
      status: 400,
      body: error('max_tokens is too large'),
      code: 'provider_rejected',
      quote: 'max_tokens is too large',
    },
    { name: 'our key', status: 401, body: error('Incorrect API key'), code: 'provider_unavailable' },
    { name: 'our bill', status: 429, body: error('You exceeded', 'insufficient_quota'), code: 'provider_unavailable' },
    { name: 'our rate', status: 429, body: error('Rate limit', 'rate_limit_exceeded'), code: 'provider_rate_limited' },
    { name: 'its failure', status: 500, body: error('The server had an error'), code: 'provider_error' },
    { name: 'overload', status: 503, body: error('overloaded'), code: 'provider_overloaded' },
  ],
  untranslatable: [],
};

function error(words: string, code: string | null = null): string {
  const message = `${words} (key ${canary.key}, ${canary.organisation}, https://${canary.host}/v1)`;
  return JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code } });
}
