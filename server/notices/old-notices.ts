import { type EntityManager, In, LessThan } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { RepeatedJob } from '../kernel/jobs/repeated-job.js';
import type { Logger } from '../kernel/logger.js';
import { NoticeEntity, type NoticeState } from './notice.entity.js';

/** For so long an account may look up what it was told. What may be told of again after so long is known elsewhere, too. */
export const noticesKeptMs = 90 * 24 * 60 * 60_000;

const intervalMs = 6 * 60 * 60_000;
/** Few enough that no other writer waits for them. */
const removedAtOnce = 200;
/** One that was given up stays: an operator decides about it. */
const ended: readonly NoticeState[] = ['sent', 'logged', 'dropped'];

export interface OldNoticesParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A time that has surely come, as `ProvenTime` reads it: what is removed does not come back. Milliseconds since 1970. */
  findBelievedMs(reader: EntityManager): Promise<number>;
}

/** Removes what was told more than 90 days ago, on every instance; each removes what it still finds. */
export class OldNotices {
  /** Looks within five minutes, and then every six hours. */
  readonly job: RepeatedJob;

  constructor(private readonly parts: OldNoticesParts) {
    this.job = new RepeatedJob({
      run: (signal) => this.remove(signal),
      intervalMs,
      onFailure: (error) => parts.logger.warn('old_notices_not_removed', { message: (error as Error).message }),
    });
  }

  /** Removes a few in each transaction, until none is left or the signal is aborted. @returns how many. */
  async remove(signal?: AbortSignal): Promise<number> {
    let removedCount = 0;
    while (signal?.aborted !== true) {
      const removed = await this.#removeSome();
      removedCount += removed;
      if (removed < removedAtOnce) break;
    }
    return removedCount;
  }

  async #removeSome(): Promise<number> {
    const { clock, findBelievedMs, unitOfWork } = this.parts;
    const surelyMs = Math.min(clock.nowMs(), await findBelievedMs(unitOfWork.reader));
    const before = LessThan(surelyMs - noticesKeptMs);
    const old = await unitOfWork.reader.find(NoticeEntity, {
      select: { id: true },
      where: { state: In([...ended]), dueAtMs: before, createdAtMs: before },
      take: removedAtOnce,
    });
    if (old.length === 0) return 0;
    // By its state once more: somebody may be having it sent again.
    const which = { id: In(old.map(({ id }) => id)), state: In([...ended]) };
    const { affected } = await unitOfWork.transactForServer((transaction) => transaction.delete(NoticeEntity, which));
    return affected ?? 0;
  }
}
