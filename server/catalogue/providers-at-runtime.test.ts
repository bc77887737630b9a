import { answerOf, reasonOf } from '../test/cookie-browser.js';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase, type TestDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { FactorApp, testSecretsKey } from '../test/factor-app.js';
import { KeyedUpstream } from '../test/keyed-upstream.js';
import { TestOperator } from '../test/operator-desk.js';

const ofEnvironment = 'sk-of-the-environment-0123456789';
const one = 'sk-one-canary-0123456789-abcd';
const two = 'sk-two-canary-0123456789-efgh';
const reason = 'A test';
/** Test servers have an address that is not this machine's, and a simulated checkout. */
const allowed = { ALLOW_SIMULATED_MONEY_FOR_REAL_PROVIDERS: 'true' };
const body = { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 };
const listed = 'providers { id setIn isOn isSwitchedOff rank keys { id masked setIn weight isReadable } }';

interface Listed {
  readonly id: string;
  readonly setIn: string;
  readonly isOn: boolean;
  readonly isSwitchedOff: boolean;
  readonly keys: readonly { readonly id: string | null; readonly masked: string; readonly setIn: string }[];
}

describeOnEachDatabase('Providers that are set while servers run', (openTestDatabase) => {
  let database: TestDatabase;
  let upstream: KeyedUpstream;
  let of: FactorApp;
  let beside: TestApp;
  let owner: TestOperator;
  let reader: TestOperator;
  let account: TestAccount;

  beforeAll(async () => {
    upstream = await KeyedUpstream.start();
    database = await openTestDatabase();
    const settings = { OPENAI_API_KEY: ofEnvironment, OPENAI_BASE_URL: upstream.baseUrl, ...allowed };
    beside = await TestApp.startBeside(database, { ...settings, SECRETS_KEY: testSecretsKey });
    of = await FactorApp.start(database, Date.now(), { ...settings, DATADOG_API_KEY: 'sk-of-another-program-0123' });
    owner = await TestOperator.join(of, 'owner');
    reader = await TestOperator.join(of, 'read_only');
    account = await of.app.createAccount(5);
  }, 60_000);
  beforeEach(async () => {
    await owner.prove();
    upstream.release();
    upstream.asked.length = 0;
    upstream.refused.clear();
  });
  afterEach(async () => {
    await owner.change('removeProvider(id: $id, reason: $reason)', { id: 'openai', reason });
  });
  afterAll(async () => {
    await beside.close();
    await of.close();
    await upstream.close();
  });

  const find = async (id: string, by = owner) => {
    const { providers } = answerOf<{ providers: readonly Listed[] }>(await by.ask(listed));
    return providers.find((provider) => provider.id === id);
  };
  const addKey = async (secret: string, more: object = {}) => {
    const providerKey = { providerId: 'openai', secret, reason, ...more };
    const answer = await owner.change('addProviderKey(input: $providerKey)', { providerKey });
    return answerOf<{ addProviderKey: string }>(answer).addProviderKey;
  };
  const set = (provider: object) =>
    owner.change('setProvider(input: $provider) { isOn isSwitchedOff }', { provider: { reason, ...provider } });
  const call = async (app = of.app) => {
    const response = await app.call(account.secret, body);
    return { status: response.status, answer: await response.text() };
  };

  it('are called with a key of the database on every instance, which is kept sealed and shown by its last characters alone', async () => {
    expect((await find('openai'))?.keys).toMatchObject([{ id: null, masked: '…6789', setIn: 'ENVIRONMENT' }]);
    await call();
    expect(upstream.asked).toEqual([ofEnvironment]);
    await addKey(one);
    await call();
    expect(upstream.asked.at(-1)).toBe(one);
    await eventually(async () => (await call(beside)).status === 200 && upstream.asked.at(-1) === one);
    const stored = JSON.stringify(await of.app.query('SELECT * FROM provider_key'));
    expect(stored).not.toContain(one);
    for (const by of [owner, reader]) {
      expect((await find('openai', by))?.keys).toMatchObject([{ masked: '…abcd', setIn: 'DATABASE' }]);
      expect(JSON.stringify(await by.ask(listed))).not.toContain('canary');
    }
    expect(of.app.logLines.join('')).not.toContain('canary');
    // Rotated: one transaction takes the old one out.
    const [before] = (await find('openai'))?.keys ?? [];
    await addKey(two, { replaces: before?.id });
    expect((await find('openai'))?.keys).toMatchObject([{ masked: '…efgh' }]);
    await call();
    expect(upstream.asked.at(-1)).toBe(two);
  });

  it('ask the next key when one is refused or at its limit, leave that one alone, and bill one call', async () => {
    await addKey(one, { weight: 1_000 });
    await addKey(two);
    upstream.refused.set(one, { status: 429, headers: { 'retry-after': '20' } });
    const before = await of.app.findWallet(account.accountId);
    const answers = await Promise.all([call(), call(), call()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await of.app.waitUntilSettled(account.accountId);
    expect(before.posted - (await of.app.findWallet(account.accountId)).posted).toBe(3 * 10);
    upstream.asked.length = 0;
    for (let count = 0; count < 5; count += 1) expect((await call()).status).toBe(200);
    expect(new Set(upstream.asked)).toEqual(new Set([two]));
    of.clock.advanceMs(20_001);
    upstream.refused.set(one, { status: 401 });
    for (let count = 0; count < 20; count += 1) expect((await call()).status).toBe(200);
    expect(upstream.asked.filter((key) => key === one).length).toBeLessThanOrEqual(1);
    // All refused: the caller is told, and no key is asked twice for one call.
    upstream.refused.set(two, { status: 429 });
    of.clock.advanceMs(6 * 60_000);
    upstream.asked.length = 0;
    expect([429, 503]).toContain((await call()).status);
    expect(upstream.asked.toSorted()).toEqual([one, two]);
  });

  it('give a key to others that one account’s requests have it refused for, and to nobody once two accounts are refused in a row', async () => {
    await addKey(one, { weight: 1_000 });
    await addKey(two);
    const [other, third] = [await of.app.createAccount(5), await of.app.createAccount(5)];
    // Of three calls, one in a thousand million has none that is given the first key by its weight.
    const findAsked = async ({ secret }: TestAccount, content = 'Hi') => {
      upstream.asked.length = 0;
      for (let count = 0; count < 3; count += 1) {
        const response = await of.app.call(secret, { ...body, messages: [{ role: 'user', content }] });
        expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello')]);
      }
      return new Set(upstream.asked);
    };
    for (const status of [403, 429]) {
      upstream.refused.set(one, { status, of: 'poison' });
      expect(await findAsked(account, 'poison')).toEqual(new Set([one, two]));
      expect(await findAsked(account)).toEqual(new Set([two]));
      expect(await findAsked(other)).toContain(one);
      expect(await findAsked(third)).toContain(one);
      // What they were answered says that the key is well.
      expect(await findAsked(account)).toContain(one);
    }
    upstream.refused.set(one, { status: 429 });
    expect(await findAsked(other)).toEqual(new Set([one, two]));
    expect(await findAsked(third)).toEqual(new Set([one, two]));
    expect(await findAsked(account)).toEqual(new Set([two]));
  });

  it('do not get a second key for what is not the key’s fault', async () => {
    await addKey(one);
    await addKey(two);
    for (const key of [one, two]) upstream.refused.set(key, { status: 500 });
    await call();
    expect(upstream.asked).toHaveLength(1);
  });

  it('are switched off and on, and a running call keeps what it has', async () => {
    await addKey(one);
    upstream.hold();
    const running = call();
    await eventually(() => upstream.asked.length === 1);
    expect(answerOf(await set({ id: 'openai', isOn: false }))).toMatchObject({ setProvider: { isSwitchedOff: true } });
    expect((await call()).status).toBe(404);
    upstream.release();
    expect((await running).status).toBe(200);
    await eventually(async () => (await call(beside)).status === 404);
    answerOf(await set({ id: 'openai', isOn: true }));
    expect((await call()).status).toBe(200);
  });

  it('are tried for one token, also while they are off, and the key is in no answer', async () => {
    await addKey(one);
    answerOf(await set({ id: 'openai', isOn: false }));
    const test = 'testProvider(id: $id) { isAnswered status completionTokens message }';
    const works = await owner.change(test, { id: 'openai' });
    expect(answerOf(works)).toEqual({
      testProvider: { isAnswered: true, status: 200, completionTokens: 1, message: null },
    });
    upstream.refused.set(one, { status: 401 });
    const fails = await owner.change(test, { id: 'openai' });
    expect(answerOf(fails)).toMatchObject({ testProvider: { isAnswered: false, status: 401 } });
    expect(JSON.stringify(fails)).not.toContain('canary');
    expect(reasonOf(await owner.change(test, { id: 'nobody' }))).toBe('not_found');
  });

  it('of one’s own are added with an address, and are sent no key of the environment and none of another address', async () => {
    expect(reasonOf(await set({ id: 'openai', address: 'https://elsewhere.example' }))).toBe('invalid_value');
    expect(reasonOf(await set({ id: 'datadog' }))).toBe('invalid_value');
    expect(reasonOf(await set({ id: 'datadog', address: 'ftp://elsewhere.example' }))).toBe('invalid_value');
    answerOf(await set({ id: 'datadog', address: upstream.baseUrl }));
    expect(await find('datadog')).toMatchObject({ setIn: 'DATABASE', keys: [] });
    const providerKey = { providerId: 'datadog', secret: one, reason };
    answerOf(await owner.change('addProviderKey(input: $providerKey)', { providerKey }));
    expect(reasonOf(await set({ id: 'datadog', address: 'https://elsewhere.example' }))).toBe('conflict');
    answerOf(await owner.change('removeProvider(id: $id, reason: $reason)', { id: 'datadog', reason }));
    expect(await find('datadog')).toBeUndefined();
    expect(await of.app.query(`SELECT id FROM provider_key WHERE provider_id = 'datadog'`)).toEqual([]);
  });

  it('that cost money are refused where simulated money would buy their answers for others, also what another door has set', async () => {
    const other = await openTestDatabase();
    const free = await FactorApp.start(other, Date.now(), { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' });
    try {
      const boss = await TestOperator.join(free, 'owner');
      const providerKey = { providerId: 'openai', secret: one, reason };
      const key = await boss.change('addProviderKey(input: $providerKey)', { providerKey });
      expect(reasonOf(key)).toBe('conflict');
      expect(key.errors?.[0]?.message).toContain('STRIPE_SECRET_KEY');
      const provider = { id: 'mine', address: 'https://elsewhere.example/v1', reason };
      expect(reasonOf(await boss.change('setProvider(input: $provider) { id }', { provider }))).toBe('conflict');
      const columns = 'id, is_off, place, name, adapter, base_url, updated_at_ms';
      const row = `('mine', 0, NULL, NULL, NULL, 'https://elsewhere.example/v1', 1)`;
      await free.app.query(`INSERT INTO provider_setting (${columns}) VALUES ${row}`);
      await free.app.query('INSERT INTO catalogue_revision (id, number) VALUES (1, 1)');
      await eventually(() => free.app.logLines.some((line) => line.includes('catalogue_unread')));
      const { providers } = answerOf<{ providers: readonly Listed[] }>(await boss.ask(listed));
      expect(providers.some(({ id }) => id === 'mine')).toBe(false);
    } finally {
      await free.close();
    }
  });

  it('leave the last good state in force when a change cannot be read, and say so', async () => {
    await addKey(one);
    await of.app.query('ALTER TABLE provider_setting RENAME TO provider_setting_away');
    try {
      await of.app.query('UPDATE catalogue_revision SET number = number + 1');
      const standing = async () =>
        answerOf<{ catalogueStanding: { fault: string | null } }>(await owner.ask('catalogueStanding { fault }'));
      await eventually(async () => (await standing()).catalogueStanding.fault !== null);
      expect((await call()).status).toBe(200);
      expect(upstream.asked.at(-1)).toBe(one);
    } finally {
      await of.app.query('ALTER TABLE provider_setting_away RENAME TO provider_setting');
    }
    await eventually(() => of.app.logLines.some((line) => line.includes('catalogue_read_again')));
  });
});
