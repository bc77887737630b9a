import type { UnitOfWork } from './database/unit-of-work.js';
import { systemClock } from './kernel/clock.js';
import { JournalHours } from './ledger/journal-hours.js';
import { UsageTotalsReader } from './ledger/usage-totals.js';
import { MoneyDesk } from './operator/money-desk.js';

/** What operators read of the money, on a database. */
export function openMoney(unitOfWork: UnitOfWork): MoneyDesk {
  // The ledger writes its rows by the time of the machine, too.
  return new MoneyDesk(new JournalHours(unitOfWork, systemClock), new UsageTotalsReader(unitOfWork));
}
