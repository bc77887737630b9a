import { FakeClock } from '../../kernel/clock.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { grantOf, LedgerFixture } from '../../test/ledger-fixture.js';
import { openSteppedLedger } from '../../test/stepped-ledger.js';
import type { Ledger } from '../ledger.js';
import { JournalHours } from './journal-hours.js';
import { dayMs, hourMs } from './journal-rows.js';
import { JournalSummer } from './journal-summer.js';

const beginMs = Date.UTC(2026, 4, 4, 10, 20);
const times = { leaseMs: 60_000, graceMs: 30_000 };

describeOnEachDatabase(
  'The hours of the journal, summed while the clock of the database was ahead',
  (openTestDatabase) => {
    const fixture = LedgerFixture.forEach(openTestDatabase);
    let clock: FakeClock;
    let ledger: Ledger;
    let accountId: string;

    beforeEach(async () => {
      clock = new FakeClock(beginMs);
      ledger = openSteppedLedger(fixture, { instance: 'a', times, clock, readMs: () => 0 });
      accountId = (await fixture.createFundedAccount(0)).accountId;
    });
    // Before the fixture closes, which proves the books.
    const close = () => ledger.close();

    const findNowMs = async () => clock.nowMs();
    const sumUp = () => new JournalSummer(fixture.unitOfWork, clock, { findNowMs }).sumUp();
    const grant = (amount: number) => ledger.grantCredits(grantOf(accountId, amount));
    /** What all wallets had at the end of the last day, by the hours as far as there are any, and now. */
    const readBoth = async () => {
      const hours = new JournalHours(fixture.unitOfWork, clock, { findNowMs });
      const fromMs = beginMs - (beginMs % dayMs);
      const { days } = await hours.listDays(fromMs, fromMs + 60 * dayMs);
      return [days.at(-1)?.closing, (await hours.findLiability()).total];
    };

    it.each([3 * hourMs, 40 * dayMs])(
      'have what is booked in them once it is set right, %d ms back',
      async (aheadMs) => {
        await grant(1_000);
        clock.setWallMs(beginMs + aheadMs);
        await grant(200);
        clock.advanceMs(2 * hourMs);
        await sumUp();
        expect(await fixture.countRows('ledger_hour', '1 = 1')).toBe(2);
        clock.setWallMs(beginMs + 10 * 60_000);
        await grant(30);
        expect(await readBoth()).toEqual([expect.any(BigInt), 1_230n]);
        await sumUp();
        clock.advanceMs(aheadMs + 4 * hourMs);
        await grant(4);
        await sumUp();
        expect(await readBoth()).toEqual([1_234n, 1_234n]);
        await close();
      },
    );

    it('are not kept by a process that was summing just then, and had not seen that it was set right', async () => {
      await grant(1_000);
      clock.setWallMs(beginMs + 3 * hourMs);
      const summer = new JournalSummer(fixture.unitOfWork, clock, {
        // It is set right after this was asked for the first time, and a row is written before the hour is kept.
        findNowMs: async () => {
          const atMs = clock.nowMs();
          if (atMs > beginMs + hourMs) clock.setWallMs(beginMs + 60_000);
          return atMs;
        },
      });
      const summing = summer.sumUp();
      await grant(30);
      await summing;
      expect(await fixture.countRows('ledger_hour', '1 = 1')).toBe(0);
      expect(await readBoth()).toEqual([1_030n, 1_030n]);
      await close();
    });
  },
);
