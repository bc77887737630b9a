import { findAccountFacts } from '../../accounts/find-accounts.js';
import type { Config } from '../../config/config.js';
import { AccountLimits } from '../../limits/account-limits.js';
import { AccountLimitDesk, type AccountLimitDeskParts } from '../../operator/accounts/account-limit-desk.js';
import type { OperatorLog } from '../../operator/operator-log.js';
import type { PriceGroupParts } from './open-price-groups.js';

/** The limits of single accounts, and what sets them. Starts nothing. */
export function openAccountLimits(
  { clock, keyChanges, unitOfWork }: PriceGroupParts,
  { database }: Pick<Config, 'database'>,
) {
  const accountLimits = new AccountLimits({
    unitOfWork,
    clock,
    news: keyChanges,
    watch: keyChanges.current,
    // Beside the server of a SQLite file a program may change something, and tells it nothing.
    watchedMsMax: database.kind === 'mysql' ? 60_000 : 0,
  });
  const hasAccount = async (id: string) => (await findAccountFacts(unitOfWork.reader, id))?.closedAtMs === null;
  const openAccountLimitDesk = (log: OperatorLog, listModels: AccountLimitDeskParts['listModels']) =>
    new AccountLimitDesk({ log, limits: accountLimits, hasAccount, listModels });
  return { accountLimits, openAccountLimitDesk };
}
