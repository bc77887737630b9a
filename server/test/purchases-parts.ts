import type { DataSource } from 'typeorm';
import type { PurchasesParts } from '../composition/open-purchases.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { openMemoryCounter } from '../kernel/attempt-counter.js';
import type { Clock } from '../kernel/clock.js';
import { type Logger, silentLogger } from '../kernel/logger.js';
import { toBelieved } from '../ledger/receipts/proven-time.js';
import { Outbox } from '../notices/outbox.js';
import type { LedgerFixture } from './ledger-fixture.js';

// One per database: on SQLite it is what keeps two transactions apart.
const unitsOfWork = new WeakMap<DataSource, UnitOfWork>();

/** Everything that purchases are made of, on a fixture's ledger; every account reads mail at `owner@example.com`. */
export function makePurchasesParts(
  { ledger, source }: Pick<LedgerFixture, 'ledger' | 'source'>,
  clock: Clock,
  logger: Logger = silentLogger,
): PurchasesParts {
  const unitOfWork = unitsOfWork.get(source) ?? new UnitOfWork(source);
  unitsOfWork.set(source, unitOfWork);
  const outbox = new Outbox(unitOfWork, clock, 'operator@example.com', logger);
  const openCounter = openMemoryCounter;
  const readTime = async () => toBelieved(clock.nowMs());
  const findEmail = async () => 'owner@example.com';
  return { unitOfWork, ledger, outbox, clock, logger, openCounter, readTime, findEmail };
}
