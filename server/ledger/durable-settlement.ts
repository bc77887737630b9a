import { AppError } from '../kernel/app-error.js';
import type { Logger } from '../kernel/logger.js';
import type { SettleInput, SettleResult } from './ledger-types.js';
import type { SettlementSpool } from './settlement-spool.js';

const replayEveryMs = 500;
const replayedAtOnce = 256;

/**
 * Settles calls even while the database is away: what it cannot take is kept on this machine's disk and booked as soon as it
 * is back, in the order of arrival, also after a restart.
 */
export class DurableSettlement {
  #timer: NodeJS.Timeout | null = null;
  #replay: Promise<void> = Promise.resolve();
  #isDatabaseAway = false;

  /** @param book Books one settlement; throws `service_unavailable` when the database is away. */
  constructor(
    private readonly book: (input: SettleInput) => Promise<SettleResult>,
    private readonly spool: SettlementSpool,
    private readonly logger: Logger,
  ) {
    this.#scheduleReplay();
  }

  get keptCount(): number {
    return this.spool.kept.length;
  }

  /**
   * Books a settlement, or keeps it durably and answers `kept`.
   * @throws when neither database nor disk will have it.
   */
  async settle(input: SettleInput): Promise<SettleResult> {
    // Once the database is seen to be back, only what was kept goes the long way: everything else would queue up behind it.
    // And with nothing kept, nobody else would find out that it is back.
    if (!this.#isDatabaseAway || this.keptCount === 0) {
      try {
        return await this.book(input);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        this.#isDatabaseAway = true;
      }
    }
    await this.spool.keep(input);
    this.#scheduleReplay();
    return { status: 'kept' };
  }

  /** Stops replaying; what is kept stays on disk for the next process. */
  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#replay;
    await this.spool.close();
  }

  #scheduleReplay(): void {
    if (this.#timer || this.keptCount === 0) return;
    this.#timer = setTimeout(() => {
      this.#replay = this.#replayKept().finally(() => {
        if (!this.#timer) return;
        this.#timer = null;
        this.#scheduleReplay();
      });
    }, replayEveryMs);
    this.#timer.unref();
  }

  async #replayKept(): Promise<void> {
    while (this.keptCount > 0) {
      const oldest = this.spool.kept.slice(0, replayedAtOnce);
      const outcomes = await Promise.allSettled(oldest.map((input) => this.book(input)));
      const firstAway = outcomes.findIndex((outcome) => outcome.status === 'rejected' && isUnavailable(outcome.reason));
      const decided = firstAway === -1 ? outcomes : outcomes.slice(0, firstAway);
      for (const [index, outcome] of decided.entries()) this.#reportLost(outcome, oldest[index] as SettleInput);
      await this.spool.forgetOldest(decided.length);
      if (decided.length > 0) this.logger.warn('spool_replayed', { settlements: decided.length, left: this.keptCount });
      this.#isDatabaseAway = firstAway !== -1;
      if (this.#isDatabaseAway) return;
    }
  }

  // Neither can happen unless rows were removed by hand; someone has to look.
  #reportLost(outcome: PromiseSettledResult<SettleResult>, { callId, accountId }: SettleInput): void {
    if (outcome.status === 'rejected') {
      this.logger.error('spooled_settlement_refused', { callId, accountId, error: outcome.reason });
    } else if (outcome.value.status === 'refused') {
      this.logger.error('spooled_settlement_refused', { callId, accountId, reason: outcome.value.reason });
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'service_unavailable';
}
