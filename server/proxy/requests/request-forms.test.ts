import type { ChatCompletion, ChatCompletionChunk, ChatRequest } from '../../providers/chat-types.js';
import { CallerTranslator } from '../../wires/chat/caller-dialect.js';
import { parseRequest } from './parse-request.js';

const user = [{ role: 'user', content: 'Hello' }];
const parameters = { type: 'object', properties: { city: { type: 'string' } } };

function requestOf(body: object): ChatRequest {
  return JSON.parse(JSON.stringify(parseRequest(JSON.stringify(body)).request));
}

describe('a body in the form of Responses, as Cursor sends it to the chat route', () => {
  it('becomes a chat request with every word of it', () => {
    const body = {
      model: 'gpt-5',
      instructions: 'Be brief',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
        { type: 'reasoning', summary: [] },
        { type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: '{"city":"Paris"}' },
        { type: 'function_call', call_id: 'c2', name: 'get_weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'c1', output: 'sun' },
        { type: 'function_call_output', call_id: 'c2', output: 'snow' },
        { role: 'assistant', content: [{ type: 'output_text', text: 'Sun and snow' }] },
        { role: 'user', content: [{ type: 'input_image', image_url: 'https://x.test/a.png', detail: 'low' }] },
      ],
      tools: [{ type: 'function', name: 'get_weather', description: 'd', parameters, strict: true }],
      tool_choice: { type: 'function', name: 'get_weather' },
      max_output_tokens: 50,
      reasoning: { effort: 'low', summary: 'auto' },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: {}, strict: true } },
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
    };
    const call = (id: string, city: string) => ({
      id,
      type: 'function',
      function: { name: 'get_weather', arguments: `{"city":"${city}"}` },
    });
    expect(requestOf(body)).toEqual({
      model: 'gpt-5',
      stream: true,
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
        { role: 'assistant', tool_calls: [call('c1', 'Paris'), call('c2', 'Oslo')] },
        { role: 'tool', tool_call_id: 'c1', content: 'sun' },
        { role: 'tool', tool_call_id: 'c2', content: 'snow' },
        { role: 'assistant', content: [{ type: 'text', text: 'Sun and snow' }] },
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } }],
        },
      ],
      tools: [{ type: 'function', function: { name: 'get_weather', description: 'd', parameters, strict: true } }],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      max_completion_tokens: 50,
      reasoning_effort: 'low',
      verbosity: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {}, strict: true } },
    });
  });

  it('takes one text as input, and lets the chat form of a field win', () => {
    expect(requestOf({ model: 'm', input: 'Hello', max_output_tokens: 7, max_tokens: 5 })).toEqual({
      model: 'm',
      messages: user,
      max_completion_tokens: 5,
    });
    expect(requestOf({ model: 'm', messages: user, input: 'No', max_output_tokens: 7 })).toEqual({
      model: 'm',
      messages: user,
      max_completion_tokens: 7,
    });
  });
});

describe('other forms that clients send', () => {
  it.each([
    ['one stop text becomes a list', { stop: 'END' }, { stop: ['END'] }],
    ['no stop text at all is none', { stop: [] }, {}],
    ['no tools at all are none', { tools: [], tool_choice: 'auto', parallel_tool_calls: true }, {}],
    ['an ordinary service tier says nothing', { service_tier: 'auto' }, {}],
    ['text as the only modality says nothing', { modalities: ['text'] }, {}],
  ])('%s', (_, sent, kept) => {
    expect(requestOf({ model: 'm', messages: user, ...sent })).toEqual({ model: 'm', messages: user, ...kept });
  });

  it.each([
    ['json_object', { schema: parameters }, { name: 'output', schema: parameters }],
    ['json_schema', { schema: parameters, strict: true }, { name: 'output', schema: parameters, strict: true }],
    ['json_schema', { name: 'city', schema: parameters }, { name: 'city', schema: parameters }],
  ])('a schema beside the type %s holds the answer to it', (type, beside, jsonSchema) => {
    const { response_format: format } = requestOf({ model: 'm', messages: user, response_format: { type, ...beside } });
    expect(format).toEqual({ type: 'json_schema', json_schema: jsonSchema });
  });

  it('an empty list of content is an empty text', () => {
    const messages = [...user, { role: 'tool', tool_call_id: 'c', content: [] }];
    expect(requestOf({ model: 'm', messages }).messages[1]).toEqual({ role: 'tool', tool_call_id: 'c', content: '' });
  });

  it('the choice `any`, as Mistral’s clients write it, makes the model call a tool', () => {
    const tools = [{ type: 'function', function: { name: 'a' } }];
    expect(requestOf({ model: 'm', messages: user, tools, tool_choice: 'any' })).toMatchObject({
      tool_choice: 'required',
    });
  });

  it('a choice among allowed tools offers only those', () => {
    const tool = (name: string) => ({ type: 'function', function: { name } });
    const choice = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool('b')] } };
    const request = requestOf({ model: 'm', messages: user, tools: [tool('a'), tool('b')], tool_choice: choice });
    expect(request).toMatchObject({ tools: [tool('b')], tool_choice: 'required' });
    expect(request.tools).toHaveLength(1);
  });

  it('a custom tool is offered as a function with one text', () => {
    const format = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } };
    const nested = { type: 'custom', custom: { name: 'patch', description: 'Patches', format } };
    const flat = {
      type: 'custom',
      name: 'patch',
      description: 'Patches',
      format: { type: 'grammar', ...format.grammar },
    };
    for (const tool of [nested, flat]) {
      const { tools } = requestOf({ model: 'm', messages: user, tools: [tool] });
      expect(tools?.[0]?.function.description).toContain('start: "x"');
      expect(tools?.[0]?.function.parameters).toMatchObject({ required: ['input'] });
    }
  });
});

describe('functions, the form before tools', () => {
  const body = {
    model: 'm',
    messages: [
      ...user,
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      { role: 'function', name: 'f', content: '2' },
    ],
    functions: [{ name: 'f', parameters }],
    function_call: { name: 'f' },
  };

  it('goes upstream as tools, one call at a time', () => {
    const id = 'call_function_1';
    expect(requestOf(body)).toEqual({
      model: 'm',
      messages: [
        ...user,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        },
        { role: 'tool', content: '2', tool_call_id: id },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
      parallel_tool_calls: false,
    });
  });

  it('comes back as function_call, whole and in pieces', () => {
    const translator = CallerTranslator.create(parseRequest(JSON.stringify(body)).dialect);
    const answer = completionOf('f', '{"a":1}');
    translator?.translateCompletion(answer);
    expect(answer.choices[0]).toMatchObject({
      message: { function_call: { name: 'f', arguments: '{"a":1}' } },
      finish_reason: 'function_call',
    });
    expect(answer.choices[0]?.message).not.toHaveProperty('tool_calls');
    const deltas = chunksOf('f', ['{"a"', ':1}']).map((chunk) => {
      translator?.translateChunk(chunk);
      return [chunk.choices[0]?.delta, chunk.choices[0]?.finish_reason];
    });
    expect(deltas).toEqual([
      [{ function_call: { name: 'f', arguments: '' } }, null],
      [{ function_call: { arguments: '{"a"' } }, null],
      [{ function_call: { arguments: ':1}' } }, null],
      [{}, 'function_call'],
    ]);
  });
});

describe('a custom tool', () => {
  const { dialect } = parseRequest(
    JSON.stringify({ model: 'm', messages: user, tools: [{ type: 'custom', custom: { name: 'patch' } }] }),
  );

  it('is called with its text, whole and in pieces', () => {
    const translator = CallerTranslator.create(dialect);
    const answer = completionOf('patch', '{"input":"a\\nb"}');
    translator?.translateCompletion(answer);
    const custom = { name: 'patch', input: 'a\nb' };
    expect(answer.choices[0]?.message.tool_calls).toEqual([{ id: 'c1', type: 'custom', custom }]);
    const deltas = chunksOf('patch', ['{"input":"a', '\\nb"}']).map((chunk) => {
      translator?.translateChunk(chunk);
      return chunk.choices[0]?.delta;
    });
    expect(deltas).toEqual([{}, {}, {}, { tool_calls: [{ index: 0, id: 'c1', type: 'custom', custom }] }]);
  });
});

it('a caller who speaks as we do has no translator', () => {
  const { dialect } = parseRequest(JSON.stringify({ model: 'm', messages: user }));
  expect(CallerTranslator.create(dialect)).toBeNull();
});

function completionOf(name: string, text: string): ChatCompletion {
  const toolCalls = [{ id: 'c1', type: 'function' as const, function: { name, arguments: text } }];
  const message = { role: 'assistant' as const, content: null, refusal: null, tool_calls: toolCalls };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'tool_calls' as const }];
  return { id: 'call_1', object: 'chat.completion', created: 1, model: 'm', choices };
}

function chunksOf(name: string, pieces: readonly string[]): ChatCompletionChunk[] {
  const toChunk = (delta: object, finishReason: 'tool_calls' | null): ChatCompletionChunk => ({
    id: 'call_1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { ...delta }, logprobs: null, finish_reason: finishReason }],
  });
  const opening = { index: 0, id: 'c1', type: 'function', function: { name, arguments: '' } };
  return [
    toChunk({ tool_calls: [opening] }, null),
    ...pieces.map((text) => toChunk({ tool_calls: [{ index: 0, function: { arguments: text } }] }, null)),
    toChunk({}, 'tool_calls'),
  ];
}

describe('a large body', () => {
  const parse = (more: object) => () =>
    parseRequest(JSON.stringify({ model: 'gpt-5', messages: user, ...more }), { isLarge: true });

  it('may have schemas of 20,000 values together, and no more', () => {
    const tools = (count: number) => [
      { type: 'function', function: { name: 'f', parameters: { enum: Array.from({ length: count }, () => 1) } } },
    ];
    expect(parse({ tools: tools(19_000) })).not.toThrow();
    expect(parse({ tools: tools(20_001) })).toThrow("Invalid 'tools': must have at most 20,000 values");
  });

  it('may have texts of 10,485,760 characters together, and no more', () => {
    const ask = (characters: number) => ({ messages: [...user, { role: 'user', content: 'x'.repeat(characters) }] });
    expect(parse(ask(10_485_000))).not.toThrow();
    expect(parse(ask(10_485_760))).toThrow("Invalid 'messages': all texts of a prompt together");
  });
});

describe('How much is to be thought, in a field that OpenAI does not have', () => {
  const ask = (fields: object) => requestOf({ model: 'm', messages: user, ...fields });

  it.each([
    [{ reasoning: { enabled: false } }, 'none'],
    [{ reasoning: { enabled: false, effort: 'high' } }, 'none'],
    [{ reasoning: { enabled: true } }, 'medium'],
    [{ reasoning: { max_tokens: 0 } }, 'none'],
    [{ reasoning: { max_tokens: 2_000 } }, 'low'],
    [{ reasoning: { exclude: true }, thinking: { type: 'enabled', budget_tokens: 32_000 } }, 'high'],
    [{ thinking: { type: 'disabled' } }, 'none'],
    [{ thinking: { type: 'enabled' } }, 'medium'],
    [{ enable_thinking: false }, 'none'],
    [{ enable_thinking: true }, 'medium'],
  ])('is read as an effort that a model without thinking may leave out: %j', (fields, effort) => {
    expect(ask(fields)).toMatchObject({ reasoning_effort: effort, isReasoningEffortOptional: true });
  });

  it.each([
    [{ reasoning: { exclude: true }, thinking: { type: 'adaptive' } }, undefined],
    [{ reasoning: { enabled: 'no', max_tokens: 'few' }, enable_thinking: 'no' }, undefined],
    [{ reasoning: { effort: 'low', enabled: true, max_tokens: 32_000 } }, 'low'],
    [{ reasoning: null, thinking: null }, undefined],
    [{ reasoning_effort: 'high', reasoning: { enabled: false }, enable_thinking: false }, 'high'],
  ])('says nothing in other values, nor beside the field that OpenAI has: %j', (fields, effort) => {
    const request = ask(fields);
    expect([request.reasoning_effort, request.isReasoningEffortOptional]).toEqual([effort, undefined]);
  });
});
