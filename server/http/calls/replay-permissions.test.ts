import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { findJoinedCall } from '../../test/joined-call.js';
import { changeKey, findKeyId, revokeKey } from '../../test/test-keys.js';

const body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'A secret answer' }] };

describeOnEachDatabase('An answer that is given again', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { MAX_KEYS_PER_ACCOUNT: '50' });
  const account = app.accountForAll(5);
  let other: string;
  let made = 0;

  // From then on it is the account's newest, which `test-keys.ts` changes.
  const createKey = async () => {
    made += 1;
    const { createApiKey } = await app.graphql<{ createApiKey: { secret: string } }>(
      'mutation ($input: ApiKeyInput!) { createApiKey(input: $input) { secret } }',
      { input: { name: `key ${made}` } },
      account.sessionToken,
    );
    return createApiKey.secret;
  };
  const change = (settings: object) => changeKey(app, account, settings);
  const ask = (key: string, secret: string) => app.call(secret, body, '/chat/completions', { 'idempotency-key': key });

  it.each<[string, number, string, () => Promise<unknown>]>([
    ['for another model', 403, 'model_not_allowed', () => change({ models: ['gpt-4o'] })],
    ['for another provider', 403, 'provider_not_allowed', () => change({ providers: ['demo'] })],
    ['for another address', 403, 'ip_not_authorized', () => change({ addresses: ['192.0.2.0/24'] })],
    ['without the scope', 403, 'missing_scope', () => change({ scopes: ['USAGE_READ'] })],
    [
      'that has expired',
      401,
      'invalid_api_key',
      async () => app.query(`UPDATE api_key SET expires_at_ms = 1 WHERE id = '${await findKeyId(app, account)}'`),
    ],
    ['that was revoked', 401, 'invalid_api_key', () => revokeKey(app, account)],
  ])('is refused to a key %s, though another key was answered it a moment ago', async (what, status, code, lose) => {
    other = await createKey();
    const key = `k ${what}`;
    expect((await ask(key, account.secret)).status).toBe(200);
    const allowed = await ask(key, other);
    expect([allowed.status, allowed.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    await lose();
    const refused = await ask(key, other);
    expect(refused.status).toBe(status);
    expect(await refused.json()).toMatchObject({ error: { code } });
    expect((await ask(key, account.secret)).headers.get('idempotency-replayed')).toBe('true');
  });

  /** Asks with the newest key, and leaves when the provider has it. @returns what asks again. */
  const askAndLeave = async (text: string) => {
    const slow = { ...body, messages: [{ role: 'user', content: text }] };
    const leaving = app.callToLeave(other, slow);
    await eventually(() => app.upstream.requests.some((request) => request.text.includes(text)));
    leaving.abort();
    return (count: string) => app.call(other, slow, '/chat/completions', { 'x-stainless-retry-count': count });
  };

  it('is refused to a retry without Idempotency-Key whose key may no longer call the model', async () => {
    other = await createKey();
    const retry = await askAndLeave('@@delay=30 left alone');
    await app.waitUntilSettled(account.accountId);
    await change({ models: ['gpt-4o'] });
    expect((await retry('1')).status).toBe(403);
  });

  it('and was refused to the retry that waited for it, whose key lost its model meanwhile, is left for its next one', async () => {
    other = await createKey();
    const answerNow = app.upstream.holdAnswers();
    const retry = await askAndLeave('refused once');
    const waiting = retry('1');
    const callId = await findJoinedCall(app, '1');
    await change({ models: ['gpt-4o'] });
    answerNow();
    expect((await waiting).status).toBe(403);
    const left = await app.query("SELECT call_id FROM idempotent_answer WHERE body_hash = '1 left'");
    expect(left).toEqual([{ call_id: callId }]);
    await change({ models: ['gpt-4o-mini'] });
    const given = await retry('2');
    expect([given.status, given.headers.get('x-generation-id')]).toEqual([200, callId]);
  });
});
