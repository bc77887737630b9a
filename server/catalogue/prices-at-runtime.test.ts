import { answerOf, reasonOf } from '../test/cookie-browser.js';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase, type TestDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { FactorApp, testSecretsKey } from '../test/factor-app.js';
import { KeyedUpstream } from '../test/keyed-upstream.js';
import { TestOperator } from '../test/operator-desk.js';
import { postGraphql } from '../test/post-graphql.js';
import { SeededChoices } from '../test/seeded-choices.js';

const reason = 'A test';
const model = 'gpt-4.1-mini';
const tokens = 10;
const minuteMs = 60_000;
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const body = { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 };
const applied = 'applyPrices(input: $prices) { number changes { modelId kind before after } }';
const previewed = 'previewPrices(input: $preview) { modelId kind before after tierAfter areRoutesChanged }';

interface Applied {
  readonly applyPrices: { readonly number: number; readonly changes: readonly object[] };
}

describeOnEachDatabase('Prices that are set while servers run', (openTestDatabase) => {
  let database: TestDatabase;
  let upstream: KeyedUpstream;
  let of: FactorApp;
  let beside: TestApp;
  let owner: TestOperator;
  let account: TestAccount;

  beforeAll(async () => {
    upstream = await KeyedUpstream.start();
    database = await openTestDatabase();
    const settings = { OPENAI_BASE_URL: upstream.baseUrl };
    of = await FactorApp.start(database, Date.now(), settings);
    const more = { ...settings, SECRETS_KEY: testSecretsKey };
    beside = await TestApp.start({ ...database, drop: async () => {} }, more, of.clock);
    owner = await TestOperator.join(of, 'owner');
    account = await of.app.createAccount(50);
  }, 60_000);
  beforeEach(() => owner.prove());
  afterAll(async () => {
    await beside.close();
    await of.close();
    await upstream.close();
  });

  const at = (atMs: number) => new Date(atMs).toISOString();
  const apply = (document: string, atMs: number | null = null) => {
    const prices = { document, reason, ...(atMs === null ? {} : { effectiveAt: at(atMs) }) };
    return owner.change(applied, { prices });
  };
  const number = async (answer: ReturnType<typeof apply>) => answerOf<Applied>(await answer).applyPrices.number;
  const preview = (document: string) => owner.ask(previewed, { preview: { document } });
  const findPrice = async (app: TestApp) => {
    const { models } = await app.graphql<{ models: { id: string; creditsPerThousandTokens: number }[] }>(
      '{ models { id creditsPerThousandTokens } }',
    );
    return models.find(({ id }) => id === model)?.creditsPerThousandTokens ?? null;
  };
  const readRevision = async (app: TestApp) => {
    const response = await postGraphql(
      app.baseUrl,
      { query: '{ operator { catalogueStanding { revision } } }' },
      { cookie: `operator=${owner.browser.cookie('operator')}` },
    );
    const { data } = (await response.json()) as { data: { operator: { catalogueStanding: { revision: number } } } };
    return data.operator.catalogueStanding.revision;
  };
  const call = async (app: TestApp) => {
    const response = await app.call(account.secret, body);
    await response.text();
    return { status: response.status, id: String(response.headers.get('x-request-id')) };
  };
  const findReceipt = async (callId: string) => {
    const headers = { authorization: `Bearer ${account.secret}` };
    const response = await fetch(`${of.app.proxyUrl}/calls/${callId}`, { headers });
    return (await response.json()) as { credits_charged: number; credits_per_1000_tokens: number };
  };

  it('show what they would change before, change nothing then, and name every fault', async () => {
    const changed = answerOf<{ previewPrices: object[] }>(
      await preview(`tiers: { gold: 7 }\nmodels: { ${model}: { tier: gold } }`),
    );
    expect(changed.previewPrices).toEqual([
      { modelId: model, kind: 'CHANGED', before: 1, after: 7, tierAfter: 'gold', areRoutesChanged: false },
    ]);
    expect(await findPrice(of.app)).toBe(1);
    const added = answerOf<{ previewPrices: object[] }>(
      await preview('models: { mine: { tier: lower, maxOutputTokens: 100, routes: [openai/theirs] } }'),
    );
    expect(added.previewPrices).toMatchObject([{ modelId: 'mine', kind: 'ADDED', before: null, after: 1 }]);
    const costly =
      'previewPrices(input: $preview) { modelId before after costs { providerId inputBefore inputAfter outputAfter } }';
    const dearer = await owner.ask(costly, {
      preview: {
        document: `models: { ${model}: { tier: lower } }\ncosts: { openai/${model}: { input: 0.15, output: 0.6 } }`,
      },
    });
    expect(answerOf<{ previewPrices: object[] }>(dearer).previewPrices).toEqual([
      {
        ...{ modelId: model, before: 1, after: 1 },
        costs: [{ providerId: 'openai', inputBefore: null, inputAfter: 0.15, outputAfter: 0.6 }],
      },
    ]);
    for (const [document, words] of [
      ['models: { mine: { tier: lower } }', 'models.mine.routes'],
      [`models: { ${model}: { tier: no-such } }`, `models.${model}.tier`],
      ['tiers: { gold: 0.5 }', 'tiers.gold'],
      ['providers: { mine: { baseUrl: http://localhost:1 } }', 'providers'],
      [['tiers: { gold: $', '{PRICE} }'].join(''), 'has no meaning here'],
      ['models: { mine: { tier: lower, maxOutputTokens: 1, routes: [nobody/x] } }', 'no such provider'],
      ['[', 'line 1'],
    ] as const) {
      const answer = await preview(document);
      expect([document, reasonOf(answer)]).toEqual([document, 'invalid_value']);
      expect(answer.errors?.[0]?.message).toContain(words);
    }
  });

  it('reach every instance and the public list, say where they are set, and are withdrawn until they are in force', async () => {
    const later = of.clock.nowMs() + 60 * minuteMs;
    expect(reasonOf(await apply('tiers: { lower: 9 }', of.clock.nowMs() - 1))).toBe('invalid_value');
    const first = await number(apply('tiers: { lower: 4 }'));
    const second = await number(apply('tiers: { lower: 5 }', later));
    expect(await findPrice(of.app)).toBe(4);
    await eventually(async () => (await findPrice(beside)) === 4);
    const listed = await owner.ask('prices { document versions { number isInForce } models { id setIn } }');
    const { prices } = answerOf<{ prices: { versions: object[]; models: object[] } }>(listed);
    expect(prices.versions.slice(0, 2)).toEqual([
      { number: second, isInForce: false },
      { number: first, isInForce: true },
    ]);
    expect(prices.models).toContainEqual({ id: model, setIn: 'DATABASE' });
    expect(prices.models).toContainEqual({ id: 'gpt-4o', setIn: 'BUILT_IN' });
    const withdraw = (which: number) =>
      owner.change('withdrawPrices(number: $number, reason: $reason)', { number: which, reason });
    expect(reasonOf(await withdraw(first))).toBe('conflict');
    expect(reasonOf(await withdraw(second))).toBe('done');
    expect(reasonOf(await withdraw(second))).toBe('not_found');
    await number(apply('{}'));
    expect(await findPrice(of.app)).toBe(1);
    await eventually(async () => (await findPrice(beside)) === 1);
    of.clock.advanceMs(61 * minuteMs);
    expect(await findPrice(of.app)).toBe(1);
    // A session of operators has ended meanwhile.
    owner = await TestOperator.join(of, 'owner');
  });

  it('that a server has read on a clock that is ahead are in force no more once it is set right', async () => {
    const rightMs = of.clock.nowMs();
    const planned = await number(apply('tiers: { lower: 6 }', rightMs + 5 * minuteMs));
    of.clock.setWallMs(rightMs + 5 * minuteMs);
    await of.app.query('UPDATE catalogue_revision SET number = number + 1');
    const [row] = await of.app.query('SELECT number FROM catalogue_revision');
    await eventually(async () => (await readRevision(beside)) === Number(row?.number));
    expect(await findPrice(beside)).toBe(6);
    of.clock.setWallMs(rightMs);
    await eventually(async () => (await findPrice(beside)) === 1);
    await eventually(async () => (await findPrice(of.app)) === 1);
    await owner.change('withdrawPrices(number: $number, reason: $reason)', { number: planned, reason });
  });

  it(`are those of the moment in which a call was admitted, on every instance, whatever changes while it runs (seed ${seed})`, async () => {
    const choices = new SeededChoices(seed);
    const startMs = of.clock.nowMs();
    const steps = [3, 7, 2, 11, 5].map((price, index) => ({ price, fromMs: startMs + (index + 1) * minuteMs }));
    for (const { price, fromMs } of steps) await number(apply(`tiers: { lower: ${price} }`, fromMs));
    const [row] = await of.app.query('SELECT number FROM catalogue_revision');
    await eventually(async () => (await readRevision(beside)) === Number(row?.number));
    const priceAt = (nowMs: number) => steps.filter(({ fromMs }) => fromMs <= nowMs).at(-1)?.price ?? 1;
    const before = await of.app.findWallet(account.accountId);
    const running: { readonly price: number; readonly call: ReturnType<typeof call> }[] = [];
    upstream.hold();
    for (let step = 0; step < 40; step += 1) {
      const kind = choices.below(4);
      if (kind === 0) of.clock.advanceMs(1 + choices.below(20_000));
      else if (kind === 1 && choices.below(3) === 0) {
        upstream.release();
        await Promise.all(running.map((one) => one.call));
        upstream.hold();
      } else {
        const asked = upstream.asked.length;
        const price = priceAt(of.clock.nowMs());
        running.push({ price, call: call(choices.below(2) === 0 ? of.app : beside) });
        await eventually(() => upstream.asked.length === asked + 1);
      }
    }
    of.clock.advanceMs(6 * minuteMs);
    upstream.release();
    let sum = 0;
    for (const { price, call: ended } of running) {
      const { id, status } = await ended;
      expect(status).toBe(200);
      await of.app.waitUntilSettled(account.accountId);
      const receipt = await findReceipt(id);
      expect(receipt).toMatchObject({ credits_per_1000_tokens: price, credits_charged: (price * tokens) / 1_000 });
      sum += price * tokens;
    }
    expect(before.posted - (await of.app.findWallet(account.accountId)).posted).toBe(sum);
    expect(await findPrice(beside)).toBe(5);
  }, 60_000);

  it('that cannot be read leave the ones before in force', async () => {
    const before = await findPrice(of.app);
    const row = `(999, 'models: [', ${of.clock.nowMs()}, 1, 'a test', NULL)`;
    const columns = 'number, document, effective_at_ms, created_at_ms, created_by, withdrawn_at_ms';
    await of.app.query(`INSERT INTO price_version (${columns}) VALUES ${row}`);
    await of.app.query('UPDATE catalogue_revision SET number = number + 1');
    await eventually(() => beside.logLines.some((line) => line.includes('catalogue_unread')));
    expect(await findPrice(beside)).toBe(before);
    await of.app.query('DELETE FROM price_version WHERE number = 999');
  });

  it('may say what providers take, for cost and margin of the time before, too; what is not said is not made up', async () => {
    const usage = async () => {
      // From the day before: the clock of these servers runs ahead of the database's, whose day may not have begun.
      const range = `from: "${at(of.clock.nowMs() - 24 * 60 * minuteMs)}", to: "${at(of.clock.nowMs() + 1)}"`;
      const fields = 'name calls promptTokens completionTokens charged cost margin callsWithoutCost';
      const answer = await owner.ask(`money(${range}) { usage(by: MODEL) { groups { ${fields} } } }`);
      const found = answerOf<{ money: { usage: { groups: readonly Record<string, unknown>[] } } }>(answer);
      return found.money.usage.groups.find(({ name }) => name === model);
    };
    const unknown = await usage();
    expect(unknown).toMatchObject({ cost: 0, margin: null, callsWithoutCost: unknown?.calls });
    await number(apply('costs: { openai/gpt-4.1-mini: { input: 250, output: 1000.5 } }'));
    const [prompt, completion] = [Number(unknown?.promptTokens), Number(unknown?.completionTokens)];
    const cost = Math.round(250 * prompt + 1_000.5 * completion) / 1_000;
    const known = await usage();
    expect(known).toMatchObject({ callsWithoutCost: 0, calls: unknown?.calls });
    expect(Number(known?.cost)).toBe(cost);
    expect(Number(known?.margin)).toBeCloseTo(Number(unknown?.charged) - cost, 3);
    expect(reasonOf(await apply('costs: { openai/gpt-4.1-mni: { input: 1 } }'))).toBe('invalid_value');
  });
});
