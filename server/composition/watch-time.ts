import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { RepeatedJob } from '../kernel/jobs/repeated-job.js';
import type { Logger } from '../kernel/logger.js';
import { ProvenTime } from '../ledger/receipts/proven-time.js';

const intervalMs = 600_000;

/**
 * Watches this machine's clock from now on, so that a day after the start it is believed where it has gone on steadily. Until then, and for a
 * day after it was set, `findBelievedMs` answers what the ledger proves.
 * @throws the database's error.
 */
export async function watchTime({ unitOfWork, clock, logger }: WatchedTimeParts) {
  const time = new ProvenTime(unitOfWork, clock, async () => clock.nowMs());
  await time.read();
  const onFailure = (error: unknown) => logger.warn('clock_not_watched', { message: (error as Error).message });
  const job = new RepeatedJob({ run: () => time.read(), intervalMs, onFailure });
  job.start();
  const findBelievedMs = async (transaction?: EntityManager) => (await time.read(transaction)).believedMs;
  return { findBelievedMs, close: () => job.close() };
}

interface WatchedTimeParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
}
