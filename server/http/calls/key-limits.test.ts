import { setTimeout as sleep } from 'node:timers/promises';
import { spanAt } from '../../kernel/spend-period.js';
import { type TestAccount, TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { changeKey, revokeKey, rotateKey } from '../../test/test-keys.js';

// 64 + 16 + 13 bytes of prompt and 10 tokens of answer, at 1 millicredit; the provider reports exactly as many.
const heldMillicredits = 103;
const body = {
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: '@@usage=93,10' }],
  max_tokens: 10,
};

interface Refusal {
  readonly error: { readonly code: string; readonly message: string; readonly metadata: Record<string, unknown> };
}

describeOnEachDatabase('A spend limit over HTTP', (openTestDatabase) => {
  const app = TestApp.forEach(openTestDatabase);
  const account = app.accountForEach(5);

  it('lets exactly 10 of 200 calls at once pass that it covers 10 of, and tells the others when it begins anew', async () => {
    await changeKey(app, account, { spendLimit: (heldMillicredits * 10 + 50) / 1_000, spendPeriod: 'MONTH' });
    // A machine too busy to answer in two seconds says 503, and has held nothing; and while others run, there may be room
    // again when they end: those calls are still to be made.
    const callUntilAnswered = async (): Promise<Response> => {
      const response = await app.call(account.secret, body);
      const isToCome = response.status === 503 || response.headers.get('x-should-retry') === 'true';
      return isToCome ? callUntilAnswered() : response;
    };
    const responses = await Promise.all(Array.from({ length: 200 }, callUntilAnswered));
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(190);
    expect(app.upstream.requests).toHaveLength(10);
    const resetsAt = new Date(spanAt('month', Date.now()).endsAtMs).toISOString();
    for (const response of refused) {
      expect([response.status, response.headers.get('x-should-retry')]).toEqual([402, 'false']);
      const { error } = (await response.json()) as Refusal;
      expect(error).toMatchObject({ type: 'insufficient_quota', code: 'key_limit_exceeded', param: null });
      expect(error.message).toContain(resetsAt);
      expect(error.metadata).toMatchObject({ limit_credits: 1.08, needed_credits: 0.103, resets_at: resetsAt });
    }
    const spent = 10 * heldMillicredits;
    expect(await app.findWallet(account.accountId)).toEqual({ posted: 5_000_000 - spent, pending: 0 });

    const { data } = (await (
      await fetch(`${app.proxyUrl}/key`, { headers: { authorization: `Bearer ${account.secret}` } })
    ).json()) as { data: object };
    expect(data).toMatchObject({
      limit: 1.08,
      limit_remaining: 0.05,
      limit_reset: 'monthly',
      usage_monthly: spent / 1_000,
      expires_at: null,
    });
    const shown = await app.graphql<{ apiKeys: object[] }>(
      '{ apiKeys { spendLimit spendPeriod spentInPeriod spendResetsAt } }',
      {},
      account.sessionToken,
    );
    expect(shown.apiKeys).toEqual([
      { spendLimit: 1.08, spendPeriod: 'MONTH', spentInPeriod: spent / 1_000, spendResetsAt: resetsAt },
    ]);
  }, 120_000);

  it('tells callers to come again while only running calls stand in the way, and lets them pass then', async () => {
    await changeKey(app, account, { spendLimit: (heldMillicredits * 2 - 1) / 1_000, spendPeriod: 'DAY' });
    const [first, refused] = await Promise.all([
      app.call(account.secret, { ...body, messages: [{ role: 'user', content: '@@usage=9,1 @@delay=500' }] }),
      (async () => {
        await eventually(() => app.upstream.requests.length > 0);
        return app.call(account.secret, body);
      })(),
    ]);
    expect(first.status).toBe(200);
    const { headers } = refused;
    expect([refused.status, headers.get('x-should-retry'), headers.get('retry-after')]).toEqual([402, 'true', '2']);
    const { error } = (await refused.json()) as Refusal;
    expect(error).toMatchObject({ code: 'credits_reserved', metadata: { permission: 'spendLimit', spent_credits: 0 } });
    expect((await app.call(account.secret, body)).status).toBe(200);
  });

  it('of 1,000 credits lets eight calls at once pass that name no output cap', async () => {
    await changeKey(app, account, { spendLimit: 1_000, spendPeriod: 'DAY' });
    const { max_tokens: _, ...uncapped } = body;
    const stalled = { ...uncapped, model: 'gpt-5', messages: [{ role: 'user', content: '@@usage=9,1 @@delay=500' }] };
    const responses = await Promise.all(Array.from({ length: 8 }, () => app.call(account.secret, stalled)));
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    for (const { headers } of responses) expect(Number(headers.get('x-credits-output-cap'))).toBeGreaterThan(4_096);
  });

  it('counts what was spent before it was set, lowers the output cap of a call that names none, and can be raised', async () => {
    expect((await app.call(account.secret, body)).status).toBe(200);
    await changeKey(app, account, { spendLimit: (heldMillicredits * 2 - 1) / 1_000, spendPeriod: 'DAY' });
    expect((await app.call(account.secret, body)).status).toBe(402);
    const { max_tokens: _, ...uncapped } = body;
    await changeKey(app, account, { spendLimit: (heldMillicredits * 2 + 20) / 1_000 });
    const lowered = await app.call(account.secret, uncapped);
    expect([lowered.status, lowered.headers.get('x-credits-output-cap')]).toEqual([200, '30']);
    await changeKey(app, account, { spendLimit: null });
    expect((await app.call(account.secret, body)).status).toBe(200);
  });
});

describeOnEachDatabase('The budget of a member over HTTP', (openTestDatabase) => {
  it('holds for the next call, is told with the date on which it begins anew, closes the playground, and can be lifted, but not by leaving it out', async () => {
    const app = await TestApp.start(await openTestDatabase());
    const account = await app.createAccount(5);
    const { accountId } = account;
    const bound = (monthlyBudget?: number | null) =>
      app.graphql<{ setMemberBudget: object[] }>(
        'mutation ($input: SetMemberBudgetInput!) { setMemberBudget(input: $input) { monthlyBudget spentThisMonth budgetResetsAt } }',
        { input: { personId: accountId, monthlyBudget } },
        account.sessionToken,
      );
    const play = () =>
      fetch(`${app.baseUrl}/playground/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: `sid=${account.sessionToken}` },
        body: JSON.stringify({ ...body, model: 'demo-small' }),
      });
    expect([(await app.call(account.secret, body)).status, (await play()).status]).toEqual([200, 200]);
    const resetsAt = new Date(spanAt('month', Date.now()).endsAtMs).toISOString();
    const { setMemberBudget } = await bound((heldMillicredits * 2 - 1) / 1_000);
    expect(setMemberBudget).toEqual([
      { monthlyBudget: 0.205, spentThisMonth: heldMillicredits / 1_000, budgetResetsAt: resetsAt },
    ]);
    const refused = await app.call(account.secret, body);
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([402, 'false']);
    const { error } = (await refused.json()) as Refusal;
    expect(error).toMatchObject({
      ...{ type: 'insufficient_quota', code: 'member_budget_exceeded', param: null },
      metadata: { permission: 'memberBudget', limit_credits: 0.205, spent_credits: 0.103, resets_at: resetsAt },
    });
    expect(error.message).toMatch(
      /Ask an owner or admin .* page "Members", or, if that person is no member any more, .* place of this one/,
    );
    expect((await play()).status).toBe(403);
    await expect(bound()).rejects.toThrow(/null for no budget/);
    expect((await app.call(account.secret, body)).status).toBe(402);
    await bound(null);
    expect([(await app.call(account.secret, body)).status, (await play()).status]).toEqual([200, 200]);
    await app.close();
  });
});

describeOnEachDatabase('Two servers on one database', (openTestDatabase) => {
  let first: TestApp;
  let second: TestApp;
  let account: TestAccount;
  const call = (secret = account.secret) => second.call(secret, { ...body, model: 'demo-small' });

  beforeEach(async () => {
    const database = await openTestDatabase();
    first = await TestApp.start(database);
    second = await TestApp.startBeside(database);
    account = await first.createAccount(5);
    // From now on the second server remembers the key.
    expect((await call()).status).toBe(200);
  });
  afterEach(async () => {
    await second.close();
    await first.close();
  });

  it('refuse the next call on the second after a revocation on the first', async () => {
    await revokeKey(first, account);
    const refused = await call();
    expect([refused.status, ((await refused.json()) as Refusal).error.code]).toEqual([401, 'invalid_api_key']);
  });

  it.each([
    ['a lowered limit', { spendLimit: 0.05, spendPeriod: 'DAY' }, 402, 'key_limit_exceeded'],
    ['a model taken away', { models: ['gpt-4o-mini'] }, 403, 'model_not_allowed'],
    ['a provider taken away', { providers: ['openai'] }, 403, 'provider_not_allowed'],
    ['a scope taken away', { scopes: ['USAGE_READ'] }, 403, 'missing_scope'],
    ['an address taken away', { addresses: ['192.0.2.1'] }, 403, 'ip_not_authorized'],
  ])('refuse the next call on the second after %s on the first', async (_, settings, status, code) => {
    await changeKey(first, account, settings);
    const refused = await call();
    expect([refused.status, ((await refused.json()) as Refusal).error.code]).toEqual([status, code]);
  });

  it('refuse the old secret on the second at once when it was rotated without a grace on the first', async () => {
    const secret = await rotateKey(first, account, 0);
    expect([(await call()).status, (await call(secret)).status]).toEqual([401, 200]);
  });

  it('let no call fail while a key is rotated under 50 calls per second', async () => {
    let secret = account.secret;
    const statuses: Promise<number>[] = [];
    const callBoth = (one: string, other: string) => {
      const demo = { ...body, model: 'demo-small' };
      for (const response of [first.call(one, demo), second.call(other, demo)]) {
        statuses.push(response.then((answer) => answer.text().then(() => answer.status)));
      }
    };
    const rotation = sleep(500).then(async () => {
      secret = await rotateKey(first, account, 60);
    });
    // After the rotation one caller has the new secret and the other one still the old.
    for (let tick = 0; tick < 50; tick += 1) {
      callBoth(secret, account.secret);
      await sleep(40);
    }
    await rotation;
    callBoth(secret, secret);
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
    expect(statuses).toHaveLength(102);
  }, 60_000);
});
