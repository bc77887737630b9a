import { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { type Logger, silentLogger } from '../kernel/logger.js';
import { Outbox } from '../notices/outbox.js';
import type { PurchasesParts } from '../purchases/open-purchases.js';
import type { LedgerFixture } from './ledger-fixture.js';

/** Everything that purchases are made of, on a fixture's ledger; every account reads mail at `owner@example.com`. */
export function makePurchasesParts(
  { ledger, source }: LedgerFixture,
  clock: Clock,
  logger: Logger = silentLogger,
): PurchasesParts {
  const unitOfWork = new UnitOfWork(source);
  const outbox = new Outbox(unitOfWork, clock, 'operator@example.com');
  return { unitOfWork, ledger, outbox, clock, logger, findEmail: async () => 'owner@example.com' };
}
