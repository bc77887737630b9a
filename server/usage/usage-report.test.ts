import { UnitOfWork } from '../database/unit-of-work.js';
import { createId } from '../kernel/ids.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { endingWith, factsAt, LedgerFixture } from '../test/ledger-fixture.js';
import { UsageReporter } from './usage-report.js';

describeOnEachDatabase('UsageReporter', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let reporter: UsageReporter;
  let account: { accountId: string; keyId: string };
  const january = (day: number, hour = 0) => Date.UTC(2026, 0, day, hour);

  beforeAll(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    reporter = new UsageReporter(new UnitOfWork(fixture.source));
    account = await fixture.createFundedAccount(1_000_000);
    const someoneElse = await fixture.createFundedAccount(1_000_000);
    await use(account, { atMs: january(1, 5), price: 1, tokens: 100 });
    await use(account, { atMs: january(1, 5), price: 1, tokens: 11 });
    await use(account, { atMs: january(1, 23), price: 2, tokens: 200 });
    await use(account, { atMs: january(3), price: 1, tokens: 7 });
    await use(someoneElse, { atMs: january(1, 5), price: 1, tokens: 5_000 });
  });
  afterAll(() => fixture.close());

  async function use(by: typeof account, { atMs, price, tokens }: { atMs: number; price: number; tokens: number }) {
    const callId = createId('call');
    const amount = toMillicredits(10_000);
    const facts = { ...factsAt(price), startedAtMs: atMs };
    await fixture.ledger.placeHold({
      callId,
      ...by,
      facts,
      amountMillicredits: amount,
      acceptFromMillicredits: amount,
    });
    await fixture.ledger.settleHold({ callId, accountId: by.accountId, ending: endingWith(tokens, 0) });
  }
  const ask = (changes: Partial<Parameters<UsageReporter['report']>[0]>) =>
    reporter.report({
      accountId: account.accountId,
      fromMs: january(1),
      toMs: january(4),
      bucket: 'day',
      grouping: 'none',
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
    });
  });

  it('totals to the millicredit what the ledger charged', async () => {
    const { total } = await ask({ bucket: 'month', toMs: january(31) });
    expect((await fixture.findWallet(account.accountId)).posted).toBe(1_000_000 - total.chargedMillicredits);
  });

  it('divides by model, the dearest first, with the same buckets', async () => {
    const { groups } = await ask({ grouping: 'model' });
    expect(
      groups.map(({ key, sums, buckets }) => [key, sums.chargedMillicredits, buckets.map(({ calls }) => calls)]),
    ).toEqual([
      ['demo-large', 400, [1, 0, 0]],
      ['demo-small', 118, [2, 0, 1]],
    ]);
  });

  it('divides by provider and by key', async () => {
    expect((await ask({ grouping: 'provider' })).groups.map(({ key }) => key)).toEqual(['demo']);
    expect((await ask({ grouping: 'api_key' })).groups.map(({ key }) => key)).toEqual([account.keyId]);
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
