import { Secret } from '../../kernel/secret.js';
import type { ChatMessage, ChatRequest } from '../chat-types.js';
import { anthropicAdapter } from './anthropic-adapter.js';
import { toAnthropicRequest } from './anthropic-request.js';

const apiKey = new Secret('sk-ours');
const question: ChatMessage = { role: 'user', content: 'Hi' };

function send(fields: Partial<ChatRequest>, upstreamModel = 'claude-sonnet-4-6') {
  return toAnthropicRequest({ model: 'public-name', messages: [question], ...fields }, { upstreamModel, apiKey });
}

const sendMessages = (...messages: ChatMessage[]) => send({ messages }).messages;
const call = (id: string, text = '{}') => ({ id, type: 'function', function: { name: 'f', arguments: text } }) as const;
const tools = [{ type: 'function', function: { name: 'f' } }] as const;
const schema = { type: 'object', properties: { a: { type: 'string' } } };
const jsonSchema = { type: 'json_schema', json_schema: { name: 'x', schema } } as const;

describe('the messages', () => {
  it('merge what one role says in a row, and leave blanks out', () => {
    expect(
      sendMessages(
        question,
        { role: 'user', content: [{ type: 'text', text: ' ' }] },
        { role: 'user', content: 'there' },
      ),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 'there' },
        ],
      },
    ]);
  });

  it.each([
    ['an answer', [{ role: 'assistant', content: 'Hello' }, question]],
    ['nothing but instructions', [{ role: 'system', content: 'Tell a story' }]],
  ] as const)('begin with a turn of the user when a conversation begins with %s', (_name, messages) => {
    expect(send({ messages }).messages[0]).toEqual({ role: 'user', content: [{ type: 'text', text: 'Continue.' }] });
  });

  it('end without a blank where the model is to continue', () => {
    expect(sendMessages(question, { role: 'assistant', content: 'It is \n' }).at(-1)).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'It is' }],
    });
  });

  it('show arguments that do not parse, and none as an empty object', () => {
    const messages: ChatMessage[] = [
      question,
      { role: 'assistant', tool_calls: [call('a', '{"x":'), call('b', '')] },
      { role: 'tool', tool_call_id: 'b', content: '' },
      { role: 'tool', tool_call_id: 'a', content: 'A' },
    ];
    expect(sendMessages(...messages).slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'f', input: { _raw: '{"x":' } },
          { type: 'tool_use', id: 'b', name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'b' },
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'A' }] },
        ],
      },
    ]);
  });

  it('give each call an id that Anthropic takes, once, and its result the same', () => {
    const turn = (id: string): ChatMessage[] => [
      { role: 'assistant', tool_calls: [call(id)] },
      { role: 'tool', tool_call_id: id, content: 'A' },
    ];
    const content = sendMessages(question, ...turn('functions.f:0'), ...turn('functions.f:0')).flatMap(
      (message): object[] => message.content,
    );
    expect(content.slice(1)).toMatchObject([
      { id: 'functions_f_0' },
      { tool_use_id: 'functions_f_0' },
      { id: 'functions_f_0_2' },
      { tool_use_id: 'functions_f_0_2' },
    ]);
  });

  it('keep an image inside of the result that it belongs to', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/PNG;base64,aGk=' } } as const;
    const messages = sendMessages(
      question,
      { role: 'assistant', tool_calls: [call('a')] },
      { role: 'tool', tool_call_id: 'a', content: [image] },
    );
    expect(messages.at(-1)?.content).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }],
      },
    ]);
  });

  it('say a refusal of before as text', () => {
    const messages = sendMessages(question, { role: 'assistant', content: null, refusal: 'No.' }, question);
    expect(messages[1]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'No.' }] });
  });

  it.each([
    ['http://example.org/a.png'],
    ['data:image/png,hi'],
    ['data:image/svg+xml;base64,aGk='],
    ['file:///etc/passwd'],
  ])('refuse the image %s', (url) => {
    const image = { role: 'user', content: [{ type: 'image_url', image_url: { url } }] } as const;
    expect(() => sendMessages(image)).toThrow(
      expect.objectContaining({ code: 'unsupported_value', param: 'messages[0].content[0].image_url.url' }),
    );
  });

  it('refuse a result that comes twice, and one without the call before it', () => {
    const result = { role: 'tool', tool_call_id: 'a', content: 'A' } as const;
    expect(() => sendMessages(question, { role: 'assistant', tool_calls: [call('a')] }, result, result)).toThrow(
      expect.objectContaining({ param: 'messages[3].tool_call_id' }),
    );
    expect(() => sendMessages(question, { role: 'assistant', tool_calls: [call('a'), call('b')] }, result)).toThrow(
      /no response: b/,
    );
    expect(() => sendMessages(question, { role: 'function', name: 'f', content: 'A' })).toThrow(
      expect.objectContaining({ param: 'messages[1]' }),
    );
  });

  it('give thinking back only when it is signed, and this model’s own', () => {
    const own = {
      type: 'reasoning.text',
      text: 'Hm',
      signature: 's',
      format: 'anthropic-claude-v1',
      model: 'public-name',
    };
    const details = [own, { ...own, signature: null }, { ...own, model: 'other' }, { ...own, format: 'google-v1' }];
    const messages = sendMessages(question, { role: 'assistant', content: 'A', reasoning_details: details }, question);
    expect(messages[1]?.content).toEqual([
      { type: 'thinking', thinking: 'Hm', signature: 's' },
      { type: 'text', text: 'A' },
    ]);
  });
});

describe('the parameters', () => {
  it('are those that were asked for', () => {
    expect(send({})).toEqual({
      model: 'claude-sonnet-4-6',
      max_tokens: 128_000,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      service_tier: 'standard_only',
    });
  });

  it.each([
    ['claude-sonnet-4-6', { temperature: 1.7 }, { temperature: 1 }],
    ['claude-sonnet-4-6', { temperature: 0.3, top_p: 0.5 }, { temperature: 0.3 }],
    ['claude-sonnet-4-6', { top_p: 0.5 }, { top_p: 0.5 }],
    ['claude-sonnet-4-6', { temperature: 0.3, top_p: 0.5, reasoning_effort: 'low' }, {}],
    ['claude-opus-4-7', { temperature: 0.3, top_p: 0.5 }, {}],
    ['claude-next-1', { temperature: 0.3 }, {}],
  ] as const)('of sampling, %s gets of %j only %j', (model, fields, expected) => {
    const { temperature, top_p } = send(fields, model);
    expect({ temperature, top_p }).toEqual({ temperature: undefined, top_p: undefined, ...expected });
  });

  it('never ask for more output than was priced, nor for more than the model has', () => {
    expect(send({ max_completion_tokens: 77, reasoning_effort: 'max' }, 'claude-haiku-4-5').max_tokens).toBe(77);
    expect(send({ max_completion_tokens: 70_000, reasoning_effort: 'max' }, 'claude-haiku-4-5').max_tokens).toBe(
      64_000,
    );
  });

  it('leave out what only tunes an answer elsewhere', () => {
    const tuned = {
      seed: 1,
      logit_bias: { 1: 2 },
      frequency_penalty: 1,
      presence_penalty: 1,
      verbosity: 'low',
    } as const;
    expect(send(tuned)).toEqual(send({}));
  });

  it('name the end user by a hash that needs our key', () => {
    const user = send({ safety_identifier: 'jane@example.org' }).metadata?.user_id;
    expect(user).toMatch(/^[0-9a-f]{64}$/);
    expect(send({ safety_identifier: 'jane@example.org' }).metadata?.user_id).toBe(user);
    expect(send({ safety_identifier: 'john@example.org' }).metadata?.user_id).not.toBe(user);
  });

  it.each([
    ['none', undefined, { type: 'none' }],
    ['auto', undefined, { type: 'auto' }],
    ['required', undefined, { type: 'any' }],
    ['required', false, { type: 'any', disable_parallel_tool_use: true }],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    ['none', false, { type: 'none' }],
    [{ type: 'function', function: { name: 'f' } }, true, { type: 'tool', name: 'f' }],
    [undefined, true, undefined],
  ] as const)('say the choice %j with parallel calls %s as %j', (choice, isParallel, expected) => {
    const sent = send({ tools, tool_choice: choice, parallel_tool_calls: isParallel });
    expect(sent.tool_choice).toEqual(expected);
    expect(sent.tools).toHaveLength(1);
  });

  it('keep the whole schema of a tool', () => {
    const parameters = {
      anyOf: [{ required: ['a'] }],
      $defs: { a: { const: 1 } },
      additionalProperties: { type: 'string' },
    };
    const [tool] = send({ tools: [{ type: 'function', function: { name: 'f', parameters } }] }).tools ?? [];
    expect(tool).toEqual({ name: 'f', input_schema: { ...parameters, type: 'object', properties: {} } });
  });

  it('ask for JSON in words where there is no schema', () => {
    expect(send({ response_format: { type: 'json_object' } }).system?.at(-1)?.text).toMatch(/single JSON object/);
  });

  it('ask a model without structured output for JSON by a tool, which then is the answer', () => {
    const sent = send({ response_format: jsonSchema, reasoning_effort: 'high' }, 'claude-opus-4-1');
    expect(sent.tools).toMatchObject([{ name: 'tollgate_json_answer', input_schema: schema }]);
    expect(sent.tool_choice).toMatchObject({ type: 'tool', name: 'tollgate_json_answer' });
    expect(sent).not.toHaveProperty('output_config');
    expect(sent).not.toHaveProperty('thinking');
    const beside = send({ response_format: jsonSchema, tools }, 'claude-opus-4-1');
    expect(beside.tools?.map(({ name }) => name)).toEqual(['f', 'tollgate_json_answer']);
    expect(beside.tool_choice).toMatchObject({ type: 'any' });
  });

  describe('with a schema that structured outputs would hold to `{}`', () => {
    const map = { type: 'object', properties: { m: { type: 'object', additionalProperties: { type: 'string' } } } };
    const free = { type: 'object' };
    const asking = (wanted: object, strict?: boolean) =>
      ({ type: 'json_schema', json_schema: { name: 'x', schema: { ...wanted }, strict } }) as const;

    it.each([map, free])('%j: ask for the JSON by a tool that has the whole schema and is not strict', (wanted) => {
      const sent = send({ response_format: asking(wanted) });
      expect(sent).not.toHaveProperty('output_config');
      expect(sent.tools).toEqual([
        {
          name: 'tollgate_json_answer',
          description: 'Gives the final answer.',
          input_schema: { properties: {}, ...wanted },
        },
      ]);
      expect(sent.tool_choice).toMatchObject({ type: 'tool', name: 'tollgate_json_answer' });
    });

    it('ask a model that no tool can be forced on, and for what is no object, in words with the schema in them', () => {
      for (const sent of [
        send({ response_format: asking(map) }, 'claude-opus-5-5'),
        send({ response_format: asking({ type: 'array', items: map }) }),
      ]) {
        expect(sent).not.toHaveProperty('tools');
        expect(sent.output_config?.format).toBeUndefined();
        expect(sent.system?.at(-1)?.text).toContain('"additionalProperties":{"type":"string"}');
      }
    });

    it.each([
      [{ response_format: asking(map, true) }, 'response_format.json_schema.schema'],
      [
        { tools: [{ type: 'function', function: { name: 'f', strict: true, parameters: map } }] },
        'tools[0].function.parameters',
      ],
    ] as const)('refuse it by name where it is to be strict: %j', (fields, param) => {
      expect(() => send(fields)).toThrow(
        expect.objectContaining({
          code: 'unsupported_value',
          param,
          message: expect.stringContaining(`'${param}.properties.m.additionalProperties'`),
        }),
      );
    });

    it('send a tool that is not strict as it is, and a strict one without parameters closed', () => {
      const tool = (fields: object) => ({ type: 'function', function: { name: 'f', ...fields } }) as const;
      expect(send({ tools: [tool({ parameters: map })] }).tools).toEqual([{ name: 'f', input_schema: map }]);
      expect(send({ tools: [tool({ strict: true })] }).tools).toEqual([
        { name: 'f', strict: true, input_schema: { type: 'object', properties: {}, additionalProperties: false } },
      ]);
    });
  });

  it('refuse a tool with the name of that one', () => {
    const taken = [{ type: 'function', function: { name: 'tollgate_json_answer' } }] as const;
    expect(() => send({ tools: taken })).toThrow(expect.objectContaining({ param: 'tools' }));
  });
});

describe('the address', () => {
  it.each([
    ['https://api.anthropic.com', 'https://api.anthropic.com/v1/messages'],
    ['https://gateway.test/anthropic/v1', 'https://gateway.test/anthropic/v1/messages'],
  ])('of %s is %s', (baseUrl, url) => {
    const target = { kind: 'http', providerId: 'anthropic', adapter: anthropicAdapter, baseUrl, apiKey: null } as const;
    const sent = anthropicAdapter.buildRequest(
      { model: 'm', messages: [question] },
      { ...target, upstreamModel: 'claude-x' },
    );
    expect(sent.url).toBe(url);
    expect(sent.headers).not.toHaveProperty('x-api-key');
  });
});
