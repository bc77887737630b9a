import { readDatabaseMs } from '../database/time/database-clock.js';
import { systemClock, type WallClock } from '../kernel/clock.js';
import { JournalHours } from '../ledger/journal/journal-hours.js';
import { MoneyDesk } from '../operator/money/money-desk.js';
import { type UsageTotalsParts, UsageTotalsReader } from '../totals/usage-totals.js';

/**
 * What operators read of the money, on a database.
 * @param clock Left out: that of the machine. @param findNowMs By which an hour is over; left out: the database's time, by which the
 *   ledger writes its rows.
 */
export function openMoney(
  { unitOfWork, listCosts }: UsageTotalsParts,
  clock: WallClock = systemClock,
  findNowMs = () => readDatabaseMs(unitOfWork.reader, clock),
): MoneyDesk {
  const journal = new JournalHours(unitOfWork, clock, { findNowMs });
  return new MoneyDesk(journal, new UsageTotalsReader({ unitOfWork, listCosts }));
}
