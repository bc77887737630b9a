import type { JsonObject, ToolCall } from '../../providers/chat-types.js';
import { geminiAdapter } from '../../providers/gemini/gemini-adapter.js';
import { type AnsweredCase, canary, type ProviderContract, toEvent } from '../provider-contract-case.js';
import { type AnswerPart, type AnswerUsage, answer, blockedAnswer, shortCounts, stream } from './gemini-answers.js';

const question = [{ role: 'user', content: 'What is the weather in Paris?' }] as const;
const contents = [{ role: 'user', parts: [{ text: 'What is the weather in Paris?' }] }];
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = [
  { type: 'function', function: { name: 'get_weather', description: 'Tells the weather', parameters } },
  { type: 'function', function: { name: 'now' } },
] as const;
const declared = [
  {
    functionDeclarations: [
      { name: 'get_weather', description: 'Tells the weather', parametersJsonSchema: parameters },
      { name: 'now' },
    ],
  },
];

const callOf = (id: string, name: string, text: string, signature?: string): ToolCall & JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: text },
  ...(signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }),
});
const paris = callOf('fc_a', 'get_weather', '{"city":"Paris"}', 'c2lnbmVk');
const rome = callOf('fc_b', 'get_weather', '{"city":"Rome"}');
const callParis: AnswerPart = {
  functionCall: { id: 'fc_a', name: 'get_weather', args: { city: 'Paris' } },
  thoughtSignature: 'c2lnbmVk',
};
const callRome: AnswerPart = { functionCall: { id: 'fc_b', name: 'get_weather', args: { city: 'Rome' } } };

const body = (fields: object = {}): JsonObject => ({ contents, generationConfig: {}, ...fields });

/** One case of words alone; the others differ in what they ask. */
function worded(request: AnsweredCase['request'], upstreamBody: JsonObject, words: readonly string[]): AnsweredCase {
  return {
    request,
    upstreamBody,
    answer: answer(words.map((text) => ({ text }))),
    stream: stream(words.map((text) => [{ text }])),
    expected: { message: { content: words.join('') }, finishReason: 'stop', usage: shortCounts },
  };
}

/** One case of tool calls. The model's reason comes apart from the calls, as the newer ones send it. */
function called(
  parts: readonly AnswerPart[],
  calls: readonly (ToolCall & JsonObject)[],
  choice?: 'required',
): AnsweredCase {
  const toolConfig = { functionCallingConfig: { mode: 'ANY' } };
  return {
    request: { messages: question, tools, tool_choice: choice },
    upstreamBody: body({ tools: declared, ...(choice ? { toolConfig } : {}) }),
    answer: answer(parts),
    stream: stream([parts], {}, true),
    expected: { message: { content: null, tool_calls: calls }, finishReason: 'tool_calls', usage: shortCounts },
  };
}

const history = {
  messages: [
    ...question,
    { role: 'assistant', content: null, tool_calls: [paris, rome] },
    { role: 'tool', tool_call_id: 'fc_a', content: '{"sky":"clear"}' },
    { role: 'tool', tool_call_id: 'fc_b', content: 'Rain' },
  ],
  tools,
} as const;
const upstreamHistory = [
  ...contents,
  { role: 'model', parts: [callParis, callRome] },
  {
    role: 'user',
    parts: [
      { functionResponse: { id: 'fc_a', name: 'get_weather', response: { output: { sky: 'clear' } } } },
      { functionResponse: { id: 'fc_b', name: 'get_weather', response: { output: 'Rain' } } },
    ],
  },
];

const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=', detail: 'low' } } as const;
const schema = { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false };
const blocked = blockedAnswer('SAFETY', { promptTokenCount: 11, totalTokenCount: 11 });

const detailed: AnswerUsage = {
  promptTokenCount: 190,
  toolUsePromptTokenCount: 10,
  cachedContentTokenCount: 128,
  candidatesTokenCount: 20,
  thoughtsTokenCount: 30,
  totalTokenCount: 250,
};
const detailedCounts = {
  inputTokens: 200,
  cachedInputTokens: 128,
  cacheWriteInputTokens: null,
  outputTokens: 50,
  reasoningTokens: 30,
};
const thoughtful: AnswerUsage = {
  ...detailed,
  toolUsePromptTokenCount: 0,
  cachedContentTokenCount: 0,
  totalTokenCount: 240,
};

function error(status: number, name: string, words: string, details: readonly object[] = []): string {
  const message = `${words} (key ${canary.key}, ${canary.organisation}, projects/1029384756, https://${canary.host}/v1)`;
  return JSON.stringify({ error: { code: status, message, status: name, details } });
}

export const geminiContract: ProviderContract = {
  id: 'gemini',
  adapter: geminiAdapter,
  upstreamModel: 'gemini-3.8-flash',
  findPath: (model, isStreamed) =>
    `/models/${model}:${isStreamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  findKeyHeader: (key) => ['x-goog-api-key', key],
  streamFields: {},
  cases: {
    text: worded(
      {
        messages: [{ role: 'developer', content: 'Be brief' }, ...question, { role: 'system', content: 'Be kind' }],
        max_completion_tokens: 9,
        temperature: 0.5,
        top_p: 0.9,
        seed: 7,
        stop: ['END'],
      },
      body({
        systemInstruction: { parts: [{ text: 'Be brief' }, { text: 'Be kind' }] },
        generationConfig: { maxOutputTokens: 9, temperature: 0.5, topP: 0.9, seed: 7, stopSequences: ['END'] },
      }),
      ['It ', 'is ', 'sunny — ☀️.'],
    ),
    'one tool': called([callParis], [paris], 'required'),
    'parallel tools': called([callParis, callRome], [paris, rome]),
    'tool without arguments': called([{ functionCall: { name: 'now' } }], [callOf('call_1_0', 'now', '{}')]),
    'tool results in history': worded(history, body({ contents: upstreamHistory, tools: declared }), ['Sun, rain.']),
    image: worded(
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, picture] }] },
      body({
        contents: [
          { role: 'user', parts: [{ text: 'What is this?' }, { inlineData: { mimeType: 'image/png', data: 'aGk=' } }] },
        ],
        generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW' },
      }),
      ['A ', 'cat.'],
    ),
    'JSON schema': worded(
      {
        messages: question,
        response_format: { type: 'json_schema', json_schema: { name: 'city', strict: true, schema } },
      },
      body({ generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } }),
      ['{"name":', '"Paris"}'],
    ),
    reasoning: {
      request: { messages: question, reasoning_effort: 'low', max_completion_tokens: 900 },
      upstreamBody: body({
        generationConfig: { maxOutputTokens: 900, thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' } },
      }),
      answer: answer([{ text: 'Let me think.', thought: true }, { text: 'Sun.' }], { usage: thoughtful }),
      stream: stream([[{ text: 'Let me ', thought: true }], [{ text: 'think.', thought: true }, { text: 'Sun.' }]], {
        usage: thoughtful,
      }),
      expected: {
        message: { content: 'Sun.', reasoning_content: 'Let me think.' },
        finishReason: 'stop',
        usage: { ...detailedCounts, inputTokens: 190, cachedInputTokens: 0 },
      },
    },
    length: {
      ...worded(
        { messages: question, max_completion_tokens: 2 },
        body({ generationConfig: { maxOutputTokens: 2 } }),
        [],
      ),
      answer: answer([{ text: 'It is' }], { finishReason: 'MAX_TOKENS' }),
      stream: stream([[{ text: 'It ' }], [{ text: 'is' }]], { finishReason: 'MAX_TOKENS' }),
      expected: { message: { content: 'It is' }, finishReason: 'length', usage: shortCounts },
    },
    refusal: {
      ...worded({ messages: question }, body(), []),
      answer: blocked,
      stream: [toEvent(blocked)],
      expected: {
        message: { content: null, refusal: 'Provider acme blocked this prompt (SAFETY).' },
        finishReason: 'content_filter',
        usage: { ...shortCounts, outputTokens: 0 },
      },
    },
    'usage with every detail': {
      ...worded({ messages: question }, body(), []),
      answer: answer([{ text: 'Sun.' }], { usage: detailed }),
      stream: stream([[{ text: 'Sun' }], [{ text: '.' }]], { usage: detailed }),
      expected: { message: { content: 'Sun.' }, finishReason: 'stop', usage: detailedCounts },
    },
    'unknown fields and events': {
      ...worded({ messages: question }, body(), ['Hi', '!']),
      answer: { ...answer([{ text: 'Hi' }, { executableCode: { code: '1' } }, { text: '!' }]), newField: { a: 1 } },
      stream: [
        ': a comment\r\n\r\n',
        toEvent({ newField: 1 }, 'new_event'),
        ...stream([[{ text: 'Hi' }], [{ executableCode: { code: '1' } }], [{ text: '!' }]]).map((event) =>
          event.replace('"index"', '"newField":1,"index"'),
        ),
      ],
      expected: {
        message: { content: 'Hi!', other_parts: [{ executableCode: { code: '1' } }] },
        finishReason: 'stop',
        usage: shortCounts,
      },
    },
  },
  errorEvents: [
    {
      name: 'overload',
      stream: [
        ...stream([[{ text: 'It ' }], [{ text: 'is' }]]).slice(0, 1),
        toEvent(error(503, 'UNAVAILABLE', 'The model is overloaded')),
      ],
      code: 'provider_overloaded',
    },
    {
      name: 'a failure without a number',
      stream: [toEvent({ error: { status: 'INTERNAL', message: canary.organisation } })],
      code: 'provider_error',
    },
  ],
  errorStatuses: [
    {
      name: 'a fault of the request',
      status: 400,
      body: error(400, 'INVALID_ARGUMENT', 'Unable to process input image'),
      code: 'provider_rejected',
      quote: 'Unable to process input image',
    },
    {
      name: 'our key',
      status: 400,
      body: error(400, 'INVALID_ARGUMENT', 'Not valid', [{ reason: 'API_KEY_INVALID', domain: 'googleapis.com' }]),
      code: 'provider_unavailable',
    },
    {
      name: 'our country or bill',
      status: 400,
      body: error(400, 'FAILED_PRECONDITION', 'User location is not supported'),
      code: 'provider_unavailable',
    },
    { name: 'our rights', status: 403, body: error(403, 'PERMISSION_DENIED', 'No'), code: 'provider_unavailable' },
    {
      name: 'no such model',
      status: 404,
      body: error(404, 'NOT_FOUND', 'models/x is not found'),
      code: 'provider_rejected',
      quote: 'models/x is not found',
    },
    { name: 'our rate', status: 429, body: error(429, 'RESOURCE_EXHAUSTED', 'Quota'), code: 'provider_rate_limited' },
    { name: 'its failure', status: 500, body: error(500, 'INTERNAL', 'Oops'), code: 'provider_error' },
    { name: 'overload', status: 503, body: error(503, 'UNAVAILABLE', 'Busy'), code: 'provider_overloaded' },
    { name: 'its time limit', status: 504, body: error(504, 'DEADLINE_EXCEEDED', 'Late'), code: 'provider_timeout' },
  ],
  untranslatable: [
    {
      name: 'an image that would have to be fetched',
      request: {
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.example/a.png' } }] }],
      },
      code: 'unsupported_parameter',
      param: 'messages[0].content[0].image_url.url',
    },
    { name: 'several answers', request: { messages: question, n: 2 }, code: 'unsupported_parameter', param: 'n' },
    {
      name: 'the result of a call that nobody made',
      request: { messages: [...question, { role: 'tool', tool_call_id: 'fc_x', content: 'Rain' }] },
      code: 'invalid_value',
      param: 'messages[1].tool_call_id',
    },
  ],
};
