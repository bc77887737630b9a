import { describeOnEachDatabase } from '../../test/each-database.js';
import { endingWith, LedgerFixture } from '../../test/ledger-fixture.js';
import { SpendingReporter } from './spending.js';

describeOnEachDatabase('SpendingReporter', (openTestDatabase) => {
  const nowMs = Date.now();
  const dayMs = 86_400_000;
  const fixture = LedgerFixture.forAll(openTestDatabase);
  let reporter: SpendingReporter;
  let account: { accountId: string; keyId: string };

  beforeAll(async () => {
    reporter = new SpendingReporter(fixture.unitOfWork);
    account = await fixture.createFundedAccount(1_000_000);
    for (let n = 0; n < 9; n += 1) await spend({ daysAgo: 1, model: `model-${n}`, tokens: 100 + n });
    await spend({ daysAgo: 0, model: 'model-0', tokens: 1_000 });
    await spend({ daysAgo: 0, model: 'model-8', tokens: 7, outcome: 'interrupted' });
    await spend({ daysAgo: 2, model: 'model-8', tokens: 0, outcome: 'interrupted' });
    await spend({ daysAgo: 45, model: 'model-0', tokens: 50, outcome: 'interrupted' });
  });

  interface Spent {
    readonly daysAgo: number;
    readonly model: string;
    readonly tokens: number;
    readonly outcome?: 'completed' | 'interrupted';
  }
  function spend({ daysAgo, ...rest }: Spent) {
    return spendAt(nowMs - daysAgo * dayMs, rest);
  }
  async function spendAt(startedAtMs: number, { model, tokens, outcome = 'completed' }: Omit<Spent, 'daysAgo'>) {
    const ending = { ...endingWith(tokens, 0), outcome };
    await fixture.call(account, ending, { heldMillicredits: 100_000, startedAtMs, model });
  }

  it('tells each of the last 60 days to the millicredit, today last, and as much in all as the ledger charged', async () => {
    const { daily, fromMs } = await reporter.report(account.accountId, nowMs);
    expect(daily).toHaveLength(60);
    expect(fromMs % dayMs).toBe(0);
    expect([daily.at(-1), daily.at(-2), daily.at(-46)]).toEqual([1_007, 936, 50]);
    const { posted } = await fixture.findWallet(account.accountId);
    expect(daily.reduce((sum, day) => sum + day, 0)).toBe(1_000_000 - posted);
  });

  it('divides the last 30 by the six dearest models and all others, and loses nothing', async () => {
    const { models, daily } = await reporter.report(account.accountId, nowMs);
    expect(models.map(({ model }) => model)).toEqual([
      'model-0',
      'model-8',
      ...['model-7', 'model-6', 'model-5', 'model-4'],
      null,
    ]);
    for (const model of models) expect(model.daily).toHaveLength(30);
    const sums = daily.slice(-30).map((_, day) => models.reduce((sum, model) => sum + (model.daily[day] ?? 0), 0));
    expect(sums).toEqual(daily.slice(-30));
  });

  it('tells failures that were free from those that were charged for what had arrived', async () => {
    const { calls, failedCalls, chargedFailures } = await reporter.report(account.accountId, nowMs);
    expect({ calls, failedCalls, chargedFailures }).toEqual({ calls: 12, failedCalls: 2, chargedFailures: 1 });
  });

  it('compares times of the same length alone: of the last day of each what came up to the last whole hour of today', async () => {
    account = await fixture.createFundedAccount(1_000_000);
    const todayMs = nowMs - (nowMs % dayMs) - dayMs;
    const uses = [
      [0, '14:59', 1],
      [0, '15:05', 2],
      [1, '14:59', 10],
      [1, '15:00', 20],
      [7, '14:59', 100],
      [7, '16:00', 200],
      [8, '23:00', 1_000],
      [30, '10:00', 10_000],
      [30, '20:00', 20_000],
    ] as const;
    for (const [daysAgo, time, tokens] of uses) {
      await spendAt(todayMs - daysAgo * dayMs + Date.parse(`1970-01-01T${time}Z`), { model: 'demo-small', tokens });
    }
    const untilMs = todayMs + 15 * 3_600_000;
    const { changes, comparedUntilMs } = await reporter.report(account.accountId, untilMs + 20 * 60_000);
    expect(comparedUntilMs).toBe(untilMs);
    expect(changes).toEqual([
      { days: 1, spent: 1, before: 10 },
      { days: 7, spent: 31, before: 1_100 },
      { days: 30, spent: 1_331, before: 10_000 },
    ]);
    const [atMidnight] = (await reporter.report(account.accountId, todayMs + 60_000)).changes;
    expect(atMidnight).toEqual({ days: 1, spent: 0, before: 0 });
  });
});
