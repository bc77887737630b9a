import { LessThan } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import type { Ledger } from './ledger.js';
import { LedgerHoldEntity } from './ledger-hold.entity.js';

const holdsPerSweep = 200;

/**
 * Ends the holds of calls whose process has died, on every instance: no leader is needed, since a hold can be resolved only
 * once. This process's clock only suggests which holds to look at; whether one is overdue is judged by the database's.
 */
export class HoldSweeper {
  #timer: NodeJS.Timeout | null = null;
  #sweep: Promise<number> = Promise.resolve(0);

  constructor(
    private readonly ledger: Pick<Ledger, 'expireHold'>,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Sweeps about every `intervalMs`, a little at random, so that instances do not all come at once. */
  start(intervalMs = 15_000): void {
    this.#timer = setTimeout(
      () => {
        this.#sweep = this.sweep().catch((error: unknown) => {
          this.logger.warn('hold_sweep_failed', { code: (error as { code?: string }).code });
          return 0;
        });
        void this.#sweep.then(() => this.#timer && this.start(intervalMs));
      },
      intervalMs * (0.75 + Math.random() / 2),
    );
    this.#timer.unref();
  }

  /** Ends up to 200 overdue holds. @returns how many were ended by this sweep. */
  async sweep(): Promise<number> {
    const overdue = await this.unitOfWork.reader.find(LedgerHoldEntity, {
      select: { id: true, wallet: true },
      where: { state: 'open', leaseUntilMs: LessThan(this.clock.nowMs()) },
      order: { leaseUntilMs: 'ASC' },
      take: holdsPerSweep,
    });
    const results = await Promise.all(
      overdue.map(({ id, wallet }) => this.ledger.expireHold({ callId: id, accountId: wallet })),
    );
    let expired = 0;
    for (const [index, result] of results.entries()) {
      if (result.status !== 'settled' || result.isReplay) continue;
      expired += 1;
      const { chargedMillicredits } = result;
      this.logger.warn('hold_expired', {
        callId: overdue[index]?.id,
        accountId: overdue[index]?.wallet,
        chargedMillicredits,
      });
    }
    return expired;
  }

  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#sweep;
  }
}
