import { Secret } from '../../kernel/secret.js';
import { providerCatalogue } from '../catalogue.js';
import type { ChatRequest } from '../chat-types.js';
import type { HttpTarget } from '../provider-adapter.js';

const request: ChatRequest = { model: 'public-name', messages: [{ role: 'user', content: 'Hi' }] };

function targetOf(providerId: string, upstreamModel = 'their-name', apiKey: string | null = 'sk-ours'): HttpTarget {
  const provider = providerCatalogue.find(({ id }) => id === providerId);
  if (!provider) throw new Error(`no provider ${providerId}`);
  const { adapter, baseUrl } = provider;
  return {
    kind: 'http',
    providerId,
    adapter,
    baseUrl,
    apiKey: apiKey === null ? null : new Secret(apiKey),
    upstreamModel,
  };
}

function bodyFor(target: HttpTarget, changes: Partial<ChatRequest> = {}): Record<string, unknown> {
  return JSON.parse(JSON.stringify(target.adapter.buildRequest({ ...request, ...changes }, target).body));
}

describe('buildOpenAiRequest', () => {
  it("posts to the provider's chat route with our key and nothing compressed", () => {
    const target = targetOf('groq');
    const { url, headers } = target.adapter.buildRequest(request, target);
    expect(url).toBe('https://api.groq.com/openai/v1/chat/completions');
    expect(headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'tollgate',
      authorization: 'Bearer sk-ours',
    });
  });

  it('sends no authorization where there is no key', () => {
    const target = targetOf('ollama', 'llama3.2', null);
    expect(target.adapter.buildRequest(request, target).headers).not.toHaveProperty('authorization');
  });

  it("sends the provider's own model name and nothing that was not asked for", () => {
    expect(bodyFor(targetOf('deepseek'))).toEqual({ model: 'their-name', messages: [{ role: 'user', content: 'Hi' }] });
  });

  it('lets no field through that is not on the list, the caller’s user least of all', () => {
    const smuggled = {
      ...request,
      safety_identifier: 'jane',
      user: 'jane@example.org',
      service_tier: 'priority',
      store: true,
    } as ChatRequest;
    expect(Object.keys(bodyFor(targetOf('openai'), smuggled))).toEqual(['model', 'messages']);
  });

  it('keeps to itself what another provider wants back with its tool calls', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } } as const;
    const signed = { ...call, extra_content: { google: { thought_signature: 'c2ln' } } };
    const messages = [{ role: 'assistant', tool_calls: [signed] }] as const;
    expect(bodyFor(targetOf('openai'), { ...request, messages }).messages).toMatchObject([{ tool_calls: [call] }]);
    expect(JSON.stringify(bodyFor(targetOf('openai'), { ...request, messages }))).not.toContain('c2ln');
  });

  describe('the thinking of earlier answers', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } } as const;
    const messages = [
      { role: 'assistant', tool_calls: [call], reasoning_content: 'I must look.' },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
      { role: 'assistant', content: 'Done.' },
    ] as const;
    const sent = (providerId: string, model: string, field = 'reasoning_content') =>
      (bodyFor(targetOf(providerId, model), { messages }).messages as Record<string, unknown>[]).map(
        (sentAs) => sentAs[field],
      );

    it.each([
      ['deepseek', 'deepseek-reasoner'],
      ['deepseek', 'deepseek-v4-pro'],
      ['moonshot', 'kimi-k2-thinking'],
      ['moonshot', 'kimi-k2.6'],
    ])('goes back to %s, and %s is given a blank with each call that has none', (providerId, model) => {
      expect(sent(providerId, model)).toEqual(['I must look.', undefined, ' ', undefined, undefined]);
    });

    it.each([
      ['deepseek', 'deepseek-chat', 'reasoning_content'],
      ['moonshot', 'kimi-k2-0905-preview', 'reasoning_content'],
      ['fireworks', 'accounts/fireworks/models/gpt-oss-120b', 'reasoning_content'],
      ['vllm', 'house', 'reasoning'],
    ])('goes back to %s, where %s needs none, under the name %s', (providerId, model, field) => {
      expect(sent(providerId, model, field)).toEqual(['I must look.', ...Array(4).fill(undefined)]);
    });

    it('goes to no other provider', () => {
      const others = providerCatalogue.filter(({ dialect }) => dialect?.reasoningField === null).map(({ id }) => id);
      expect(others).toEqual(expect.arrayContaining(['openai', 'azure', 'groq', 'mistral', 'xai', 'openrouter']));
      for (const id of others)
        expect(JSON.stringify(bodyFor(targetOf(id, 'gpt-oss-120b'), { messages }))).not.toMatch(/I must look|reason/);
    });
  });

  it('sends every parameter of the list', () => {
    type Sent = Exclude<
      keyof ChatRequest,
      | 'stream'
      | 'model'
      | 'messages'
      | 'max_completion_tokens'
      | 'safety_identifier'
      | 'isOutputCapOptional'
      | 'isReasoningEffortOptional'
      | 'isThinkingAsked'
      | 'isThinkingBetweenTools'
      | 'topK'
      | 'embedding'
    >;
    const all: Required<Pick<ChatRequest, Sent>> = {
      n: 2,
      temperature: 0,
      top_p: 0.5,
      frequency_penalty: 1,
      presence_penalty: -1,
      stop: ['x'],
      seed: 7,
      logprobs: true,
      top_logprobs: 2,
      logit_bias: { 50256: -100 },
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      tool_choice: 'auto',
      parallel_tool_calls: false,
      response_format: { type: 'json_object' },
      reasoning_effort: 'low',
      verbosity: 'low',
    };
    expect(bodyFor(targetOf('openai', 'gpt-4o'), all)).toMatchObject(all);
  });

  it.each([
    ['openai', { include_usage: true, include_obfuscation: false }],
    ['together', { include_usage: true }],
    ['mistral', undefined],
  ])('asks %s for usage in streams the way it wants', (providerId, streamOptions) => {
    const body = bodyFor(targetOf(providerId), { stream: true });
    expect(body.stream).toBe(true);
    expect(body.stream_options).toEqual(streamOptions);
  });

  it.each([
    ['openai', 'gpt-4o', 'max_tokens'],
    ['openai', 'gpt-5-mini', 'max_completion_tokens'],
    ['openai', 'gpt-5.1', 'max_completion_tokens'],
    ['openai', 'o4-mini', 'max_completion_tokens'],
    ['openai', 'gpt-5-chat-latest', 'max_tokens'],
    ['groq', 'openai/gpt-oss-120b', 'max_tokens'],
  ])('tells %s the cap of %s in %s', (providerId, upstreamModel, field) => {
    const body = bodyFor(targetOf(providerId, upstreamModel), { max_completion_tokens: 50 });
    expect(body[field]).toBe(50);
    expect(Object.keys(body)).toHaveLength(3);
  });

  it('leaves out what a reasoning model refuses, except where there is no reasoning', () => {
    const sampling = { temperature: 0.2, top_p: 0.9, frequency_penalty: 1, logit_bias: {} };
    expect(Object.keys(bodyFor(targetOf('openai', 'o3'), sampling))).toEqual(['model', 'messages']);
    const unreasoned = bodyFor(targetOf('openai', 'gpt-5.1'), { ...sampling, reasoning_effort: 'none' });
    expect(Object.keys(unreasoned)).toEqual(['model', 'messages', 'temperature', 'top_p', 'reasoning_effort']);
  });

  it('renames and drops as the provider needs', () => {
    expect(bodyFor(targetOf('mistral'), { seed: 7 })).toMatchObject({ random_seed: 7 });
    expect(bodyFor(targetOf('cerebras'), { parallel_tool_calls: true })).not.toHaveProperty('parallel_tool_calls');
  });

  it('sends the developer role only to those who know it', () => {
    const messages = [{ role: 'developer', content: 'Be brief' }] as const;
    expect(bodyFor(targetOf('openai'), { messages }).messages).toMatchObject([{ role: 'developer' }]);
    expect(bodyFor(targetOf('xai'), { messages }).messages).toMatchObject([{ role: 'system' }]);
  });

  it.each([[''], [[]], [undefined]])('sends null for the empty content %j beside tool calls', (content) => {
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } } as const;
    const messages = [{ role: 'assistant', content, tool_calls: [call] }] as const;
    expect(bodyFor(targetOf('openai'), { messages }).messages).toEqual([
      { role: 'assistant', content: null, tool_calls: [call] },
    ]);
  });
});
