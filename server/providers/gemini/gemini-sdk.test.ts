import {
  type Content,
  type FunctionCall,
  type FunctionCallingConfig,
  type FunctionDeclaration,
  type FunctionResponse,
  type GenerateContentConfig,
  type GenerateContentParameters,
  type GenerationConfig,
  GoogleGenAI,
  type Part,
  type Schema,
  type Blob as SdkBlob,
  type ThinkingConfig,
  type Tool,
} from '@google/genai';
import { Secret } from '../../kernel/secret.js';
import type { OnTheWire } from '../../test/provider-contracts/gemini-answers.js';
import { geminiContract } from '../../test/provider-contracts/gemini-contract.js';
import type { ChatRequest } from '../chat-types.js';
import type { HttpTarget } from '../provider-adapter.js';
import { geminiAdapter } from './gemini-adapter.js';
import { toGeminiBody } from './gemini-request.js';
import type {
  GeminiContent,
  GeminiDataPart,
  GeminiFunctionCallingConfig,
  GeminiFunctionCallPart,
  GeminiFunctionDeclaration,
  GeminiFunctionResponsePart,
  GeminiGenerationConfig,
  GeminiPart,
  GeminiRequestBody,
  GeminiSchema,
  GeminiThinkingConfig,
} from './gemini-wire.js';

/*
 * Google's own SDK as the judge of what we send. Compilation fails when our types leave the SDK's, and at run time the SDK
 * must send for the same parameters the very request that we send. Where its names differ from REST: it calls
 * `generationConfig` `config`, and keeps `systemInstruction`, `tools` and `toolConfig` in there, which REST has beside it.
 */

/** Every field of ours that theirs has not; a type without such is `never`. */
type UnknownField<Ours, Theirs> = Ours extends unknown ? Exclude<keyof Ours, keyof Theirs> : never;

interface UnknownFields {
  content: UnknownField<GeminiContent, Content>;
  part: UnknownField<GeminiPart, Part>;
  data: UnknownField<GeminiDataPart['inlineData'], SdkBlob>;
  call: UnknownField<GeminiFunctionCallPart['functionCall'], FunctionCall>;
  response: UnknownField<GeminiFunctionResponsePart['functionResponse'], FunctionResponse>;
  tool: UnknownField<NonNullable<GeminiRequestBody['tools']>[0], Tool>;
  declaration: UnknownField<GeminiFunctionDeclaration, FunctionDeclaration>;
  calling: UnknownField<GeminiFunctionCallingConfig, FunctionCallingConfig>;
  generation: UnknownField<GeminiGenerationConfig, GenerationConfig>;
  thinking: UnknownField<GeminiThinkingConfig, ThinkingConfig>;
  schema: UnknownField<GeminiSchema, Schema>;
  body: Exclude<keyof GeminiRequestBody, 'contents' | 'generationConfig' | keyof GenerateContentConfig>;
}

// What of the SDK's parameters is data; the rest is for the SDK itself, or may be written in several forms.
type SdkConfig = Omit<
  GenerateContentConfig,
  'httpOptions' | 'abortSignal' | 'automaticFunctionCalling' | 'systemInstruction' | 'tools' | 'responseSchema'
> & { systemInstruction?: Content; tools?: Tool[]; responseSchema?: Schema };

interface SdkParameters {
  readonly model: string;
  readonly contents: OnTheWire<Content[]>;
  readonly config: OnTheWire<SdkConfig>;
}

// With an unknown field this gives nothing, so it does not compile.
type Checked<Value> = UnknownFields[keyof UnknownFields] extends never ? Value : never;

function toSdkParameters(model: string, body: GeminiRequestBody): Checked<SdkParameters> {
  const { contents, generationConfig, ...others } = body;
  return { model, contents, config: { ...generationConfig, ...others } };
}

describe('what we send, held against Google’s SDK', () => {
  const sdk = new GoogleGenAI({ apiKey: 'canary', httpOptions: { baseUrl: 'https://google.test' } });
  const realFetch = globalThis.fetch;
  let seen: { url: string; headers: Headers; body: unknown } | null = null;
  let answer = '{}';

  const realWarn = console.warn;

  // The SDK's own connection cannot be made inside of a test's sandbox, and it warns of every answer that holds more than text.
  beforeAll(() => {
    console.warn = () => {};
    globalThis.fetch = async (url, options) => {
      seen = { url: String(url), headers: new Headers(options?.headers), body: JSON.parse(String(options?.body)) };
      return new Response(answer, { headers: { 'content-type': 'application/json' } });
    };
  });
  afterAll(() => {
    globalThis.fetch = realFetch;
    console.warn = realWarn;
  });

  function build(request: Omit<ChatRequest, 'model'>, upstreamModel: string) {
    const target: HttpTarget = {
      kind: 'http',
      providerId: 'gemini',
      adapter: geminiAdapter,
      baseUrl: 'https://google.test/v1beta',
      apiKey: new Secret('canary'),
      upstreamModel,
    };
    return geminiAdapter.buildRequest({ ...request, model: 'public-name' }, target);
  }

  const cases = Object.entries(geminiContract.cases);
  const families = ['gemini-3.8-flash', 'gemini-2.5-flash', 'gemini-2.0-flash'];
  const requests = cases.flatMap(([name, { request }]) =>
    families
      .filter((model) => model !== 'gemini-2.0-flash' || name !== 'reasoning')
      .map((model) => [name, model, request] as const),
  );

  it.each(requests)('is what the SDK sends: %s, %s', async (_name, upstreamModel, request) => {
    answer = '{"candidates":[]}';
    const ours = build(request, upstreamModel);
    const body = toGeminiBody({ ...request, model: 'public-name' }, upstreamModel);
    // Our types have no enumerations, which the SDK's types insist on.
    await sdk.models.generateContent(toSdkParameters(upstreamModel, body) as GenerateContentParameters);
    expect(ours.url).toBe(seen?.url);
    expect(JSON.parse(JSON.stringify(ours.body))).toEqual(seen?.body);
    expect(ours.headers['x-goog-api-key']).toBe(seen?.headers.get('x-goog-api-key'));
  });

  it('asks for a stream where the SDK does', async () => {
    const messages = [{ role: 'user', content: 'Hi' }] as const;
    await sdk.models.generateContentStream({ model: 'gemini-3.8-flash', contents: 'Hi' });
    expect(build({ messages, stream: true }, 'gemini-3.8-flash').url).toBe(seen?.url);
  });

  it.each(cases)('reads the recorded answer as the SDK does: %s', async (_name, { answer: recorded, expected }) => {
    answer = JSON.stringify(recorded);
    const read = await sdk.models.generateContent({ model: 'gemini-3.8-flash', contents: 'Hi' });
    expect(read.text ?? null).toBe(expected.message.content);
    const names = expected.message.tool_calls?.map((call) => call.function.name);
    expect(read.functionCalls?.map(({ name }) => name)).toEqual(names);
  });
});
