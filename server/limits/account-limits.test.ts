import { answerOf, CookieBrowser, reasonOf } from '../test/cookie-browser.js';
import type { TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase, type TestDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { FactorApp } from '../test/factor-app.js';
import { TestOperator } from '../test/operator-desk.js';

const body = (more: object = {}, content = 'Hi') => ({
  ...{ model: 'gpt-4o-mini', messages: [{ role: 'user', content }], max_tokens: 10 },
  ...more,
});

interface KeyAnswer {
  readonly data: { readonly rate_limit: object; readonly limits: { readonly account: object } };
}

describeOnEachDatabase('Limits of single accounts', (openTestDatabase) => {
  let database: TestDatabase;
  let of: FactorApp;
  let beside: TestApp;
  let support: TestOperator;
  let account: TestAccount;
  let other: TestAccount;

  beforeAll(async () => {
    database = await openTestDatabase();
    const shared: Readonly<Record<string, string>> =
      database.address.kind === 'mysql' ? { RATE_LIMIT_STORE: 'mysql' } : {};
    const settings = { REQUESTS_PER_MINUTE: '5', CONCURRENT_CALLS: '2', ...shared };
    of = await FactorApp.start(database, Date.now(), settings);
    beside = await of.startBeside(settings);
    support = await TestOperator.join(of, 'support');
  }, 60_000);
  beforeEach(async () => {
    answerOf(await support.prove());
    account = await of.app.createAccount(5);
    other = await of.app.createAccount(5);
  });
  afterAll(async () => {
    if (beside !== of.app) await beside.close();
    await of.close();
  });

  const set = async (limits: object, accountId = account.accountId) =>
    reasonOf(
      await support.change('setAccountLimits(input: $accountLimits)', {
        accountLimits: { accountId, reason: 'A large customer', ...limits },
      }),
    );
  const call = async (app: TestApp, by: TestAccount, sent: object = body()) => {
    const response = await app.call(by.secret, sent);
    await response.text();
    return response;
  };
  const countLetIn = async (by: TestAccount, times: number) => {
    let letIn = 0;
    for (let time = 0; time < times; time += 1)
      letIn += (await call(time % 2 ? beside : of.app, by)).status === 200 ? 1 : 0;
    return letIn;
  };

  it('are set by many at once on two servers where the account had none, and each is answered', async () => {
    const { accountId } = await of.app.createAccount(0);
    const second = await TestOperator.join(of, 'support');
    answerOf(await second.prove());
    const elsewhere = new CookieBrowser(beside, '198.51.100.1', { operator: second.browser.cookie('operator') });
    const query = 'mutation ($input: OperatorAccountLimitsInput!) { operator { setAccountLimits(input: $input) } }';
    const answers = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const input = { accountId, keysMax: index + 1, reason: 'A large customer' };
        return reasonOf(await (index % 2 === 0 ? support.browser : elsewhere).ask(query, { input }));
      }),
    );
    expect(new Set(answers)).toEqual(new Set(['done']));
    const rows = await of.app.query(`SELECT account_id FROM account_limit WHERE account_id = '${accountId}'`);
    expect(rows).toHaveLength(1);
  });

  it('let an account make more or fewer requests a minute than the others, on every server at once', async () => {
    expect(await countLetIn(account, 2)).toBe(2);
    expect(await set({ requestsPerMinute: 8 })).toBe('done');
    expect(await countLetIn(account, 8)).toBe(6);
    const told = await call(of.app, account);
    expect([told.status, told.headers.get('x-ratelimit-limit-requests')]).toEqual([429, '8']);
    expect(await countLetIn(other, 6)).toBe(5);
    expect(await set({ requestsPerMinute: 1 }, other.accountId)).toBe('done');
    expect((await call(beside, other)).headers.get('x-ratelimit-limit-requests')).toBe('1');
  });

  it('bound the tokens of an account where no other one is bound', async () => {
    expect(await set({ tokensPerMinute: 40 })).toBe('done');
    expect((await call(of.app, account, body({ max_tokens: 500 }))).status).toBe(413);
    const first = await call(of.app, account);
    expect([first.status, first.headers.get('x-ratelimit-limit-tokens')]).toEqual([200, '40']);
    expect((await call(of.app, other, body({ max_tokens: 500 }))).status).toBe(200);
  });

  it('let an account run more or fewer calls at once', async () => {
    const run = async (by: TestAccount, count: number) => {
      const streams = Array.from({ length: count }, () =>
        of.app.call(by.secret, body({ stream: true, max_tokens: 30 }, '@@tokens=10 @@delay=60')),
      );
      const answers = await Promise.all(streams);
      const statuses = answers.map(({ status }) => status).toSorted();
      await Promise.all(answers.map((answer) => answer.text()));
      await eventually(async () => (await of.app.findWallet(by.accountId)).pending === 0);
      return statuses;
    };
    expect(await run(account, 3)).toEqual([200, 200, 429]);
    expect(await set({ concurrentCalls: 1, requestsPerMinute: 100 })).toBe('done');
    expect(await run(account, 3)).toEqual([200, 429, 429]);
    expect(await set({ concurrentCalls: 4, requestsPerMinute: 100 })).toBe('done');
    expect(await run(account, 4)).toEqual([200, 200, 200, 200]);
  });

  it('leave an account some models only, on every server at once, whichever key asks and however', async () => {
    const ask = async (app: TestApp, model: string, by = account) => {
      const response = await call(app, by, body({ model }));
      return [response.status, response.headers.get('x-credits-charged') === null];
    };
    expect(await ask(of.app, 'gpt-4o')).toEqual([200, false]);
    expect(await set({ models: ['gpt-4o-mini'], requestsPerMinute: 100 })).toBe('done');
    for (const app of [of.app, beside]) {
      expect(await ask(app, 'gpt-4o')).toEqual([403, true]);
      expect(await ask(app, 'gpt-4o-mini')).toEqual([200, false]);
    }
    const refused = await (of.app.call(account.secret, body({ model: 'gpt-4o' })) as Promise<Response>);
    expect(await refused.json()).toMatchObject({
      error: {
        ...{ code: 'model_not_allowed', param: 'model', metadata: { permission: 'account_models' } },
        message: expect.stringContaining('Your account may not call the model `gpt-4o`, only `gpt-4o-mini`.'),
      },
    });
    expect(await ask(beside, 'gpt-4o', other)).toEqual([200, false]);
    expect(await set({ requestsPerMinute: 100 })).toBe('done');
    expect(await ask(beside, 'gpt-4o')).toEqual([200, false]);
  });

  it('let an account have more or fewer keys, and give a key of it a rate up to its own', async () => {
    const create = async (input = '') => {
      const sent = `mutation { createApiKey(input: { name: "One more" ${input} }) { apiKey { id } } }`;
      return of.app.graphql(sent, {}, account.sessionToken).then(
        () => 'made',
        (error: Error) => error.message,
      );
    };
    expect(await set({ keysMax: 2, requestsPerMinute: 70 })).toBe('done');
    expect(await create('requestsPerMinute: 71')).toContain('1 to 70 requests');
    expect(await create('requestsPerMinute: 70')).toBe('made');
    expect(await create()).toContain('has 2 or more active keys');
    expect(await set({ keysMax: 3 })).toBe('done');
    const { viewer } = await of.app.graphql<{ viewer: { keysMax: number } }>(
      '{ viewer { keysMax } }',
      {},
      account.sessionToken,
    );
    expect(viewer.keysMax).toBe(3);
    expect(await create()).toBe('made');
    expect(await create()).toContain('active keys');
  });

  it('are told to the account, and are the server’s again when they are taken back', async () => {
    const read = async () => {
      const headers = { authorization: `Bearer ${account.secret}` };
      const answer = (await (await fetch(`${of.app.proxyUrl}/key`, { headers })).json()) as KeyAnswer;
      const { viewer } = await of.app.graphql<{ viewer: { requestsPerMinute: number } }>(
        '{ viewer { requestsPerMinute } }',
        {},
        account.sessionToken,
      );
      return { rate: answer.data.rate_limit, account: answer.data.limits.account, viewer: viewer.requestsPerMinute };
    };
    const servers = { requests_per_minute: 5, tokens_per_minute: null, concurrent_calls: 2, models: null };
    const before = { rate: { requests: 5, interval: '60s' }, account: servers, viewer: 5 };
    expect(await read()).toEqual(before);
    const own = { requestsPerMinute: 4_000, tokensPerMinute: 900_000, concurrentCalls: 50 };
    expect(await set(own)).toBe('done');
    expect(await read()).toEqual({
      rate: { requests: 4_000, interval: '60s' },
      account: { requests_per_minute: 4_000, tokens_per_minute: 900_000, concurrent_calls: 50, models: null },
      viewer: 4_000,
    });
    const shown = await support.ask(
      'account(id: $id) { limits { requestsPerMinute tokensPerMinute concurrentCalls } }',
      {
        id: account.accountId,
      },
    );
    expect(answerOf<{ account: { limits: object } }>(shown).account.limits).toEqual(own);
    expect(await set({})).toBe('done');
    expect(await read()).toEqual(before);
    expect(await of.app.query(`SELECT * FROM account_limit WHERE account_id = '${account.accountId}'`)).toEqual([]);
    const events = await of.app.query(
      `SELECT action, reason FROM operator_event WHERE account_id = '${account.accountId}' ORDER BY id`,
    );
    expect(events).toEqual([
      {
        action: 'set_account_limits',
        reason: '4000 requests a minute, 900000 tokens a minute, 50 calls at once: A large customer',
      },
      { action: 'set_account_limits', reason: 'the server’s limits: A large customer' },
    ]);
  });

  it('are whole numbers within bounds, of an account that there is', async () => {
    for (const limits of [
      { requestsPerMinute: 0 },
      { requestsPerMinute: 5_001 },
      { tokensPerMinute: -1 },
      { concurrentCalls: 1_001 },
      { keysMax: 0 },
      { models: [] },
      { models: ['no-such-model'] },
    ])
      expect([limits, await set(limits)]).toEqual([limits, 'invalid_value']);
    expect(await set({ requestsPerMinute: 9 }, 'acct_01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe('not_found');
    expect(await set({ requestsPerMinute: 9, reason: ' ' })).toBe('invalid_value');
  });
});
