import type { KeptSettlement, SettlementSpool } from './settlement-spool.js';

const firstPauseMs = 1_000;
const longestPauseMs = 10_000;

/**
 * Which kept settlements are tried next. One that fails goes behind all others, and its account waits, longer each time, so that
 * what cannot be booked never keeps what can from its turn.
 */
export class ReplayOrder {
  readonly #pauses = new Map<string, { failures: number; untilMs: number }>();

  constructor(private readonly spool: Pick<SettlementSpool, 'listKept' | 'moveToEnd'>) {}

  isPaused(accountId: string): boolean {
    return (this.#pauses.get(accountId)?.untilMs ?? 0) > performance.now();
  }

  /** Up to so many, of accounts that do not wait. */
  next(count: number): KeptSettlement[] {
    const due: KeptSettlement[] = [];
    for (const kept of this.spool.listKept()) {
      if (due.length >= count) break;
      if (!this.isPaused(kept.input.accountId)) due.push(kept);
    }
    return due;
  }

  /** @param isAboutAccount Then the account waits; else only this settlement's turn comes later. */
  noteFailed({ input }: KeptSettlement, isAboutAccount: boolean): void {
    this.spool.moveToEnd(input.callId);
    if (!isAboutAccount) return;
    const failures = (this.#pauses.get(input.accountId)?.failures ?? 0) + 1;
    const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(failures - 1, 10), longestPauseMs);
    this.#pauses.set(input.accountId, { failures, untilMs: performance.now() + pauseMs });
  }

  noteBooked({ input }: KeptSettlement): void {
    this.#pauses.delete(input.accountId);
  }
}
