import { In, MoreThan } from 'typeorm';
import { isOlder } from '../../database/time/is-due.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { Clock } from '../../kernel/clock.js';
import { RepeatedJob } from '../../kernel/jobs/repeated-job.js';
import type { Logger } from '../../kernel/logger.js';
import { findWalletsNotClosed } from '../../ledger/find-wallets-not-closed.js';
import type { SignupGifts } from './signup-gift.js';
import { SignupGiftRequestEntity } from './signup-gift-request.entity.js';

export interface LeftGiftsParts {
  readonly unitOfWork: UnitOfWork;
  readonly gifts: Pick<SignupGifts, 'give'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const intervalMs = 60_000;
const firstMsMax = 10_000;
/** A sign-up that is under way gives its gift itself. */
const underWayMs = 30_000;
const givenAtOnceMax = 100;
/** After so many the database or the ledger is away, and the next look goes on behind them. */
const failuresMax = 5;

/**
 * Gives the gifts for signing up that were asked for and not given, because a process died, or the database or the ledger was away.
 * Looks at the start and every minute, on every instance: a gift is given once, whoever gives it.
 */
export class LeftGifts {
  readonly #job: RepeatedJob;
  #afterId = '';

  constructor(private readonly parts: LeftGiftsParts) {
    this.#job = new RepeatedJob({
      run: (signal) => this.giveLeft(signal),
      intervalMs,
      onFailure: (error) => parts.logger.error('left_gifts_not_given', { error }),
    });
  }

  start(): void {
    this.#job.start(Math.random() * firstMsMax);
  }

  async close(): Promise<void> {
    await this.#job.close();
  }

  /** One look, at no more than a hundred of them. @throws the database's error; what is left then is given by the next look. */
  async giveLeft(signal?: AbortSignal): Promise<void> {
    const { clock, gifts, unitOfWork } = this.parts;
    const where = { accountId: MoreThan(this.#afterId), askedAtMs: isOlder(clock.nowMs(), underWayMs) };
    const rows = await unitOfWork.reader.find(SignupGiftRequestEntity, {
      select: { accountId: true },
      where,
      order: { accountId: 'ASC' },
      take: givenAtOnceMax,
    });
    const ids = rows.map(({ accountId }) => accountId);
    const open = new Set(await findWalletsNotClosed(unitOfWork.reader, ids));
    let failures = 0;
    for (const accountId of ids.filter((id) => open.has(id))) {
      if (signal?.aborted) return;
      this.#afterId = accountId;
      failures += (await gifts.give(accountId)) ? 0 : 1;
      if (failures === failuresMax) return;
    }
    // Accounts that were deleted meanwhile want nothing any more.
    const deleted = ids.filter((id) => !open.has(id));
    if (deleted.length > 0) {
      await unitOfWork.transactForServer((transaction) =>
        transaction.delete(SignupGiftRequestEntity, { accountId: In(deleted) }),
      );
    }
    this.#afterId = rows.length < givenAtOnceMax ? '' : (ids.at(-1) ?? '');
  }
}
