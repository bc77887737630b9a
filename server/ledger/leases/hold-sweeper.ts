import { In, Not } from 'typeorm';
import { ClockSteps } from '../../database/time/clock-steps.js';
import { readDatabaseMs } from '../../database/time/database-clock.js';
import { isDue } from '../../database/time/is-due.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { type Clock, systemClock } from '../../kernel/clock.js';
import { RepeatedJob } from '../../kernel/jobs/repeated-job.js';
import type { Logger } from '../../kernel/logger.js';
import type { LeaseTimes } from '../commits/decide-batch.js';
import type { Ledger } from '../ledger.js';
import { LedgerHoldEntity } from '../tables/ledger-hold.entity.js';
import { timesOfCredits } from './lease-times.js';
import { leaseKeyId } from './lease-types.js';

const holdsPerSweep = 200;
/** Sweeps that are further apart than so many intervals have not seen what was between. */
const intervalsUnseenMax = 4;

/** How long a process must have seen the database take writes before it takes another one for dead, by a clock that counts standstills. */
export interface SweepRules {
  /** For what is leased for many calls. */
  readonly seenMsMin: number;
  /** For what one call has reserved. */
  readonly seenForCallsMsMin: number;
  /** Between two sweeps; a longer pause is a gap. */
  readonly gapMsMax: number;
  /** No other process serves this database, so whoever has leased or reserved before this one began is gone. */
  readonly isAlone: boolean;
  readonly readMs: () => number;
  /** Who sweeps, by the name that its own holds have. */
  readonly instance?: string;
}

/**
 * Ends the holds of calls whose process has died, on every instance: no leader is needed, since a hold can be resolved only
 * once. Which holds are overdue is judged by the database's clock. Where one process serves the database, what an earlier one has left
 * ends at once: that one is gone, whatever the clock said while it ran.
 *
 * A hold is ended only by a process that has seen the database take writes for the whole time of a lease. So after an outage of the
 * database, a time in which it was read-only, or a standstill of this process, those who still run renew first, and book against
 * their holds what they have kept.
 */
export class HoldSweeper {
  #job: RepeatedJob | null = null;
  #lastDoneAtMs: number | null = null;
  /** Since when this process has seen the database take writes; null: it does not. */
  #seenSinceMs: number | null;
  #seenMs: number;
  /** Of the database's clock. */
  readonly #steps = new ClockSteps();
  /** Whether there may be holds of processes that ended before this one began. */
  #mayBeLeftBehind: boolean;
  /** Those that have left any, as they were found when this one began. */
  #goneInstances: Promise<readonly string[]> | null = null;

  constructor(
    private readonly ledger: Pick<Ledger, 'expireHold'>,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly rules: SweepRules = {
      seenMsMin: 0,
      seenForCallsMsMin: 0,
      gapMsMax: Number.POSITIVE_INFINITY,
      isAlone: false,
      readMs: systemClock.elapsedMs,
    },
  ) {
    this.#seenSinceMs = rules.isAlone ? Number.NEGATIVE_INFINITY : null;
    this.#seenMs = rules.readMs();
    this.#mayBeLeftBehind = rules.isAlone && rules.instance !== undefined;
  }

  get lastDoneAtMs(): number | null {
    return this.#lastDoneAtMs;
  }

  /** Sweeps about every `intervalMs`, a little at random, so that instances do not all come at once. */
  start(intervalMs: number): void {
    if (this.#mayBeLeftBehind) void this.#findGoneInstances().catch(() => {});
    const onFailure = (error: unknown) =>
      this.logger.warn('hold_sweep_failed', { code: (error as { code?: string }).code });
    this.#job = new RepeatedJob({ run: () => this.sweep(), intervalMs, onFailure });
    this.#job.startAfterInterval();
  }

  /** Ends up to 200 overdue holds, and up to 200 that were left behind. @returns how many were ended by this sweep. */
  async sweep(): Promise<number> {
    const askedMs = this.rules.readMs();
    const leftBehind = this.#mayBeLeftBehind ? await this.#findLeftBehind() : [];
    if (leftBehind.length === 0) this.#mayBeLeftBehind = false;
    const leftIds = new Set(leftBehind.map(({ id }) => id));
    const found = await this.#findOverdue().catch((error: unknown) => {
      this.#seenSinceMs = null;
      throw error;
    });
    const seenForMs = this.#noteSeen(askedMs);
    const { seenMsMin, seenForCallsMsMin } = this.rules;
    const isDue = ({ id, keyId }: LedgerHoldEntity) =>
      !leftIds.has(id) && seenForMs >= (keyId === leaseKeyId ? seenMsMin : seenForCallsMsMin);
    const overdue = [...leftBehind, ...found.filter(isDue)];
    const results = await Promise.all(
      overdue.map(({ id, wallet }) =>
        this.ledger.expireHold({ callId: id, accountId: wallet, ...(leftIds.has(id) && { isOwnerGone: true }) }),
      ),
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
    this.#lastDoneAtMs = this.clock.nowMs();
    return expired;
  }

  async #findOverdue(): Promise<LedgerHoldEntity[]> {
    const { reader } = this.unitOfWork;
    // Changes nothing, and is refused where nobody can renew: a read would find what is overdue for no fault of its process.
    await this.unitOfWork.transactForServer((transaction) =>
      transaction.update(LedgerHoldEntity, { id: '' }, { state: 'open' }),
    );
    const { readMs, seenForCallsMsMin } = this.rules;
    const askedMs = readMs();
    const nowMs = await readDatabaseMs(reader, this.clock);
    if (this.#steps.note({ askedMs, answeredMs: readMs(), saidMs: nowMs })) {
      this.logger.warn('clock_step_seen', { databaseMs: nowMs, ownMs: this.clock.nowMs() });
      this.#seenSinceMs = null;
    }
    return reader.find(LedgerHoldEntity, {
      select: { id: true, wallet: true, keyId: true },
      where: { state: 'open', leaseUntilMs: isDue(nowMs, seenForCallsMsMin) },
      order: { leaseUntilMs: 'ASC' },
      take: holdsPerSweep,
    });
  }

  async #findLeftBehind(): Promise<LedgerHoldEntity[]> {
    const gone = await this.#findGoneInstances();
    return this.unitOfWork.reader.find(LedgerHoldEntity, {
      select: { id: true, wallet: true, keyId: true },
      where: { state: 'open', instance: In(gone) },
      order: { leaseUntilMs: 'ASC' },
      take: holdsPerSweep,
    });
  }

  // Asked once, when this process begins: who reserves something later is there.
  #findGoneInstances(): Promise<readonly string[]> {
    this.#goneInstances ??= this.unitOfWork.reader
      .createQueryBuilder(LedgerHoldEntity, 'hold')
      .select('DISTINCT hold.instance', 'instance')
      .where({ state: 'open', instance: Not(this.rules.instance ?? '') })
      .getRawMany<{ instance: string }>()
      .then((rows) => rows.map(({ instance }) => instance))
      .catch((error: unknown) => {
        this.#goneInstances = null;
        throw error;
      });
    return this.#goneInstances;
  }

  // Whoever was away for longer than it takes to sweep again knows nothing of what others could not do meanwhile.
  #noteSeen(askedMs: number): number {
    const { gapMsMax } = this.rules;
    const wasAway = this.#seenSinceMs === null || askedMs - this.#seenMs > gapMsMax;
    if (wasAway) this.#seenSinceMs = askedMs;
    this.#seenMs = askedMs;
    return askedMs - (this.#seenSinceMs ?? askedMs);
  }

  async close(): Promise<void> {
    await this.#job?.close();
  }
}

/** The rules of a server whose holds have these times and which sweeps every `intervalMs`. */
export function sweepRulesFor(
  times: LeaseTimes,
  intervalMs: number,
  { isAlone, instance }: Required<Pick<SweepRules, 'isAlone' | 'instance'>>,
): SweepRules {
  const seenMsMin = timesOfCredits(times).leaseMs;
  const gapMsMax = Math.max(intervalMs * intervalsUnseenMax, seenMsMin / 2);
  return { seenMsMin, seenForCallsMsMin: times.leaseMs, gapMsMax, isAlone, instance, readMs: systemClock.elapsedMs };
}
