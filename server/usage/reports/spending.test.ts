import { createId } from '../../kernel/ids.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { endingWith, factsAt, LedgerFixture } from '../../test/ledger-fixture.js';
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
    for (let n = 0; n < 9; n += 1) await use({ daysAgo: 1, model: `model-${n}`, tokens: 100 + n });
    await use({ daysAgo: 0, model: 'model-0', tokens: 1_000 });
    await use({ daysAgo: 0, model: 'model-8', tokens: 7, outcome: 'interrupted' });
    await use({ daysAgo: 2, model: 'model-8', tokens: 0, outcome: 'interrupted' });
    await use({ daysAgo: 45, model: 'model-0', tokens: 50, outcome: 'interrupted' });
  });

  interface Use {
    readonly daysAgo: number;
    readonly model: string;
    readonly tokens: number;
    readonly outcome?: 'completed' | 'interrupted';
  }
  async function use({ daysAgo, model, tokens, outcome = 'completed' }: Use) {
    const callId = createId('call');
    const amountMillicredits = toMillicredits(10_000);
    const facts = { ...factsAt(1), startedAtMs: nowMs - daysAgo * dayMs, model };
    const hold = { callId, ...account, facts, amountMillicredits, acceptFromMillicredits: amountMillicredits };
    await fixture.ledger.placeHold(hold);
    const ending = { ...endingWith(tokens, 0), outcome };
    await fixture.ledger.settleHold({ callId, accountId: account.accountId, ending });
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
});
