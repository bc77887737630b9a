import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { changeKey, findKeyId } from '../../test/test-keys.js';

const call = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 };
const here = { 'x-forwarded-for': '192.0.2.7' };

// Each permission: settings that the call keeps, settings that it breaks, and the refusal.
const permissions: readonly [string, object, object, { status: number; code: string; says: RegExp }][] = [
  [
    'scopes',
    { scopes: ['CHAT'] },
    { scopes: ['USAGE_READ', 'KEYS_WRITE', 'BILLING_WRITE'] },
    { status: 403, code: 'missing_scope', says: /lacks the scope `chat`/ },
  ],
  [
    'models',
    { models: ['demo-large', 'demo-small'] },
    { models: ['demo-large'] },
    { status: 403, code: 'model_not_allowed', says: /may not call the model `demo-small`/ },
  ],
  [
    'providers',
    { providers: ['demo'] },
    { providers: ['openai'] },
    { status: 403, code: 'provider_not_allowed', says: /answered by `openai` only/ },
  ],
  [
    'addresses',
    { addresses: ['203.0.113.9', '192.0.2.0/24'] },
    { addresses: ['203.0.113.9', '2001:db8::/32'] },
    { status: 403, code: 'ip_not_authorized', says: /from the address 192\.0\.2\.7/ },
  ],
  [
    'spendLimit',
    { spendLimit: 1, spendPeriod: 'WEEK' },
    { spendLimit: 0, spendPeriod: 'WEEK' },
    { status: 402, code: 'key_limit_exceeded', says: /spend limit/ },
  ],
];

describeOnEachDatabase('The permissions of a key', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { TRUST_PROXY: '1' });
  const account = app.accountForEach(5);
  const refusalOf = async (response: Response) => {
    const { error } = (await response.json()) as { error: { code: string; message: string; metadata: object } };
    return { status: response.status, ...error };
  };

  it.each(permissions)('%s: a call that keeps it is answered', async (_, kept) => {
    await changeKey(app, account, kept);
    expect((await app.call(account.secret, call, '', here)).status).toBe(200);
  });

  it.each(permissions)(
    '%s: a call that breaks it is refused by name, before anything is held',
    async (name, _, broken, refusal) => {
      await changeKey(app, account, broken);
      const { status, code, message, metadata } = await refusalOf(await app.call(account.secret, call, '', here));
      expect({ status, code }).toEqual({ status: refusal.status, code: refusal.code });
      expect(message).toMatch(refusal.says);
      expect(metadata).toMatchObject({ permission: name });
      expect(await app.query(`SELECT id FROM ledger_hold WHERE wallet = '${account.accountId}'`)).toEqual([]);
    },
  );

  it.each(permissions)('%s: what is allowed once more counts for the very next call', async (_, kept, broken) => {
    await changeKey(app, account, broken);
    expect((await app.call(account.secret, call, '', here)).status).not.toBe(200);
    await changeKey(app, account, kept);
    expect((await app.call(account.secret, call, '', here)).status).toBe(200);
  });

  it('requestsPerMinute: its own rate is kept below the account’s, and told in the headers', async () => {
    await changeKey(app, account, { requestsPerMinute: 2 });
    const answers = [];
    for (let n = 0; n < 3; n += 1) answers.push(await app.call(account.secret, call, '', here));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining-requests'))).toEqual(['1', '0', '0']);
    expect(answers[2]?.headers.get('x-ratelimit-limit-requests')).toBe('2');
    expect(await refusalOf(answers[2] as Response)).toMatchObject({
      code: 'rate_limit_exceeded',
      message: expect.stringMatching(/This API key may make 2 requests per minute/),
    });
  });

  it('expiresAt: a key works until then, and after it is answered as a wrong one', async () => {
    await changeKey(app, account, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    expect((await app.call(account.secret, call, '', here)).status).toBe(200);
    const keyId = await findKeyId(app, account);
    // Remembered as valid: the hold finds out.
    await app.query(`UPDATE api_key SET expires_at_ms = 1 WHERE id = '${keyId}'`);
    expect(await refusalOf(await app.call(account.secret, call, '', here))).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    });
    const read = await fetch(`${app.proxyUrl}/key`, {
      headers: { authorization: `Bearer ${account.secret}`, ...here },
    });
    expect(await refusalOf(read)).toMatchObject({ status: 401, code: 'invalid_api_key' });
  });

  it.each([
    ['/credits', 'USAGE_READ', 'CHAT', 200],
    ['/calls/call_0123456789ABCDEFGHJKMNPQRS', 'USAGE_READ', 'CHAT', 404],
    ['/key', 'BILLING_WRITE', null, 200],
    ['/models', 'BILLING_WRITE', null, 200],
  ])('GET %s is for keys with %s', async (path, allowed, refused, status) => {
    const ask = () =>
      fetch(`${app.proxyUrl}${path}`, { headers: { authorization: `Bearer ${account.secret}`, ...here } });
    await changeKey(app, account, { scopes: [allowed] });
    expect((await ask()).status).toBe(status);
    if (refused === null) return;
    await changeKey(app, account, { scopes: [refused] });
    expect(await refusalOf(await ask())).toMatchObject({ status: 403, code: 'missing_scope' });
  });

  it('believes one proxy about the address, and no more than one', async () => {
    await changeKey(app, account, { addresses: ['192.0.2.7'] });
    const from = async (forwarded: string) =>
      (await app.call(account.secret, call, '', { 'x-forwarded-for': forwarded })).status;
    expect(await from('203.0.113.5, 192.0.2.7')).toBe(200);
    expect(await from('::ffff:192.0.2.7')).toBe(200);
    expect(await from('203.0.113.5, 192.0.2.7:50123')).toBe(200);
    expect(await from('192.0.2.7, 203.0.113.5')).toBe(403);
    expect(await from('192.0.2.7, 203.0.113.5:50123')).toBe(403);
    expect(await from('nonsense')).toBe(403);
  });

  it('writes no secret into the log, through making, changing, rotating, refusing and revoking', () => {
    expect(app.logLines.length).toBeGreaterThan(20);
    expect(app.logLines.join('\n')).not.toMatch(/sk-tg-[0-9A-Za-z]{10,}/);
  });
});
