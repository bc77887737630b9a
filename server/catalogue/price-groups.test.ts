import { answerOf, reasonOf } from '../test/cookie-browser.js';
import type { TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase, type TestDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { FactorApp } from '../test/factor-app.js';
import { KeyedUpstream } from '../test/keyed-upstream.js';
import { TestOperator } from '../test/operator-desk.js';
import { SeededChoices } from '../test/seeded-choices.js';

const reason = 'A test';
const model = 'gpt-4.1-mini';
const tokens = 10;
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const body = { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 };
const priceOf = (multiplier: number) => Math.ceil((tokens * multiplier) / 1_000);

describeOnEachDatabase('Price groups', (openTestDatabase) => {
  let database: TestDatabase;
  let upstream: KeyedUpstream;
  let of: FactorApp;
  let beside: TestApp;
  let owner: TestOperator;
  let account: TestAccount;
  let other: TestAccount;

  beforeAll(async () => {
    upstream = await KeyedUpstream.start();
    database = await openTestDatabase();
    const settings = { OPENAI_BASE_URL: upstream.baseUrl };
    of = await FactorApp.start(database, Date.now(), settings);
    beside = await of.startBeside(settings);
    owner = await TestOperator.join(of, 'owner');
    account = await of.app.createAccount(50);
    other = await of.app.createAccount(50);
    await create('partners', 800);
    await create('dear', 1_250);
  }, 60_000);
  beforeEach(() => owner.prove());
  afterAll(async () => {
    if (beside !== of.app) await beside.close();
    await of.close();
    await upstream.close();
  });

  const create = async (name: string, multiplier: number) =>
    reasonOf(await owner.change('createPriceGroup(input: $group)', { group: { name, multiplier, reason } }));
  const set = async (name: string, multiplier: number) =>
    reasonOf(await owner.change('setPriceGroup(input: $group)', { group: { name, multiplier, reason } }));
  const assign = async (group: string | null, accountId = account.accountId) =>
    reasonOf(await owner.change('assignPriceGroup(input: $priced)', { priced: { accountId, group, reason } }));
  const findGroupOf = async ({ accountId }: TestAccount) => {
    const found = await owner.ask('account(id: $id) { priceGroup { name } }', { id: accountId });
    return answerOf<{ account: { priceGroup: { name: string } | null } }>(found).account.priceGroup?.name;
  };
  const call = async (app: TestApp, by = account) => {
    const response = await app.call(by.secret, body);
    await response.text();
    return { status: response.status, id: String(response.headers.get('x-request-id')) };
  };
  const read = async <Answer>(path: string) => {
    const headers = { authorization: `Bearer ${account.secret}` };
    return (await (await fetch(`${of.app.proxyUrl}${path}`, { headers })).json()) as Answer;
  };
  const findReceipt = (callId: string) =>
    read<{ credits_charged: number; credits_per_1000_tokens: number; price_multiplier: number }>(`/calls/${callId}`);
  const estimate = async () => {
    const answer = await of.app.call(account.secret, body, '/estimate');
    return ((await answer.json()) as { credits_max: number }).credits_max;
  };

  it('keep an account that is put into no group by leaving the group out, and let it go by null', async () => {
    const priced = { accountId: other.accountId, reason };
    expect(await assign('dear', other.accountId)).toBe('done');
    expect(reasonOf(await owner.change('assignPriceGroup(input: $priced)', { priced }))).toBe('invalid_value');
    expect(await findGroupOf(other)).toBe('dear');
    expect(await assign(null, other.accountId)).toBe('done');
    expect(await findGroupOf(other)).toBeUndefined();
  });

  it('have names and a part of the list price that is never nothing', async () => {
    for (const multiplier of [0, -1, 100_001]) expect(await create('free', multiplier)).toBe('invalid_value');
    for (const name of ['', ' ', '-x', 'a'.repeat(41), 'a\nb']) expect(await create(name, 900)).toBe('invalid_value');
    expect(await create('partners', 900)).toBe('conflict');
    expect(await set('nobody', 900)).toBe('not_found');
    expect(await assign('nobody')).toBe('not_found');
    expect(await assign('partners', 'acct_01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe('not_found');
    const { priceGroups } = answerOf<{ priceGroups: object[] }>(
      await owner.ask('priceGroups { name multiplier accountCount }'),
    );
    expect(priceGroups).toEqual([
      { name: 'dear', multiplier: 1_250, accountCount: 0 },
      { name: 'partners', multiplier: 800, accountCount: 0 },
    ]);
  });

  it('are told in every place that tells a price: estimate, receipt, shared receipt, export, account and console', async () => {
    const atListPrice = await estimate();
    expect(await assign('partners')).toBe('done');
    expect(await estimate()).toBe(Math.ceil(atListPrice * 800) / 1_000);
    const { id } = await call(of.app);
    await of.app.waitUntilSettled(account.accountId);
    const expected = { credits_charged: 0.008, credits_per_1000_tokens: 1, price_multiplier: 800 };
    expect(await findReceipt(id)).toMatchObject(expected);
    const asked = await of.app.graphql<object>(
      'query ($id: ID!) { viewer { priceMultiplier } models { id creditsPerThousandTokens } call(id: $id) { charged priceMultiplier creditsPerThousandTokens } }',
      { id },
      account.sessionToken,
    );
    expect(asked).toMatchObject({
      viewer: { priceMultiplier: 800 },
      models: expect.arrayContaining([{ id: model, creditsPerThousandTokens: 0.8 }]),
      call: { charged: 0.008, priceMultiplier: 800, creditsPerThousandTokens: 1 },
    });
    const share = 'mutation ($id: ID!) { shareReceipt(callId: $id) { token } }';
    const { shareReceipt } = await of.app.graphql<{ shareReceipt: { token: string } }>(
      share,
      { id },
      account.sessionToken,
    );
    const shown = 'query ($token: String!) { sharedReceipt(token: $token) { charged priceMultiplier } }';
    expect(await of.app.graphql(shown, shareReceipt)).toEqual({
      sharedReceipt: { charged: 0.008, priceMultiplier: 800 },
    });
    const ofConsole = await owner.ask('account(id: $id) { priceGroup { name multiplier } }', { id: account.accountId });
    expect(answerOf<object>(ofConsole)).toEqual({ account: { priceGroup: { name: 'partners', multiplier: 800 } } });
    const headers = { authorization: `Bearer ${account.sessionToken}` };
    const csv = await (await fetch(`${of.app.baseUrl}/export/calls.csv`, { headers })).text();
    expect(csv.split('\r\n')[0]).toMatch(/,price_multiplier$/);
    expect(csv).toMatch(new RegExp(`${id},.*,800\r\n`));
    expect(await assign(null)).toBe('done');
    expect(await estimate()).toBe(atListPrice);
  });

  it('change nothing for other accounts', async () => {
    expect(await assign('partners')).toBe('done');
    expect(await of.app.chargeOf(other, () => call(of.app, other))).toBe(tokens);
    expect(await of.app.chargeOf(account, () => call(of.app))).toBe(8);
    expect(await assign(null)).toBe('done');
  });

  it('hold for the very next call on every instance, by key and in the playground, once a change is answered', async () => {
    expect(await assign('partners')).toBe('done');
    for (const multiplier of [1_500, 10, 800]) {
      // What each instance remembers is of before.
      for (const app of [of.app, beside]) await call(app);
      expect(await set('partners', multiplier)).toBe('done');
      for (const app of [of.app, beside]) {
        expect(await of.app.chargeOf(account, () => call(app))).toBe(priceOf(multiplier));
        const playground = await of.app.chargeOf(account, async () => {
          const answer = await fetch(`${app.baseUrl}/playground/chat/completions`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', cookie: `sid=${account.sessionToken}` },
            body: JSON.stringify(body),
          });
          expect(answer.status).toBe(200);
          await answer.text();
        });
        expect(playground).toBe(priceOf(multiplier));
      }
    }
    expect(await assign(null)).toBe('done');
    for (const app of [of.app, beside]) expect(await of.app.chargeOf(account, () => call(app))).toBe(tokens);
  }, 60_000);

  it(`leave running calls the price that they were admitted with, whatever changes meanwhile (seed ${seed})`, async () => {
    const choices = new SeededChoices(seed);
    const before = await of.app.findWallet(account.accountId);
    const running: { readonly multiplier: number; readonly call: ReturnType<typeof call> }[] = [];
    const multipliers: Record<string, number> = { partners: 800, dear: 1_250 };
    let group: string | null = null;
    expect([await assign(null), await set('partners', 800), await set('dear', 1_250)]).toEqual([
      'done',
      'done',
      'done',
    ]);
    upstream.hold();
    for (let step = 0; step < 40; step += 1) {
      const kind = choices.below(5);
      if (kind === 0) {
        group = choices.oneOf(['partners', 'dear', null]);
        expect(await assign(group)).toBe('done');
      } else if (kind === 1) {
        const name = choices.oneOf(['partners', 'dear']);
        multipliers[name] = 1 + choices.below(3_000);
        expect(await set(name, multipliers[name])).toBe('done');
      } else {
        const asked = upstream.asked.length;
        const multiplier = group === null ? 1_000 : Number(multipliers[group]);
        running.push({ multiplier, call: call(choices.oneOf([of.app, beside])) });
        await eventually(() => upstream.asked.length !== asked);
      }
    }
    upstream.release();
    let sum = 0;
    for (const { multiplier, call: ended } of running) {
      const { id, status } = await ended;
      expect(status).toBe(200);
      await of.app.waitUntilSettled(account.accountId);
      const charged = priceOf(multiplier) / 1_000;
      expect(await findReceipt(id)).toMatchObject({ price_multiplier: multiplier, credits_charged: charged });
      sum += priceOf(multiplier);
    }
    expect(before.posted - (await of.app.findWallet(account.accountId)).posted).toBe(sum);
    expect(await assign(null)).toBe('done');
  }, 60_000);

  it('stand in the operators’ log with what they were set to', async () => {
    await set('dear', 1_300);
    const { log } = answerOf<{ log: { action: string; subject: string; reason: string }[] }>(
      await owner.ask('log(first: 1) { action subject reason }'),
    );
    expect(log).toEqual([{ action: 'set_price_group', subject: 'dear', reason: `1300 per mille: ${reason}` }]);
  });

  it('take no account while a server of the release before may take its receipts for forged', async () => {
    const say = (isFinished: boolean) =>
      of.app.query(`UPDATE key_change_count SET is_complete = ${isFinished ? 1 : 0}`);
    await say(false);
    // A SQLite file has one server.
    expect(await assign('partners')).toBe(of.app.isSqlite ? 'done' : 'conflict');
    expect(await assign(null)).toBe('done');
    await say(true);
    expect(await assign('partners')).toBe('done');
    expect(await assign(null)).toBe('done');
  });
});
