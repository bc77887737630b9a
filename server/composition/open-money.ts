import { type Clock, systemClock } from '../kernel/clock.js';
import { JournalHours } from '../ledger/journal/journal-hours.js';
import { MoneyDesk } from '../operator/money/money-desk.js';
import { type UsageTotalsParts, UsageTotalsReader } from '../totals/usage-totals.js';

/** What operators read of the money, on a database. @param clock Left out: that of the machine, by which the ledger writes its rows, too. */
export function openMoney({ unitOfWork, listCosts }: UsageTotalsParts, clock: Clock = systemClock): MoneyDesk {
  return new MoneyDesk(new JournalHours(unitOfWork, clock), new UsageTotalsReader({ unitOfWork, listCosts }));
}
