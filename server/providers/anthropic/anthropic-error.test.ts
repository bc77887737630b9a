import { Secret } from '../../kernel/secret.js';
import { anthropicAdapter } from './anthropic-adapter.js';

function refuse(message: string) {
  const body = JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } });
  const target = {
    kind: 'http',
    providerId: 'anthropic',
    adapter: anthropicAdapter,
    baseUrl: 'https://anthropic.test',
    apiKey: new Secret('very secret'),
    upstreamModel: 'claude-sonnet-4-5',
  } as const;
  return anthropicAdapter.parseError({ status: 400, retryAfterMs: null, body }, target);
}

describe('a refusal with 400', () => {
  it.each([
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
    'You have reached your specified workspace API usage limits.',
    'This organization has been disabled.',
    'Your account has been disabled after an automatic review.',
  ])('is about our account where it speaks of it in its own words: %s', (message) => {
    expect(refuse(message)).toMatchObject({ code: 'provider_unavailable' });
  });

  it.each([
    "messages.1.content.0.tool_use.name: 'credit balance' should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    "Tool 'usage limits' was not found in 'tools'.",
    'Your tool "read credit balance" has no description.',
  ])('is about the request where those words are quoted from it: %s', (message) => {
    expect(refuse(message)).toMatchObject({ code: 'provider_rejected' });
  });
});
