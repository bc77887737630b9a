import { findAccountFacts } from '../../accounts/find-accounts.js';
import { AccountPrices } from '../../catalogue/account-prices.js';
import { PriceGroups } from '../../catalogue/price-groups.js';
import type { Config } from '../../config/config.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { Clock } from '../../kernel/clock.js';
import { readStanding } from '../../keys/changes/key-change-log.js';
import type { KeyChanges } from '../../keys/changes/key-changes.js';
import { PriceGroupDesk } from '../../operator/catalogue/price-group-desk.js';
import type { OperatorLog } from '../../operator/operator-log.js';

export interface PriceGroupParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly keyChanges: KeyChanges;
}

/** What accounts pay that are in a price group, and what puts them there. Starts nothing. */
export function openPriceGroups(
  { clock, keyChanges, unitOfWork }: PriceGroupParts,
  { database }: Pick<Config, 'database'>,
) {
  const isShared = database.kind === 'mysql';
  const isUpgradeFinished = async () => !isShared || (await readStanding(unitOfWork.reader)).isComplete;
  const groups = new PriceGroups({ unitOfWork, clock, news: keyChanges, isUpgradeFinished });
  const hasAccount = async (id: string) => (await findAccountFacts(unitOfWork.reader, id))?.closedAtMs === null;
  const accountPrices = new AccountPrices({
    clock,
    watch: keyChanges.current,
    findGroup: (accountId: string) => groups.findOf(accountId),
    // Beside the server of a SQLite file a program may change something, and tells it nothing.
    watchedMsMax: isShared ? 60_000 : 0,
  });
  return { accountPrices, openPriceGroupDesk: (log: OperatorLog) => new PriceGroupDesk({ log, groups, hasAccount }) };
}
