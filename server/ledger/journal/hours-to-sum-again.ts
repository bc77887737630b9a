const hourMs = 3_600_000;

/** The last hour of the journal that is summed (`JournalSummer`), as a statement. */
export const lastJournalHour = 'SELECT MAX(hour_ms) FROM ledger_hour';

/**
 * From which hour on the sums of the journal are removed, in the transaction that writes rows of this time: a clock that was ahead had hours
 * summed that go on once it is right again. null: none.
 */
export function findHourToSumAgain(nowMs: number, summedJournalHourMs: number | null): number | null {
  const hour = nowMs - (nowMs % hourMs);
  return summedJournalHourMs !== null && hour <= summedJournalHourMs ? hour : null;
}
