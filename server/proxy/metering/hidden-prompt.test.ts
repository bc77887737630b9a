import { Secret } from '../../kernel/secret.js';
import type { ChatRequest } from '../../providers/chat-types.js';
import { buildCatalogue } from '../../providers/model-catalogue.js';
import { estimateCall } from './estimate-call.js';

const on = { apiKey: new Secret('sk-ours'), baseUrl: null };
const catalogue = buildCatalogue({ providers: { anthropic: on, openai: on }, isDemoProviderOn: false });
const tools = [{ type: 'function', function: { name: 'f' } }] as const;

describe('the hold of a call with tools', () => {
  it.each([
    ['claude-opus-5', 1_024],
    ['gpt-4o', 0],
  ])('covers what the provider of %s itself puts before the prompt: %i tokens', (model, hiddenTokens) => {
    const request: ChatRequest = { model, messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 9 };
    const plain = estimateCall(request, catalogue).promptTokensMax;
    const withTools = estimateCall({ ...request, tools }, catalogue).promptTokensMax;
    expect(withTools - plain).toBe(JSON.stringify(tools).length + hiddenTokens);
  });
});
