import { Secret } from '../kernel/secret.js';
import type { RefusalFacts } from './read-refusal.js';
import {
  createBrokenError,
  createInBandError,
  createRefusalError,
  createUnreadableError,
  createUnsentError,
  RouteFaultError,
} from './upstream-error.js';

function refuse(status: number, facts: Partial<Omit<RefusalFacts, 'words'>> & Partial<RefusalFacts['words']> = {}) {
  const { message = null, param = null, code = null, ...rest } = facts;
  const words = { message, param, code };
  return createRefusalError({
    providerId: 'acme',
    status,
    retryAfterMs: null,
    apiKey: null,
    upstreamModel: null,
    words,
    ...rest,
  });
}

describe('createRefusalError', () => {
  it.each([
    [307, 'provider_error'],
    [400, 'provider_rejected'],
    [401, 'provider_unavailable'],
    [402, 'provider_unavailable'],
    [403, 'provider_unavailable'],
    [404, 'provider_rejected'],
    [408, 'provider_timeout'],
    [413, 'provider_rejected'],
    [418, 'provider_error'],
    [422, 'provider_rejected'],
    [429, 'provider_rate_limited'],
    [500, 'provider_error'],
    [502, 'provider_error'],
    [503, 'provider_overloaded'],
    [504, 'provider_timeout'],
    [529, 'provider_overloaded'],
  ])('maps status %d to %s, and names the provider', (status, code) => {
    const error = refuse(status);
    expect(error).toMatchObject({ code, metadata: { provider: 'acme' } });
    expect(error.message).toContain('acme');
  });

  it.each([
    [429, 'insufficient_quota'],
    [400, 'billing_hard_limit_reached'],
  ])('takes %d with %s as our fault, not the caller’s', (status, code) => {
    expect(refuse(status, { code, message: 'add money to org-123' })).toMatchObject({ code: 'provider_unavailable' });
  });

  it.each([
    'Your input was flagged.',
    'Content violates usage guidelines: "my diary"',
    'Blocked by our content policy',
  ])('takes 403 with the words %s as the request’s fault, and keeps them out of the log', (message) => {
    const error = refuse(403, { message, code: 'permission_denied' });
    expect(error).toMatchObject({ code: 'provider_rejected', innerReason: 'status 403, code permission_denied' });
    expect(error.message).toContain(message);
  });

  it.each([
    [
      429,
      'Request too large for gpt-4o in organization org-a1b2c3d4 on tokens per min (TPM): Limit 30000, Requested 34238. Reduce it.',
    ],
    [
      429,
      'Request too large for model `gpt-oss-120b` in organization `org_01kg` service tier `on_demand` on tokens per minute (TPM): Limit 8000, Requested 8001, please reduce your message size.',
    ],
    [
      413,
      'Request too large for model `gpt-oss-120b` in organization `org_01kg` service tier `on_demand` on tokens per minute (TPM): Limit 8000, Requested 8001, please reduce your message size.',
    ],
  ])(
    'takes %d as the request’s fault where it has more tokens than a whole minute of ours, and says how many: %s',
    (status, message) => {
      const error = refuse(status, { message, code: 'rate_limit_exceeded', retryAfterMs: 5_000 });
      expect(error).toMatchObject({ code: 'provider_rejected', metadata: { provider: 'acme' } });
      expect(error.message).toMatch(/(34238.*30000|8001.*8000)/);
      expect(error.message).not.toMatch(/org|tier/);
    },
  );

  it.each([
    'Rate limit reached for gpt-4o in organization org-a on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000.',
    'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 30000.',
    'Slow down: "Request too large for x: Limit 1, Requested 2"',
    'Request too large for gpt-4o.',
  ])('takes any other 429 as a rate that is reached: %s', (message) => {
    expect(refuse(429, { message })).toMatchObject({ code: 'provider_rate_limited' });
  });

  it('passes the wish to wait on, at most a minute', () => {
    expect(refuse(429, { retryAfterMs: 1_500 }).retryAfterMs).toBe(1_500);
    expect(refuse(503, { retryAfterMs: 3_600_000 }).retryAfterMs).toBe(60_000);
  });

  it('quotes the provider when the request is at fault, with the parameter', () => {
    const error = refuse(400, { message: "Invalid 'temperature': must be at most 2.", param: 'temperature' });
    expect(error.message).toBe("Provider acme refused this request: Invalid 'temperature': must be at most 2.");
    expect(error.param).toBe('temperature');
  });

  it.each([
    ['This model’s maximum context length is 8192 tokens', null],
    ['too much', 'context_length_exceeded'],
  ])('marks a prompt that is too long (%s)', (message, code) => {
    expect(refuse(400, { message, code }).metadata).toEqual({
      provider: 'acme',
      providerCode: 'context_length_exceeded',
    });
  });

  it('quotes nothing about our account, whatever the status', () => {
    for (const status of [307, 401, 402, 403, 408, 429, 500, 503]) {
      expect(refuse(status, { message: 'canary words' }).message).not.toContain('canary');
    }
  });

  it.each([
    'sk-proj-abcDEF1234567890',
    'key a-very-special-KEY!',
    'org-Tollgate123',
    'organization org_abc123',
    'proj_abc12345',
    'https://user:pass@internal.example/v1?x=1',
    'http://10.0.0.7:8000/v1',
    '10.0.0.7:8000',
    'api.acme.com',
    'db7.internal',
    'ops@acme.example',
    'Bearer abcdef',
    'req_0123456789abcdef',
    'f47ac10b58cc4372a5670e02b2c3d479',
    '2001:db8::7',
    'gpu7.corp:8000',
    'wrkspc_01JwQvzr7rXLA5AGx3HKfFUJ',
  ])('strikes %s out of what it quotes', (secret) => {
    const apiKey = new Secret('a-very-special-KEY!');
    const error = refuse(400, { message: `Wrong: ${secret} in field 'stop'.`, apiKey });
    const telling = secret.replace(/^(key|organization|Bearer) /, '');
    expect(error.message).not.toContain(telling);
    expect(error.message).toContain('Wrong:');
    expect(error.message).toContain("in field 'stop'");
  });

  it('shortens a long quote and takes control characters out', () => {
    const { message } = refuse(400, { message: `a\r\n\0b ${'word '.repeat(400)}` });
    expect(message.length).toBeLessThan(360);
    expect(message).toContain('a b word');
  });

  it('tells the operator status and code, and quotes only what speaks of our account', () => {
    const apiKey = new Secret('a-very-special-KEY!');
    const words = 'canary words about a-very-special-KEY!';
    for (const status of [401, 402, 429]) {
      const { innerReason } = refuse(status, { message: words, code: 'some_code', apiKey });
      expect(innerReason).toBe(`status ${status}, code some_code: canary words about [removed]`);
    }
    for (const status of [307, 400, 404, 408, 413, 422, 500, 503]) {
      expect(refuse(status, { message: words, code: 'some_code' }).innerReason).toBe(
        `status ${status}, code some_code`,
      );
    }
    expect(refuse(500, { code: 'words of a prompt' }).innerReason).toBe('status 500');
  });

  it('does not take a parameter that is none', () => {
    expect(refuse(400, { param: '<script>' }).param).toBeNull();
  });
});

describe('what no request can bring about', () => {
  it.each([
    [401, null, true],
    [429, 'insufficient_quota', true],
    [400, 'invalid_api_key', true],
    // OpenRouter's word for credits that are too few for so long an answer, a firewall's, and Anthropic's for so long a prompt.
    [402, null, false],
    [403, null, false],
    [429, null, false],
    [500, null, false],
    [503, null, false],
  ])('status %i with the code %s: %s', (status, code, expected) => {
    expect(refuse(status, { code }) instanceof RouteFaultError).toBe(expected);
  });
});

describe('createInBandError', () => {
  it('is a failure of the provider unless it names a status', () => {
    expect(createInBandError('acme', null, null).code).toBe('provider_error');
    expect(createInBandError('acme', 429, null).code).toBe('provider_rate_limited');
  });
});

describe('createBrokenError and createUnreadableError', () => {
  it('name to the operator what happened, without the message of a library, and to the caller only the remedy', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:443'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    });
    const broken = createBrokenError('acme', { hasBegun: false, cause });
    expect(broken.innerReason).toBe('Error connect ECONNREFUSED');
    const unreadable = createUnreadableError('acme', 'no choices');
    expect(unreadable.innerReason).toBe('no choices');
    for (const { message } of [broken, unreadable]) expect(message).not.toMatch(/ECONN|choices/);
  });
});

describe('createUnsentError', () => {
  const failing = (code: string) => Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' });

  it.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'EACCES', 'EPERM', 'EINVAL'])(
    'does not blame the provider for %s, which is a shortage of this machine, and says when to try again',
    (code) => {
      const error = createUnsentError('acme', failing(code));
      expect(error).toMatchObject({ code: 'service_unavailable', retryAfterMs: 2_000, metadata: null });
      expect(error.innerReason).toBe(`Error connect ${code}`);
      expect(error.message).not.toContain(code);
    },
  );

  it.each([
    ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'EPROTO'],
    ...['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'ERR_SSL_WRONG_VERSION_NUMBER', 'UND_ERR_SOCKET'],
  ])('takes %s for a failure of the provider or of the way to it', (code) => {
    expect(createUnsentError('acme', failing(code))).toMatchObject({ code: 'provider_error', retryAfterMs: null });
  });
});
