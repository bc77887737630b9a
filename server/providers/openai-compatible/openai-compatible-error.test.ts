import { Secret } from '../../kernel/secret.js';
import { createOpenAiCompatibleAdapter } from './openai-compatible-adapter.js';
import { parseOpenAiError } from './openai-compatible-error.js';
import { commonDialect } from './openai-dialect.js';

const target = {
  kind: 'http',
  providerId: 'acme',
  adapter: createOpenAiCompatibleAdapter(commonDialect),
  baseUrl: 'https://api.acme.example/v1',
  apiKey: new Secret('very secret'),
  upstreamModel: 'm',
} as const;

function parse(status: number, body: string) {
  return parseOpenAiError({ status, retryAfterMs: null, body }, target);
}

describe('parseOpenAiError', () => {
  it.each([
    ['{"error":{"message":"bad field","param":"stop","code":"unsupported_value"}}'],
    ['{"error":"bad field"}'],
    ['{"message":"bad field"}'],
    ['{"object":"error","message":"bad field","code":400}'],
    ['{"detail":"bad field"}'],
    ['{"detail":[{"loc":["body"],"msg":"bad field"}]}'],
    ['{"msg":"bad field"}'],
    ['{"error_msg":"bad field"}'],
  ])('finds the words in %s', (body) => {
    expect(parse(422, body).message).toBe('Provider acme refused this request: bad field');
  });

  it.each([['<html>nginx</html>'], [''], ['null'], ['[]'], ['{"error":{"message":7}}']])(
    'needs no words: %s',
    (body) => {
      expect(parse(400, body).message).toMatch(/^Provider acme refused this request\. /);
      expect(parse(500, body).code).toBe('provider_error');
    },
  );

  it('never quotes our key', () => {
    expect(parse(400, '{"error":{"message":"key very secret is wrong"}}').message).not.toContain('very secret');
  });

  it('sees an empty account behind 429', () => {
    const body =
      '{"error":{"message":"You exceeded your quota","type":"insufficient_quota","code":"insufficient_quota"}}';
    expect(parse(429, body).code).toBe('provider_unavailable');
  });
});
