import { Secret } from '../kernel/secret.js';
import { anthropicAdapter } from './anthropic/anthropic-adapter.js';
import { type ChatParam, chatParams } from './chat-request-shape.js';
import type { ChatRequest } from './chat-types.js';
import { geminiAdapter } from './gemini/gemini-adapter.js';

/** Of each parameter a value that asks for something. A new one has a line here, or this does not compile. */
const values: { readonly [Param in ChatParam]: NonNullable<ChatRequest[Param]> } = {
  n: 2,
  temperature: 0.5,
  top_p: 0.5,
  frequency_penalty: 1,
  presence_penalty: 1,
  stop: ['END'],
  seed: 7,
  logprobs: true,
  top_logprobs: 2,
  logit_bias: { 50: 1 },
  tools: [{ type: 'function', function: { name: 'f' } }],
  tool_choice: 'required',
  parallel_tool_calls: false,
  response_format: { type: 'json_object' },
  reasoning_effort: 'high',
  verbosity: 'low',
};

/** What a native adapter leaves out in silence; `docs/api.md` says the same. */
const native = [
  {
    adapter: anthropicAdapter,
    upstreamModel: 'claude-sonnet-4-6',
    leftOut: ['frequency_penalty', 'presence_penalty', 'seed', 'logit_bias', 'verbosity'],
  },
  {
    adapter: geminiAdapter,
    upstreamModel: 'gemini-3.8-flash',
    leftOut: ['frequency_penalty', 'presence_penalty', 'parallel_tool_calls', 'verbosity'],
  },
] as const;

describe.each(native)('a parameter for $upstreamModel', ({ adapter, upstreamModel, leftOut }) => {
  const target = { kind: 'http', providerId: 'acme', adapter, baseUrl: 'http://x', upstreamModel } as const;

  function outcomeOf(params: Partial<ChatRequest>): string {
    const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...params } as const;
    try {
      return JSON.stringify(adapter.buildRequest(request, { ...target, apiKey: new Secret('k') }).body);
    } catch (error) {
      return String(error);
    }
  }

  it('is translated or refused, or is one of those that are left out in silence', () => {
    const silent = chatParams.filter((param) => {
      // The other fields of tools say nothing without any.
      const before = param === 'tools' ? {} : { tools: values.tools };
      return outcomeOf({ ...before, [param]: values[param] }) === outcomeOf(before);
    });
    expect(silent).toEqual(leftOut);
  });
});
