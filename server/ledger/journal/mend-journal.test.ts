import type { UnitOfWork } from '../../database/unit-of-work.js';
import { FakeClock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { openSteppedLedger } from '../../test/stepped-ledger.js';
import type { Ledger } from '../ledger.js';
import { hourMs } from './journal-rows.js';
import { JournalSummer } from './journal-summer.js';
import { findWrongJournalMs, takeBackJournalHours } from './mend-journal.js';

const beginMs = Date.UTC(2026, 4, 4, 10);
const times = { leaseMs: 60_000, graceMs: 30_000 };

describeOnEachDatabase('Sums of the journal that are wrong', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let clock: FakeClock;
  let ledger: Ledger;

  /** Six hours in a row with rows, of which all but the last are summed. */
  beforeEach(async () => {
    clock = new FakeClock(beginMs + 1);
    ledger = openSteppedLedger(fixture, { instance: 'a', times, clock, readMs: () => 0 });
    const { accountId } = await fixture.createFundedAccount(0);
    for (let hour = 0; hour < 6; hour += 1) {
      for (const type of ['grant', 'adjustment'] as const) {
        const amountMillicredits = toMillicredits(1_000 + hour);
        await ledger.grantCredits({ transferId: `${type}:${createId('call')}`, type, accountId, amountMillicredits });
      }
      clock.advanceMs(hourMs);
    }
    // The sixth hour is over, and not long enough.
    await sumUp();
    expect(await fixture.countRows('ledger_hour', '1 = 1')).toBe(5);
  });
  afterEach(() => ledger.close());

  const sumUp = (unitOfWork: UnitOfWork = fixture.unitOfWork) =>
    new JournalSummer(unitOfWork, clock, { findNowMs: async () => clock.nowMs() }).sumUp();
  const find = () => findWrongJournalMs(fixture.unitOfWork);
  const takeBack = (fromMs: number) =>
    fixture.unitOfWork.transactForServer((transaction) => takeBackJournalHours(transaction, fromMs));
  const readHours = () => fixture.source.query('SELECT * FROM ledger_hour ORDER BY hour_ms');
  const at = (hour: number) => beginMs + hour * hourMs;

  const faults: readonly (readonly [string, number, readonly string[]])[] = [
    ['a sum of one kind', 2, [`UPDATE ledger_hour SET sales = sales + 7 WHERE hour_ms = ${at(2)}`]],
    [
      'sums of two kinds that come to the same, which no chain shows',
      1,
      [`UPDATE ledger_hour SET added = added + 7, gifts = gifts - 7 WHERE hour_ms = ${at(1)}`],
    ],
    [
      'what is owed from an hour on, and the sum that it rests on',
      3,
      [
        `UPDATE ledger_hour SET sales = sales + 7 WHERE hour_ms = ${at(3)}`,
        `UPDATE ledger_hour SET liability_after = liability_after + 7 WHERE hour_ms >= ${at(3)}`,
      ],
    ],
    ['an hour that is gone', 2, [`DELETE FROM ledger_hour WHERE hour_ms = ${at(2)}`]],
    ['the first one that is gone', 0, [`DELETE FROM ledger_hour WHERE hour_ms = ${at(0)}`]],
    [
      'an hour that began at another time',
      4,
      [`UPDATE ledger_hour SET hour_ms = hour_ms + 60000 WHERE hour_ms = ${at(4)}`],
    ],
  ];
  it.each(faults)('are found, taken back from there, and made anew as they were: %s', async (_, hour, statements) => {
    expect(await find()).toBeNull();
    const before = await readHours();
    for (const statement of statements) await fixture.source.query(statement);
    expect(await find()).toBe(at(hour));
    await takeBack(at(hour));
    expect(await fixture.countRows('ledger_hour', '1 = 1')).toBe(hour);
    expect(await find()).toBeNull();
    await sumUp();
    expect(await readHours()).toEqual(before);
  });

  it('have no later hour rest on them that is summed while they are taken back', async () => {
    await fixture.source.query('UPDATE ledger_hour SET liability_after = liability_after + 7');
    clock.advanceMs(hourMs);
    let isFirst = true;
    const { unitOfWork } = fixture;
    const slow: UnitOfWork = Object.create(unitOfWork, {
      reader: { get: () => unitOfWork.reader },
      transactForServer: {
        value: async (work: Parameters<UnitOfWork['transactForServer']>[0]) => {
          if (isFirst) {
            isFirst = false;
            await takeBack(at(0));
          }
          return unitOfWork.transactForServer(work);
        },
      },
    });
    await sumUp(slow);
    expect(await find()).toBeNull();
    expect(await fixture.countRows('ledger_hour', '1 = 1')).toBe(6);
  });
});
