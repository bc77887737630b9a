import { Secret } from '../../kernel/secret.js';
import type { ChatRequest, ChatTool, ReasoningEffort } from '../chat-types.js';
import type { HttpTarget } from '../provider-adapter.js';
import { geminiAdapter } from './gemini-adapter.js';
import { buildGeminiRequest, toGeminiBody } from './gemini-request.js';

const newest = 'gemini-3.8-flash';
const messages = [{ role: 'user', content: 'Hi' }] as const;
const refusal = (param: string) => expect.objectContaining({ code: 'unsupported_parameter', param });

function bodyFor(changes: Partial<ChatRequest>, model = newest) {
  return toGeminiBody({ model: 'public-name', messages, ...changes }, model);
}
const configFor = (changes: Partial<ChatRequest>, model?: string) => bodyFor(changes, model).generationConfig;

describe('the address', () => {
  const target: HttpTarget = {
    kind: 'http',
    providerId: 'gemini',
    adapter: geminiAdapter,
    baseUrl: 'https://google.test/v1beta',
    apiKey: new Secret('canary'),
    upstreamModel: newest,
  };

  it('never holds the key, and asks for a stream of events', () => {
    const { url, headers, body } = buildGeminiRequest({ model: 'm', messages, stream: true }, target);
    expect(url).toBe(`https://google.test/v1beta/models/${newest}:streamGenerateContent?alt=sse`);
    expect(headers).toMatchObject({ 'x-goog-api-key': 'canary', accept: 'text/event-stream' });
    expect(`${url}${JSON.stringify(body)}`).not.toContain('canary');
  });

  it('takes a model that is named as a resource, and no path in a plain name', () => {
    const urlOf = (upstreamModel: string) =>
      buildGeminiRequest({ model: 'm', messages }, { ...target, upstreamModel }).url;
    expect(urlOf('tunedModels/mine')).toBe('https://google.test/v1beta/tunedModels/mine:generateContent');
    expect(urlOf('a?key=b')).toBe('https://google.test/v1beta/models/a%3Fkey%3Db:generateContent');
  });

  it('sends no key where there is none', () => {
    expect(buildGeminiRequest({ model: 'm', messages }, { ...target, apiKey: null }).headers).not.toHaveProperty(
      'x-goog-api-key',
    );
  });
});

describe('how to answer', () => {
  it('sends the priced cap as it is, whatever is thought', () => {
    for (const effort of ['none', 'high', 'max', undefined] as const) {
      for (const model of ['gemini-2.5-pro', newest]) {
        const asked = { max_completion_tokens: 37, reasoning_effort: effort };
        expect(configFor(asked, model)).toMatchObject({ maxOutputTokens: 37 });
      }
    }
  });

  it('makes a list of one stop word', () => {
    expect(configFor({ stop: 'END' })).toEqual({ stopSequences: ['END'] });
    expect(configFor({ stop: ['', 'a'] })).toEqual({ stopSequences: ['a'] });
  });

  it('brings a seed into 32 bits, always the same way', () => {
    expect([7, -1, 2 ** 31, 2 ** 32 + 5, 2 ** 53 - 1].map((seed) => configFor({ seed })?.seed)).toEqual([
      7,
      -1,
      -(2 ** 31),
      5,
      -1,
    ]);
  });

  it('leaves penalties out where the model answers them with an error', () => {
    const asked = { frequency_penalty: 0.5, presence_penalty: -0.5, temperature: 0, top_p: 0 };
    expect(configFor(asked)).toEqual({ temperature: 0, topP: 0 });
    expect(configFor(asked, 'gemini-2.5-flash')).toEqual({ temperature: 0, topP: 0 });
    expect(configFor(asked, 'gemini-2.0-flash')).toEqual({
      temperature: 0,
      topP: 0,
      frequencyPenalty: 0.5,
      presencePenalty: -0.5,
    });
  });

  it.each<[string, Partial<ChatRequest>]>([
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true, top_logprobs: 2 }],
    ['top_logprobs', { top_logprobs: 2 }],
    ['logit_bias', { logit_bias: { 50256: -100 } }],
    ['tool_choice', { tool_choice: 'required' }],
  ])('refuses %s by name', (param, changes) => {
    expect(() => bodyFor(changes)).toThrow(refusal(param));
  });

  it('takes these where they ask for nothing', () => {
    const idle = { n: 1, logprobs: false, top_logprobs: 0, logit_bias: {}, tool_choice: 'none', tools: [] } as const;
    expect(bodyFor(idle)).toEqual(bodyFor({}));
  });

  it('never changes the request', () => {
    const schema = Object.freeze({ type: 'object', $schema: 'x', properties: Object.freeze({}) });
    const json_schema = Object.freeze({ name: 'a', strict: true, description: 'd', schema });
    const asked: ChatRequest = Object.freeze({
      model: 'm',
      messages: Object.freeze([Object.freeze({ role: 'system', content: 'x' } as const), ...messages]),
      response_format: Object.freeze({ type: 'json_schema', json_schema } as const),
    });
    for (const model of [newest, 'gemini-2.0-flash', 'gemma-4-31b-it'])
      expect(() => toGeminiBody(asked, model)).not.toThrow();
  });
});

describe('the detail of images', () => {
  const image = (detail?: 'auto' | 'low' | 'high') => ({
    type: 'image_url' as const,
    image_url: { url: 'data:image/png;base64,aGk=', detail },
  });
  const resolutionOf = (content: readonly ReturnType<typeof image>[], model?: string) =>
    configFor({ messages: [{ role: 'user', content }] }, model)?.mediaResolution;

  it('counts where all images agree, on models that know it', () => {
    expect(resolutionOf([image('low'), image('low')])).toBe('MEDIA_RESOLUTION_LOW');
    expect(resolutionOf([image('high')])).toBe('MEDIA_RESOLUTION_HIGH');
    expect(resolutionOf([image('low'), image('high')])).toBeUndefined();
    expect(resolutionOf([image('low'), image()])).toBeUndefined();
    expect(resolutionOf([image('auto')])).toBeUndefined();
    expect(resolutionOf([image('low')], 'gemini-2.0-flash')).toBeUndefined();
  });
});

describe('an answer in JSON', () => {
  const schema = { type: 'object', properties: { a: { type: ['string', 'null'] } }, additionalProperties: false };
  const format = { type: 'json_schema', json_schema: { name: 'a', schema, description: 'An a' } } as const;
  const tools = [{ type: 'function', function: { name: 'f' } }] as const;

  it('is described by the schema as it is, or by the subset that older models take', () => {
    expect(configFor({ response_format: format })).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: { description: 'An a', ...schema },
    });
    expect(configFor({ response_format: format }, 'gemini-2.0-flash')).toEqual({
      responseMimeType: 'application/json',
      responseSchema: {
        type: 'OBJECT',
        description: 'An a',
        properties: { a: { type: 'STRING', nullable: true } },
      },
    });
    expect(configFor({ response_format: { type: 'json_object' } })).toEqual({ responseMimeType: 'application/json' });
    expect(configFor({ response_format: { type: 'text' } })).toEqual({});
  });

  it('goes with tools on newer models only', () => {
    const both = { response_format: format, tools };
    expect(bodyFor(both)).toMatchObject({ tools: [{}], generationConfig: { responseMimeType: 'application/json' } });
    expect(() => bodyFor(both, 'gemini-2.5-flash')).toThrow(refusal('response_format'));
    expect(() => bodyFor({ response_format: format }, 'gemma-3-27b-it')).toThrow(refusal('response_format'));
    expect(() => bodyFor({ tools }, 'gemma-3-27b-it')).toThrow(refusal('tools'));
  });
});

describe('tools', () => {
  const tool = (parameters?: object, strict?: boolean): ChatTool => ({
    type: 'function',
    function: { name: 'f', parameters: parameters as ChatTool['function']['parameters'], strict },
  });
  const declarationOf = (parameters: object | undefined, model?: string) =>
    bodyFor({ tools: [tool(parameters)] }, model).tools?.[0].functionDeclarations[0];

  it('come as one entry, and with the whole schema', () => {
    const parameters = { type: 'object', oneOf: [{}], additionalProperties: false, $defs: { A: {} } };
    const { tools, toolConfig } = bodyFor({ tools: [tool(parameters), tool()] });
    expect(tools).toEqual([{ functionDeclarations: [{ name: 'f', parametersJsonSchema: parameters }, { name: 'f' }] }]);
    expect(toolConfig).toBeUndefined();
  });

  it('have no parameters where there are none, which older models insist on', () => {
    expect(declarationOf({})).toEqual({ name: 'f' });
    expect(declarationOf({ properties: { a: {} } })).toMatchObject({ parametersJsonSchema: { type: 'object' } });
    expect(declarationOf({ type: 'object', properties: {} }, 'gemini-2.0-flash')).toEqual({ name: 'f' });
    expect(declarationOf({ properties: { a: { const: 1 } } }, 'gemini-2.0-flash')).toEqual({
      name: 'f',
      parameters: { type: 'OBJECT', properties: { a: { type: 'NUMBER', enum: ['1'], format: 'enum' } } },
    });
  });

  it('names the tool whose schema cannot be told', () => {
    const tools = [tool(), tool({ properties: { a: { $ref: '#' } } })];
    expect(() => bodyFor({ tools }, 'gemini-2.0-flash')).toThrow(refusal('tools[1].function.parameters'));
  });

  it.each<[ChatRequest['tool_choice'], boolean, object | undefined]>([
    [undefined, false, undefined],
    [undefined, true, { mode: 'VALIDATED' }],
    ['auto', false, { mode: 'AUTO' }],
    ['auto', true, { mode: 'VALIDATED' }],
    ['none', true, { mode: 'NONE' }],
    ['required', true, { mode: 'ANY' }],
    [{ type: 'function', function: { name: 'f' } }, false, { mode: 'ANY', allowedFunctionNames: ['f'] }],
  ])('are chosen from as %j says (strict: %s)', (choice, strict, expected) => {
    const { toolConfig } = bodyFor({ tools: [tool(undefined, strict)], tool_choice: choice });
    expect(toolConfig?.functionCallingConfig).toEqual(expected);
  });
});

describe('how hard to think', () => {
  const thinkingOf = (effort: ReasoningEffort, model: string, cap?: number) =>
    configFor({ reasoning_effort: effort, max_completion_tokens: cap }, model)?.thinkingConfig;
  const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

  it.each([
    ['gemini-3.5-flash', ['MINIMAL', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'HIGH', 'HIGH']],
    ['gemini-3.8-flash', ['LOW', 'LOW', 'LOW', 'MEDIUM', 'HIGH', 'HIGH', 'HIGH']],
    ['gemini-3-pro-preview', ['LOW', 'LOW', 'LOW', 'HIGH', 'HIGH', 'HIGH', 'HIGH']],
    ['gemini-3.1-pro-preview', ['LOW', 'LOW', 'LOW', 'MEDIUM', 'HIGH', 'HIGH', 'HIGH']],
    ['gemini-4-argon', ['LOW', 'LOW', 'LOW', 'MEDIUM', 'HIGH', 'HIGH', 'HIGH']],
    ['gemini-flash-latest', ['LOW', 'LOW', 'LOW', 'MEDIUM', 'HIGH', 'HIGH', 'HIGH']],
    ['a-name-of-next-year', ['LOW', 'LOW', 'LOW', 'MEDIUM', 'HIGH', 'HIGH', 'HIGH']],
  ])('is a level on %s', (model, levels) => {
    expect(efforts.map((effort) => thinkingOf(effort, model)?.thinkingLevel)).toEqual(levels);
    expect(efforts.map((effort) => thinkingOf(effort, model)?.includeThoughts)).toEqual([
      false,
      ...Array(6).fill(true),
    ]);
  });

  it.each([
    ['gemini-2.5-flash', undefined, [0, 491, 2_457, 7_372, 14_745, 22_118, 22_118]],
    ['gemini-2.5-flash-lite', undefined, [0, 512, 2_457, 7_372, 14_745, 22_118, 22_118]],
    ['gemini-2.5-pro', undefined, [128, 655, 3_276, 9_830, 19_660, 29_491, 29_491]],
    ['gemini-2.5-pro', 1_000, [128, 128, 128, 300, 600, 900, 900]],
  ])('is a budget on %s with the cap %s, so that words still fit', (model, cap, budgets) => {
    expect(efforts.map((effort) => thinkingOf(effort, model, cap)?.thinkingBudget)).toEqual(budgets);
  });

  it('is refused where nothing is thought, and left to the model where nothing is asked', () => {
    expect(() => thinkingOf('low', 'gemini-2.0-flash')).toThrow(refusal('reasoning_effort'));
    expect(thinkingOf('none', 'gemini-2.0-flash')).toBeUndefined();
    expect(configFor({}, 'gemini-2.5-pro')).toEqual({});
  });
});
