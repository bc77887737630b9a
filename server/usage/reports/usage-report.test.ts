import { describeOnEachDatabase } from '../../test/each-database.js';
import { endingWith, LedgerFixture } from '../../test/ledger-fixture.js';
import { UsageReporter } from './usage-report.js';

describeOnEachDatabase('UsageReporter', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);
  let reporter: UsageReporter;
  let account: { accountId: string; keyId: string };
  let someoneElse: typeof account;
  const otherKeyId = 'playground';
  const january = (day: number, hour = 0) => Date.UTC(2026, 0, day, hour);

  beforeAll(async () => {
    reporter = new UsageReporter(fixture.unitOfWork);
    account = await fixture.createFundedAccount(1_000_000);
    someoneElse = await fixture.createFundedAccount(1_000_000);
    await use(account, { atMs: january(1, 5), price: 1, tokens: 100 });
    await use(account, { atMs: january(1, 5), price: 1, tokens: 11 });
    await use(account, { atMs: january(1, 23), price: 2, tokens: 200 });
    await use(account, { atMs: january(3), price: 1, tokens: 7 });
    await use(someoneElse, { atMs: january(1, 5), price: 1, tokens: 5_000 });
  });

  interface Use {
    readonly atMs: number;
    readonly price: number;
    readonly tokens: number;
    readonly provider?: string;
  }
  async function use(by: typeof account, { atMs, price, tokens, provider = 'demo' }: Use) {
    const known = { heldMillicredits: 10_000, price, startedAtMs: atMs, provider };
    await fixture.call(by, { ...endingWith(tokens, 0), provider }, known);
  }
  const ask = (changes: Partial<Parameters<UsageReporter['report']>[0]>) =>
    reporter.report({
      accountId: account.accountId,
      fromMs: january(1),
      toMs: january(4),
      bucket: 'day',
      groupings: ['none'],
      ...changes,
    });

  it('sums by day, fills days without use, and sees nobody else’s calls', async () => {
    const { buckets, total } = await ask({});
    expect(buckets.map(({ startMs, sums }) => [startMs, sums.calls, sums.chargedMillicredits])).toEqual([
      [january(1), 3, 511],
      [january(2), 0, 0],
      [january(3), 1, 7],
    ]);
    expect(total).toEqual({
      calls: 4,
      failedCalls: 0,
      promptTokens: 318,
      completionTokens: 0,
      chargedMillicredits: 518,
      ...{ toldCalls: 4, cachedTokens: 0, reasoningTokens: 0 },
    });
  });

  it('totals to the millicredit what the ledger charged', async () => {
    const { total } = await ask({ bucket: 'month', toMs: january(31) });
    expect((await fixture.findWallet(account.accountId)).posted).toBe(1_000_000 - total.chargedMillicredits);
  });

  it('divides by model, the dearest first, with the same buckets', async () => {
    const { groups } = await ask({ groupings: ['model'] });
    expect(
      groups.map(({ values, sums, buckets }) => [
        values.model,
        sums.chargedMillicredits,
        buckets.map(({ calls }) => calls),
      ]),
    ).toEqual([
      ['demo-large', 400, [1, 0, 0]],
      ['demo-small', 118, [2, 0, 1]],
    ]);
  });

  it('divides by provider and by key', async () => {
    const listValues = async (grouping: 'provider' | 'api_key') =>
      (await ask({ groupings: [grouping] })).groups.map(({ values }) => values);
    expect(await listValues('provider')).toEqual([{ provider: 'demo' }]);
    expect(await listValues('api_key')).toEqual([{ api_key: account.keyId }]);
  });

  describe('of an account with two keys, two models and two providers', () => {
    const february = Date.UTC(2026, 1, 1);
    const march = Date.UTC(2026, 2, 1);
    const askFebruary = (changes: Partial<Parameters<UsageReporter['report']>[0]>) =>
      ask({ fromMs: february, toMs: march, bucket: 'month', ...changes });
    beforeAll(async () => {
      const other = { ...account, keyId: otherKeyId };
      await use(account, { atMs: february, price: 1, tokens: 1 });
      await use(account, { atMs: february, price: 2, tokens: 10 });
      await use(someoneElse, { atMs: february, price: 1, tokens: 5_000 });
      await use(other, { atMs: february + 1, price: 1, tokens: 100 });
      await use(other, { atMs: february + 2, price: 1, tokens: 1_000, provider: 'elsewhere' });
    });
    const show = ({ groups }: Awaited<ReturnType<UsageReporter['report']>>) =>
      groups.map(({ values, sums, buckets }) => {
        expect(buckets).toEqual([sums]);
        return [values, sums.chargedMillicredits];
      });

    it('divides by several at once, in the order asked for, and to the same total', async () => {
      const report = await askFebruary({ groupings: ['api_key', 'model', 'provider'] });
      expect(show(report)).toEqual([
        [{ api_key: otherKeyId, model: 'demo-small', provider: 'elsewhere' }, 1_000],
        [{ api_key: otherKeyId, model: 'demo-small', provider: 'demo' }, 100],
        [{ api_key: account.keyId, model: 'demo-large', provider: 'demo' }, 20],
        [{ api_key: account.keyId, model: 'demo-small', provider: 'demo' }, 1],
      ]);
      expect(Object.keys(report.groups[0]?.values ?? {})).toEqual(['api_key', 'model', 'provider']);
      expect(report.total.chargedMillicredits).toBe(1_121);
      expect(show(await askFebruary({ groupings: ['model', 'api_key'] }))).toEqual([
        [{ model: 'demo-small', api_key: otherKeyId }, 1_100],
        [{ model: 'demo-large', api_key: account.keyId }, 20],
        [{ model: 'demo-small', api_key: account.keyId }, 1],
      ]);
    });

    it('sums groups alone as a report does with its buckets, by hours of the ledger and by receipts', async () => {
      const question = { accountId: account.accountId, fromMs: january(1), toMs: march, bucket: 'day' } as const;
      for (const groupings of [['model'], ['api_key', 'provider'], ['status'], ['tag', 'model']] as const) {
        const { groups } = await reporter.report({ ...question, groupings });
        const alone = await reporter.sumGroups({ ...question, groupings });
        expect(alone).toHaveLength(groups.length);
        expect(alone).toEqual(expect.arrayContaining(groups.map(({ values, sums }) => ({ values, sums }))));
      }
      expect(
        await reporter.sumGroups({ ...question, fromMs: january(2), toMs: january(3), groupings: ['model'] }),
      ).toEqual([]);
    });

    it('is narrowed to keys, models and providers, each by itself and all together', async () => {
      const total = async (filter: NonNullable<Parameters<UsageReporter['report']>[0]['filter']>) =>
        (await askFebruary({ filter })).total.chargedMillicredits;
      expect(await total({ api_key: [otherKeyId] })).toBe(1_100);
      expect(await total({ model: ['demo-large'] })).toBe(20);
      expect(await total({ model: ['demo-large', 'demo-small'] })).toBe(1_121);
      expect(await total({ provider: ['elsewhere'] })).toBe(1_000);
      expect(await total({ api_key: [account.keyId], model: ['demo-small'], provider: ['demo'] })).toBe(1);
      for (const id of [someoneElse.keyId, "x' OR 1=1"]) expect(await total({ api_key: [id] })).toBe(0);
    });

    it('refuses nothing beside something', async () => {
      const asked = askFebruary({ groupings: ['none', 'model'] });
      await expect(asked).rejects.toMatchObject({ code: 'invalid_value', param: 'groupBy' });
    });

    it('refuses a report of several dimensions that nobody could read', async () => {
      const key = await fixture.createFundedAccount(0);
      const rows = Array.from(
        { length: 101 },
        (_, at) => `('${key.accountId}', 0, 'k', 'model-${at}', 'p', 1, 0, 0, 0, 0, 0)`,
      );
      await fixture.source.query(
        `INSERT INTO usage_hour (account_id, hour_ms, key_id, model, provider, calls, failed_calls, prompt_tokens, completion_tokens, charged_millicredits, absorbed_millicredits) VALUES ${rows.join(', ')}`,
      );
      const wide = { ...key, fromMs: 0, toMs: 1_000 * 3_600_000, bucket: 'hour' } as const;
      await expect(ask({ ...wide, groupings: ['model', 'provider'] })).rejects.toMatchObject({ param: 'groupBy' });
      expect((await ask({ ...wide, bucket: 'day', groupings: ['model', 'provider'] })).groups).toHaveLength(101);
      await fixture.source.query(`DELETE FROM usage_hour WHERE account_id = '${key.accountId}'`);
    });
  });

  it('refuses sums by tag over a time of which receipts were removed, and says from when it has them', async () => {
    const idle = await fixture.createFundedAccount(0);
    await fixture.source.query(
      `INSERT INTO sealed_month VALUES ('${idle.accountId}', ${january(1)}, ${Date.UTC(2026, 1, 1)}, 1, 0, 0, 0, 0, 0)`,
    );
    const ask = (groupings: readonly ('tag' | 'model')[], fromMs: number) =>
      reporter.report({
        ...{ accountId: idle.accountId, bucket: 'day', groupings },
        ...{ fromMs, toMs: fromMs + 86_400_000 },
      });
    await expect(ask(['tag'], january(31))).rejects.toThrow('Calls before 2026-02-01 are kept as sums');
    await expect(ask(['tag'], Date.UTC(2026, 1, 1))).resolves.toMatchObject({ groups: [] });
    await expect(ask(['model'], january(31))).resolves.toMatchObject({ groups: [] });
    await fixture.source.query('DELETE FROM sealed_month');
  });

  it('rounds the time to whole buckets', async () => {
    const { buckets } = await ask({ bucket: 'hour', fromMs: january(1, 5) + 1, toMs: january(1, 6) + 1 });
    expect(buckets.map(({ startMs, sums }) => [startMs, sums.calls])).toEqual([
      [january(1, 5), 2],
      [january(1, 6), 0],
    ]);
  });

  it('refuses an empty time, and more buckets than anyone reads', async () => {
    await expect(ask({ toMs: january(1) })).rejects.toMatchObject({ code: 'invalid_value', param: 'to' });
    await expect(ask({ bucket: 'hour', toMs: january(100) })).rejects.toMatchObject({ param: 'bucket' });
  });
});
