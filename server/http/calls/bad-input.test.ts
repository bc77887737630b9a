import { type TestAccount, TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

const hello = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] };

interface ErrorBody {
  readonly error: { message: string; type: string; param: string | null; code: string | null };
}

describeOnEachDatabase('Bad input to the proxy', (openTestDatabase) => {
  let app: TestApp;
  let account: TestAccount;
  beforeAll(async () => {
    app = await TestApp.start(await openTestDatabase());
    account = await app.createAccount(5);
  });
  afterAll(async () => {
    // Nothing that was refused reached the provider or cost anything.
    expect(app.upstream.requests).toHaveLength(0);
    expect(await app.findWallet(account.accountId)).toEqual({ posted: 5_000_000, pending: 0 });
    expect(await app.query(`SELECT call_id FROM call_record WHERE account_id = '${account.accountId}'`)).toEqual([]);
    await app.close();
  });

  async function expectRefusal(
    response: Response,
    status: number,
    error: Partial<ErrorBody['error']>,
  ): Promise<ErrorBody['error']> {
    const body = (await response.json()) as ErrorBody;
    expect(response.status).toBe(status);
    expect(response.headers.get('x-request-id')).toMatch(/^call_/);
    expect(Object.keys(body.error)).toEqual(expect.arrayContaining(['message', 'type', 'param', 'code']));
    expect(body.error).toMatchObject(error);
    return body.error;
  }

  it.each([
    ['not JSON', '{"model":', { code: 'invalid_json', param: null }],
    ['no model', { messages: hello.messages }, { code: 'missing_required_parameter', param: 'model' }],
    ['empty messages', { ...hello, messages: [] }, { code: 'invalid_value', param: 'messages' }],
    [
      'content of the wrong type',
      { ...hello, messages: [{ role: 'user', content: 7 }] },
      { code: 'invalid_type', param: 'messages[0].content' },
    ],
    ['max_tokens of the wrong type', { ...hello, max_tokens: 'many' }, { code: 'invalid_type', param: 'max_tokens' }],
  ])('%s: 400 naming the field', async (_, body, error) => {
    await expectRefusal(await app.call(account.secret, body), 400, { ...error, type: 'invalid_request_error' });
  });

  it.each<[string, BufferEncoding]>([
    ['', 'utf16le'],
    ['\ufeff', 'utf16le'],
  ])('a body in UTF-16 that begins with %j: 400 that says to send UTF-8', async (mark, encoding) => {
    const body = Buffer.from(mark + JSON.stringify(hello), encoding);
    const headers = { authorization: `Bearer ${account.secret}` };
    const response = await fetch(`${app.proxyUrl}/chat/completions`, { method: 'POST', headers, body });
    const { message } = await expectRefusal(response, 400, { code: 'invalid_json', param: null });
    expect(message).toContain('UTF-8');
  });

  it.each<[string, object, number]>([
    ['/chat/completions', hello, 0],
    ['/chat/completions', hello, 1_100_000],
    ['/responses', { model: hello.model, input: 'Größe' }, 0],
    ['/messages', { ...hello, max_tokens: 10 }, 0],
    ['/embeddings', { model: 'text-embedding-3-small', input: 'Größe' }, 0],
    ['/estimate', hello, 0],
    ['/messages/count_tokens', hello, 0],
  ])(
    'a body in Latin-1 at %s, %j and %i letters more: 400 that says to send UTF-8, and nothing is asked',
    async (path, body, letters) => {
      const before = app.upstream.requests.length;
      const text = JSON.stringify({ ...body, user: `Zoë${'x'.repeat(letters)}` });
      const headers = { authorization: `Bearer ${account.secret}`, 'content-type': 'application/json' };
      const sent = { method: 'POST', headers, body: Buffer.from(text, 'latin1') };
      const response = await fetch(`${app.proxyUrl}${path}`, sent);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('The body is not in UTF-8.');
      expect(app.upstream.requests).toHaveLength(before);
    },
  );

  it('an unknown model: 404 that names it and says where to look', async () => {
    const response = await app.call(account.secret, { ...hello, model: 'gpt-99' });
    const { message } = await expectRefusal(response, 404, { code: 'model_not_found', param: 'model' });
    expect(message).toContain('gpt-99');
  });

  it('no key: 401 that says where to put it', async () => {
    const response = await app.call(null, hello);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    const { message } = await expectRefusal(response, 401, { type: 'invalid_request_error', code: null });
    expect(message).toContain('Authorization');
  });

  it.each(['sk-tg-wrong', `sk-tg-${'a'.repeat(46)}`, "' OR 1=1 --"])(
    'the wrong key %s: 401 that does not repeat it',
    async (secret) => {
      const { message } = await expectRefusal(await app.call(secret, hello), 401, { code: 'invalid_api_key' });
      if (secret.length > 20) expect(message).not.toContain(secret);
    },
  );

  it('a key that was revoked a moment ago: 401, also while it is remembered', async () => {
    const other = await app.createAccount(5);
    expect((await app.call(other.secret, { ...hello, model: 'demo-small' })).status).toBe(200);
    const { apiKeys } = await app.graphql<{ apiKeys: { id: string }[] }>('{ apiKeys { id } }', {}, other.sessionToken);
    await app.graphql(
      'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }',
      { id: apiKeys[0]?.id },
      other.sessionToken,
    );
    await expectRefusal(await app.call(other.secret, { ...hello, model: 'demo-small' }), 401, {
      code: 'invalid_api_key',
    });
  });

  it('an empty balance: 402 that clients do not retry and that says what is affordable', async () => {
    const poor = await app.createAccount(0);
    const response = await app.call(poor.secret, hello);
    expect(response.headers.get('x-should-retry')).toBe('false');
    const { message } = await expectRefusal(response, 402, { type: 'insufficient_quota', code: 'insufficient_quota' });
    expect(message).toMatch(/quota/);
    expect(message).toMatch(/billing/);
  });

  it('more output than the balance affords: 402 with the affordable amount, which is then accepted', async () => {
    const poor = await app.createAccount(0);
    await app.setBalance(poor.accountId, 1_000);
    const asked = { ...hello, model: 'demo-large', max_tokens: 4_000 };
    const refused = (await (await app.call(poor.secret, asked)).json()) as {
      error: { metadata: { max_affordable_tokens: number } };
    };
    const affordable = refused.error.metadata.max_affordable_tokens;
    expect(affordable).toBeGreaterThan(0);
    expect((await app.call(poor.secret, { ...asked, max_tokens: affordable + 1 })).status).toBe(402);
    expect((await app.call(poor.secret, { ...asked, max_tokens: affordable })).status).toBe(200);
  });

  it('no cap on a small balance: lowered to what is affordable, and the caller is told', async () => {
    const poor = await app.createAccount(0);
    await app.setBalance(poor.accountId, 1_000);
    const response = await app.call(poor.secret, { ...hello, model: 'demo-small' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-credits-output-cap')).toBe(String(1_000 - 64 - 16 - 5));
  });

  it('a body of 50 MB: 413, and the sender lives to read it', async () => {
    const response = await app.call(account.secret, { ...hello, padding: 'x'.repeat(50 * 1024 * 1024) });
    await expectRefusal(response, 413, { code: 'request_too_large' });
  });

  it('an unknown address below the proxy: 404 that says what to call', async () => {
    for (const [path, code] of [
      ['/nothing', 'unknown_url'],
      ['/%E0%A4%A', 'unknown_url'],
      ['/images/generations', 'unsupported_endpoint'],
      ['/v1/moderations', 'unsupported_endpoint'],
      ['/audio/speech', 'unsupported_endpoint'],
      ['/conversations', 'unsupported_endpoint'],
      ['/responses/input_tokens', 'unsupported_endpoint'],
      ['/models/gemini-2.5-flash:generateContent', 'unknown_url'],
      ['/models/chat/completions', 'unknown_url'],
    ] as const) {
      const { message } = await expectRefusal(await app.call(account.secret, hello, path), 404, { code });
      expect(message).toContain('/api/proxy.php/chat/completions');
    }
  });

  it('the wrong method: 405 that names the right one', async () => {
    const response = await fetch(`${app.proxyUrl}/chat/completions`);
    expect(response.headers.get('allow')).toContain('POST');
    await expectRefusal(response, 405, { code: 'method_not_supported' });
  });

  it('keeps keys, prompts, answers and the provider’s secret out of the log', async () => {
    const log = app.logLines.join('');
    expect(log).toContain('call_refused');
    for (const secret of [
      account.secret,
      account.sessionToken,
      'sk-operator-canary',
      'Hello',
      'a long enough password',
    ]) {
      expect(log).not.toContain(secret);
    }
  });
});

describeOnEachDatabase('The rate limit', (openTestDatabase) => {
  it('lets 60 requests of an account pass in a minute and answers the 61st with 429 and the time to wait', async () => {
    const app = await TestApp.start(await openTestDatabase(), { REQUESTS_PER_MINUTE: '60' });
    const [account, other] = [await app.createAccount(5), await app.createAccount(5)];
    const call = { ...hello, model: 'demo-small' };
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => (await app.call(account.secret, call)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    const refused = await app.call(account.secret, call);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { type: 'requests', code: 'rate_limit_exceeded' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get('retry-after-ms'))).toBeLessThanOrEqual(60_000);
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect((await app.call(other.secret, call)).status).toBe(200);
    await app.close();
  });
});
