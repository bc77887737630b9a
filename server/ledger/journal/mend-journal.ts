import { type EntityManager, MoreThanOrEqual } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { LedgerHourEntity } from '../tables/ledger-hour.entity.js';
import { hourMs, JournalRows, type SummedHour } from './journal-rows.js';
import { type JournalSums, netOf } from './journal-sums.js';

const hoursAtOnce = 500;

/**
 * The first hour from which on the sums of the journal are not what its rows say, or are missing; null: there is none. It reads all of the
 * journal that is summed, an hour at a time, without a lock: whatever is written meanwhile belongs to hours that are not.
 * @throws the database's error.
 */
export async function findWrongJournalMs(unitOfWork: UnitOfWork): Promise<number | null> {
  const rows = new JournalRows(unitOfWork);
  let [untilMs, liability] = [0, 0n];
  for (;;) {
    const hours = await rows.listHours(untilMs, hoursAtOnce);
    for (const hour of hours) {
      const beginMs = hour.hourMs;
      const firstMs = await rows.findFirstMs(untilMs);
      if (firstMs !== null && firstMs < beginMs) return firstMs - (firstMs % hourMs);
      untilMs = beginMs + hourMs;
      const sums = await rows.sum({ fromMs: beginMs, toMs: untilMs });
      liability += netOf(sums);
      if (beginMs % hourMs !== 0 || !isSame(hour, sums, liability)) return beginMs;
    }
    if (hours.length < hoursAtOnce) return null;
  }
}

/** Takes back the sums from an hour on, so that `JournalSummer` makes them anew; what is not summed is read from the journal meanwhile. @throws the database's error. */
export async function takeBackJournalHours(transaction: EntityManager, fromMs: number): Promise<void> {
  await transaction.delete(LedgerHourEntity, { hourMs: MoreThanOrEqual(fromMs) });
}

function isSame(hour: SummedHour, sums: JournalSums, liability: bigint): boolean {
  const kinds = Object.keys(sums) as (keyof JournalSums)[];
  return hour.liabilityAfter === liability && kinds.every((kind) => hour.sums[kind] === sums[kind]);
}
