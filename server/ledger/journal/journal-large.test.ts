import { FakeClock } from '../../kernel/clock.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import { MoneyDesk } from '../../operator/money/money-desk.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { UsageTotalsReader } from '../../totals/usage-totals.js';
import { JournalHours } from './journal-hours.js';
import { dayMs, hourMs } from './journal-rows.js';
import { JournalSummer } from './journal-summer.js';

/** As large as a wallet of before its bound may be, and odd, so that no sum of several is a number that JavaScript has. */
const oneWallet = 8_999_999_999_999_999;
const walletCount = 5;

describeOnEachDatabase('The journal of more than a number holds exactly', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);
  const accountIds: string[] = [];
  beforeAll(async () => {
    for (let n = 0; n < walletCount; n += 1) accountIds.push((await fixture.createFundedAccount(0)).accountId);
  });

  const openDesk = (atMs: number) => {
    const { unitOfWork } = fixture;
    const journal = new JournalHours(unitOfWork, new FakeClock(atMs));
    const summer = new JournalSummer(unitOfWork, new FakeClock(atMs));
    const desk = new MoneyDesk(journal, new UsageTotalsReader({ unitOfWork, listCosts: async () => [] }));
    return { summer, desk };
  };
  const move = (accountId: string, kind: string, amount: number) => ({
    ...{ transferId: `${kind}:${accountId}`, accountId, amountMillicredits: toMillicredits(amount) },
  });

  it('is shown, closed and summed to the millicredit, and goes on when it was taken back', async () => {
    for (const accountId of accountIds)
      await fixture.ledger.grantCredits({ ...move(accountId, 'won', oneWallet), type: 'dispute_reversal' });
    const all = BigInt(oneWallet) * BigInt(walletCount);
    const atMs = Date.now();
    const range = { fromMs: atMs - (atMs % dayMs), toMs: atMs - (atMs % dayMs) + dayMs };
    const expectAll = async ({ desk }: ReturnType<typeof openDesk>, nowMs: number) => {
      const wide = { fromMs: range.fromMs, toMs: Math.max(range.toMs, nowMs) };
      const { closing, sums } = await desk.report(wide);
      expect([closing, sums.disputesReturned]).toEqual([all, all]);
      expect(await desk.findLiability()).toEqual({ total: all, unbookedUse: 0n, summedUntilMs: null });
      const close = await desk.writeClose(new Date(atMs).toISOString().slice(0, 7));
      expect(close).toContain(`,${String(all).slice(0, -3)}.${String(all).slice(-3)},`);
    };
    await expectAll(openDesk(atMs), atMs);
    const later = openDesk(atMs + 2 * hourMs);
    expect(await later.summer.sumUp()).toBe(true);
    expect(await fixture.countRows('ledger_hour')).toBeGreaterThan(0);
    await expectAll(later, atMs + 2 * hourMs);
    // What follows is booked in the same hour by the database's clock.
    await fixture.source.query('DELETE FROM ledger_hour');
    for (const accountId of accountIds)
      await fixture.ledger.reverseGrant({ ...move(accountId, 'lost', oneWallet), type: 'dispute' });
    expect(await later.summer.sumUp()).toBe(true);
    expect(await later.desk.findLiability()).toMatchObject({ total: 0n });
  });
});
