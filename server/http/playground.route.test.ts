import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';

const ask = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] };

describeOnEachDatabase('POST /playground/chat/completions', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(5);

  const send = (body: object, headers: Record<string, string> = {}, path = '/playground/chat/completions') =>
    fetch(`${app.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `sid=${account.sessionToken}`, ...headers },
      body: JSON.stringify(body),
    });
  const findCall = async (id: string) => {
    const query = 'query ($id: ID!) { call(id: $id) { charged balanceAfter apiKey { id } } }';
    return (await app.graphql<{ call: Record<string, unknown> }>(query, { id }, account.sessionToken)).call;
  };

  it('answers the signed-in owner and bills the account exactly, without a key', async () => {
    const before = await app.findWallet(account.accountId);
    const response = await send(ask);
    const { usage } = (await response.json()) as { usage: { total_tokens: number } };
    expect(response.status).toBe(200);
    const after = await app.findWallet(account.accountId);
    expect(before.posted - after.posted).toBe(usage.total_tokens);
    const call = await findCall(response.headers.get('x-request-id') ?? '');
    expect(call).toMatchObject({
      charged: usage.total_tokens / 1_000,
      balanceAfter: after.posted / 1_000,
      apiKey: null,
    });
  });

  it('streams, bills before [DONE], and shows among the keys of the usage report as the playground', async () => {
    const response = await send({ ...ask, stream: true, stream_options: { include_usage: true } });
    const text = await response.text();
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect((await app.findWallet(account.accountId)).pending).toBe(0);
    const report = `query { usage(input: { from: "2020-01-01T00:00:00.000Z", to: "2060-01-01T00:00:00.000Z", bucket: MONTH, groupBy: API_KEY }) { groups { key sums { calls } } } }`;
    const { usage } = await app.graphql<{ usage: { groups: { key: string; sums: { calls: number } }[] } }>(
      report,
      {},
      account.sessionToken,
    );
    expect(usage.groups).toEqual([{ key: 'playground', sums: { calls: 2 } }]);
  });

  it('says beforehand what a call would cost at most, as the proxy says it, and holds nothing', async () => {
    const before = await app.findWallet(account.accountId);
    const bounded = { ...ask, max_tokens: 40 };
    const response = await send(bounded, {}, '/playground/estimate');
    const byKey = await app.call(account.secret, bounded, '/estimate');
    expect(response.status).toBe(200);
    const estimate = (await response.json()) as { credits_max: number };
    expect(estimate).toEqual(await byKey.json());
    expect(await app.findWallet(account.accountId)).toEqual(before);
    await (await send(bounded)).text();
    await app.waitUntilSettled(account.accountId);
    const { posted } = await app.findWallet(account.accountId);
    expect(before.posted - posted).toBeLessThanOrEqual(estimate.credits_max * 1_000);
  });

  it('goes on after the account’s only key was revoked, since no key pays', async () => {
    const { apiKeys } = await app.graphql<{ apiKeys: { id: string }[] }>(
      '{ apiKeys { id } }',
      {},
      account.sessionToken,
    );
    const revoke = 'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }';
    await app.graphql(revoke, { id: apiKeys[0]?.id }, account.sessionToken);
    expect((await send(ask)).status).toBe(200);
  });

  it.each([
    ['without a session', { cookie: '' }, 401, 'unauthenticated'],
    ['with a session that is none', { cookie: 'sid=nonsense' }, 401, 'unauthenticated'],
    ['from another site', { origin: 'https://evil.example' }, 403, 'forbidden'],
    ['as a form', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
  ])('refuses a request %s and charges nothing', async (_title, headers, status, code) => {
    const before = await app.findWallet(account.accountId);
    for (const path of ['/playground/chat/completions', '/playground/estimate']) {
      const response = await send(ask, headers as Record<string, string>, path);
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error: { code } });
    }
    expect(await app.findWallet(account.accountId)).toEqual(before);
  });

  it('takes no key: a bearer token alone opens nothing here', async () => {
    const response = await send(ask, { cookie: '', authorization: `Bearer ${account.secret}` });
    expect(response.status).toBe(401);
  });

  it('lets no caller of the proxy pass itself off as the playground', async () => {
    expect((await app.call('playground', ask)).status).toBe(401);
  });
});
