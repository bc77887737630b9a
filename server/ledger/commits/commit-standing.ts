import type { LedgerOperation } from '../tables/ledger-rows.js';

/** A locked row, a deadlock and a short failover are over sooner. */
const failingMsMin = 5_000;
/** What failed longer ago says nothing of now: whoever sends nothing because of it would never learn that it is over. */
const rememberedMs = 10_000;

/**
 * Whether the database takes what this process books, told by what becomes of its commits: a table that is locked or rebuilt, or a
 * disk with room for one row and not for a batch, takes the small write of a probe all the same.
 */
export class CommitStanding {
  /** Accounts with an operation in a commit that failed, since the last one that went through. */
  readonly #accountIds = new Set<string>();
  #firstMs = 0;
  #lastMs = 0;

  constructor(private readonly elapsedMs: () => number = () => performance.now()) {}

  noteCommitted(): void {
    this.#accountIds.clear();
  }

  noteFailed(operations: readonly LedgerOperation[]): void {
    this.#lastMs = this.elapsedMs();
    if (this.#accountIds.size === 0) this.#firstMs = this.#lastMs;
    // Two are enough, and nobody needs to know more.
    for (const { input } of operations) if (this.#accountIds.size < 2) this.#accountIds.add(input.accountId);
  }

  /**
   * How long nothing has gone through, in milliseconds; null: less than five seconds, nothing was tried in the last ten, or all that
   * failed was of one account, whose row somebody may have locked.
   */
  get failingMs(): number | null {
    const nowMs = this.elapsedMs();
    const isKnown = this.#accountIds.size > 1 && nowMs - this.#lastMs <= rememberedMs;
    return isKnown && nowMs - this.#firstMs >= failingMsMin ? nowMs - this.#firstMs : null;
  }
}
