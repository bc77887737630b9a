import type { Config } from '../config/config.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { CallRetention } from '../ledger/receipts/call-retention.js';
import type { TimeRead } from '../ledger/receipts/proven-time.js';
import { openReceiptArchive } from '../ledger/receipts/receipt-archive.js';
import { ReceiptRetention } from '../ledger/receipts/receipt-retention.js';
import { findSharedCalls } from '../usage/requests/find-shared-calls.js';

interface RetentionParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  /** The watch of the process. */
  readTime(): Promise<TimeRead>;
  readonly logger: Logger;
}

/** What removes the receipts of old calls from now on, where the settings or an operator say how old. */
export function startRetention(
  { retentionDays, retentionFolder, database }: Config,
  { unitOfWork, clock, readTime, logger }: RetentionParts,
): CallRetention {
  const rule = new ReceiptRetention(unitOfWork, clock, retentionDays);
  const retention = new CallRetention({
    unitOfWork,
    clock,
    logger,
    findDays: async () => rule.findDaysOfRemoval((await readTime()).believedMs),
    findTime: readTime,
    isOneWriter: database.kind === 'sqlite',
    keep: retentionFolder === null ? null : openReceiptArchive(retentionFolder),
    findNeeded: (receipts) => findSharedCalls(unitOfWork.reader, receipts, clock.nowMs()),
  });
  retention.job.start();
  return retention;
}
