import type { EntityManager } from 'typeorm';
import { readDatabaseMs } from '../database/time/database-clock.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { RepeatedJob } from '../kernel/jobs/repeated-job.js';
import type { Logger } from '../kernel/logger.js';
import { ProvenTime } from '../ledger/receipts/proven-time.js';

const intervalMs = 600_000;

interface TimeParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
}

/**
 * Watches the clocks of this machine and of the database from now on, so that a day after the start they are believed where they have gone
 * on steadily. Until then, and for a day after one was set, `findBelievedMs` answers what the ledger proves. A process has one such watch.
 * @throws the database's error.
 */
export async function watchTime({ logger, ...parts }: TimeParts & { readonly logger: Logger }) {
  const time = openTime(parts);
  await time.readTime();
  const onFailure = (error: unknown) => logger.warn('clock_not_watched', { message: (error as Error).message });
  const job = new RepeatedJob({ run: () => time.readTime(), intervalMs, onFailure });
  job.start();
  return { ...time, close: () => job.close() };
}

/** The same for a program, which does not run for a day: what the ledger proves. */
export function openTime({ unitOfWork, clock }: TimeParts) {
  // Rows are written by either clock: a time has come when it has by both.
  const readNowMs = async (reader: EntityManager) => Math.min(await readDatabaseMs(reader, clock), clock.nowMs());
  const time = new ProvenTime(unitOfWork, clock, readNowMs);
  const readTime = (transaction?: EntityManager) => time.read(transaction);
  const findBelievedMs = async (transaction?: EntityManager) => (await readTime(transaction)).believedMs;
  return { readTime, findBelievedMs };
}
