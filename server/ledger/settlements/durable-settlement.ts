import { AppError } from '../../kernel/app-error.js';
import type { Logger } from '../../kernel/logger.js';
import type { SettleInput, SettleResult } from '../ledger-types.js';
import { ReplayOrder } from './replay-order.js';
import type { SettlementQuarantine } from './settlement-quarantine.js';
import type { KeptSettlement, SettlementSpool } from './settlement-spool.js';
import { SettlementTally } from './settlement-tally.js';
import { UnsyncedRecordError } from './slot-file.js';

const replayEveryMs = 500;
const longestReplayPauseMs = 5_000;
const replayedAtOnce = 256;
/** While nothing goes through, a few tell as much as many. */
const probedAtOnce = 16;
/** So many in a row that could not be booked mean the database, and not one account. */
const failuresUntilAway = 8;

/** A settlement that is not ended: the database does not take it, or went away in the middle, so that it may have. */
type Unbooked = 'not_now' | 'in_doubt';

export interface DurableSettlementParts {
  /** Books one settlement. Whatever it throws, but `internal_error`, means: not now; `settlement_in_doubt`: but it may be booked. */
  book(input: SettleInput): Promise<SettleResult>;
  /** Gives the hold of a call back, once that can be done, that ended with an error although it was answered in part. */
  giveBack(input: SettleInput): void;
  readonly spool: SettlementSpool;
  readonly quarantine: SettlementQuarantine;
  readonly logger: Logger;
}

/**
 * Settles calls whatever the database says. Only the ledger's own decision ends a settlement: booked, or refused, which goes to a
 * quarantine. Anything else keeps it on this machine's disk, and it is tried again for ever, also after a restart.
 */
export class DurableSettlement {
  readonly tally = new SettlementTally();
  readonly #order: ReplayOrder;
  #timer: NodeJS.Timeout | null = null;
  #replay: Promise<void> = Promise.resolve();
  #failuresInRow = 0;
  #failedRounds = 0;
  #underWay = 0;
  #isClosed = false;
  #isToldKept = false;

  constructor(private readonly parts: DurableSettlementParts) {
    this.#order = new ReplayOrder(parts.spool);
    this.#replay = parts.spool.ready.then(() => this.#scheduleReplay());
  }

  get keptCount(): number {
    return this.parts.spool.keptCount;
  }

  /**
   * Books a settlement, or keeps it durably and answers `kept`, or `quarantined` when the ledger refuses it.
   * @throws AppError `service_unavailable` when neither database nor disk will have it: the call must not be answered as if it
   *   were paid for. Its hold is given back when the database is there again. `settlement_in_doubt` when one of both broke in the
   *   middle of it, so that it may turn out to be booked when that is mended.
   */
  async settle(input: SettleInput): Promise<SettleResult> {
    if (this.parts.spool.has(input.callId)) return { status: 'kept' };
    this.tally.answered += 1;
    this.#underWay += 1;
    try {
      const result = this.#isBookedLater(input) ? 'not_now' : await this.#tryToBook(input);
      return typeof result === 'string' ? await this.#keep(input, result) : result;
    } finally {
      this.#underWay -= 1;
    }
  }

  /** How many of the answers that were given are neither booked nor kept nor refused: 0, or the ledger has lost them. */
  countMissing(): number {
    const { foundCount, keptCount } = this.parts.spool;
    return this.tally.countMissing({ found: foundCount, kept: keptCount, underWay: this.#underWay });
  }

  #isBookedLater({ accountId }: SettleInput): boolean {
    // Once the database is seen to be back, only what was kept goes the long way: everything else would queue up behind it.
    // And with nothing kept, nobody else would find out that it is back.
    const isDatabaseAway = this.#failuresInRow >= failuresUntilAway && this.keptCount > 0;
    return isDatabaseAway || this.#order.isPaused(accountId);
  }

  async #keep(input: SettleInput, unbooked: Unbooked): Promise<SettleResult> {
    try {
      // Another settlement of this very call may have been quicker.
      if (!(await this.parts.spool.keep(input))) this.tally.answered -= 1;
    } catch (error) {
      return this.#settleWithoutDisk(input, unbooked, error);
    }
    this.#noteKept();
    this.#scheduleReplay();
    return { status: 'kept' };
  }

  /** Stops replaying; what is kept stays on disk for the next process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#replay;
    await this.parts.spool.close();
  }

  async #tryToBook(input: SettleInput): Promise<SettleResult | Unbooked> {
    const result = await this.#book(input);
    if (typeof result === 'string') return result;
    const { spool } = this.parts;
    if (result.status === 'settled') {
      this.tally.booked += 1;
      spool.release(input.callId);
      return result;
    }
    if (result.status !== 'refused' || !(await this.#setAside(input, result.reason))) return 'not_now';
    spool.release(input.callId);
    return { status: 'quarantined', reason: result.reason };
  }

  async #book(input: SettleInput): Promise<SettleResult | Unbooked> {
    try {
      const result = await this.parts.book(input);
      this.#failuresInRow = 0;
      return result;
    } catch (error) {
      if (error instanceof AppError && error.code === 'internal_error')
        return { status: 'refused', reason: 'constraint' };
      this.#failuresInRow += 1;
      return error instanceof AppError && error.code === 'settlement_in_doubt' ? 'in_doubt' : 'not_now';
    }
  }

  /** @returns false when the disk does not take it; then it stays where it is. */
  async #setAside(input: SettleInput, reason: string): Promise<boolean> {
    const { callId, accountId } = input;
    try {
      await this.parts.quarantine.add(input, reason);
    } catch (error) {
      this.parts.logger.error('settlement_not_quarantined', { callId, accountId, reason, error });
      return false;
    }
    this.tally.quarantined += 1;
    this.parts.logger.error('settlement_quarantined', { callId, accountId, reason });
    return true;
  }

  async #settleWithoutDisk(input: SettleInput, unbooked: Unbooked, error: unknown): Promise<SettleResult> {
    const { callId, accountId } = input;
    const { logger, spool } = this.parts;
    // It may have been skipped, and the database is all that is left.
    const result = await this.#tryToBook(input);
    if (typeof result !== 'string') return result;
    const isInDoubt = unbooked === 'in_doubt' || result === 'in_doubt' || error instanceof UnsyncedRecordError;
    this.tally.unwritten += 1;
    spool.release(callId);
    logger.error('settlement_not_written', { callId, accountId, isInDoubt, error });
    this.parts.giveBack(input);
    throw isInDoubt ? chargedPerhaps(error) : notCharged(error);
  }

  #scheduleReplay(): void {
    if (this.#timer || this.#isClosed) return;
    const pauseMs = Math.min(replayEveryMs * 2 ** Math.min(this.#failedRounds, 10), longestReplayPauseMs);
    this.#timer = setTimeout(() => {
      this.#replay = this.#replayKept().finally(() => {
        this.#timer = null;
        this.#scheduleReplay();
      });
    }, pauseMs);
    this.#timer.unref();
  }

  async #replayKept(): Promise<void> {
    for (;;) {
      const due = this.#isClosed ? [] : this.#order.next(this.#failedRounds > 0 ? probedAtOnce : replayedAtOnce);
      if (due.length === 0) break;
      const done = await Promise.all(due.map((kept) => this.#replayOne(kept)));
      const doneCount = done.filter(Boolean).length;
      const served = new Set(due.filter((_, index) => done[index]).map(({ input }) => input.accountId));
      for (const [index, kept] of due.entries()) {
        // Where others went through and none of this account, it is about the account, and not about the database.
        if (!done[index]) this.#order.noteFailed(kept, doneCount > 0 && !served.has(kept.input.accountId));
      }
      if (doneCount === 0) {
        this.#failedRounds += 1;
        break;
      }
      this.#failedRounds = 0;
      this.parts.logger.warn('spool_replayed', { settlements: doneCount, left: this.keptCount });
    }
    this.#noteKept();
  }

  /** @returns whether it was ended, one way or the other. */
  async #replayOne(kept: KeptSettlement): Promise<boolean> {
    const { input } = kept;
    const result = await this.#book(input);
    if (typeof result === 'string') return false;
    if (result.status === 'refused') {
      if (!(await this.#setAside(input, result.reason))) return false;
    } else this.tally.bookedLater += 1;
    this.#order.noteBooked(kept);
    this.parts.spool.forget(input.callId);
    return true;
  }

  // One line when the first is kept and one when the last is booked, however many there are.
  #noteKept(): void {
    const isKept = this.keptCount > 0;
    if (isKept === this.#isToldKept) return;
    this.#isToldKept = isKept;
    if (isKept) this.parts.logger.warn('settlements_wait', { settlements: this.keptCount });
    else this.parts.logger.info('settlements_wait_no_more');
  }
}

function notCharged(cause: unknown): AppError {
  const message =
    'The account of this call could not be written down, so it ended without its price and is not charged. Try again shortly.';
  return new AppError('service_unavailable', message, { retryAfterMs: 5_000, cause });
}

function chargedPerhaps(cause: unknown): AppError {
  const message =
    'Database and disk failed while this call was written down, so it ended without its price, and whether it is charged is not known yet. Look for its x-request-id among your requests before you repeat it.';
  return new AppError('settlement_in_doubt', message, { cause });
}
