import { systemClock } from '../kernel/clock.js';
import { JournalHours } from '../ledger/journal-hours.js';
import { MoneyDesk } from '../operator/money-desk.js';
import { type UsageTotalsParts, UsageTotalsReader } from '../totals/usage-totals.js';

/** What operators read of the money, on a database. */
export function openMoney({ unitOfWork, listCosts }: UsageTotalsParts): MoneyDesk {
  // The ledger writes its rows by the time of the machine, too.
  return new MoneyDesk(new JournalHours(unitOfWork, systemClock), new UsageTotalsReader({ unitOfWork, listCosts }));
}
