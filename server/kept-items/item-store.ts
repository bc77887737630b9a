/** The items of one answer, as somebody sealed them. */
export interface SealedItems {
  readonly accountId: string;
  readonly answerId: string;
  readonly sealed: Buffer;
}

export interface ItemStoreBounds {
  /** How long items are kept, in milliseconds. */
  readonly keptMs: number;
  /** Of one account; its oldest answers make room for the newest. */
  readonly bytesOfAccountMax: number;
  /** Of all accounts. */
  readonly bytesMax: number;
}

/** Keeps sealed items for a while, within bounds; it cannot open them. Never throws. */
export interface ItemStore {
  /** @returns false: there was no room for them. */
  keep(items: SealedItems): Promise<boolean>;
  /** @returns what is still there, by the answers' ids. */
  find(accountId: string, answerIds: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
  close(): void;
}

interface KeptAnswer extends SealedItems {
  readonly endsAtMs: number;
}

const sweepMs = 60_000;

/** The store of one process, in its memory. Measured with a clock that nobody can set. */
export class MemoryItemStore implements ItemStore {
  // Both keep the order of insertion, so the first is the oldest.
  readonly #answers = new Map<string, KeptAnswer>();
  readonly #accounts = new Map<string, { readonly answerIds: Set<string>; bytes: number }>();
  readonly #sweeper: NodeJS.Timeout;
  #bytes = 0;

  constructor(
    private readonly bounds: ItemStoreBounds,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.#sweeper = setInterval(() => this.#forgetEnded(), sweepMs).unref();
  }

  /** The bytes that are taken now. */
  get bytes(): number {
    return this.#bytes;
  }

  async keep({ accountId, answerId, sealed }: SealedItems): Promise<boolean> {
    const { keptMs, bytesOfAccountMax, bytesMax } = this.bounds;
    const bytes = sealed.length;
    if (bytes > Math.min(bytesOfAccountMax, bytesMax)) return false;
    this.#forgetEnded();
    this.#forget(answerId);
    const account = this.#accounts.get(accountId) ?? { answerIds: new Set<string>(), bytes: 0 };
    while (account.bytes + bytes > bytesOfAccountMax) this.#forgetFirst(account.answerIds);
    while (this.#bytes + bytes > bytesMax) this.#forgetFirst(this.#answers.keys());
    this.#answers.set(answerId, { accountId, answerId, sealed, endsAtMs: this.nowMs() + keptMs });
    account.answerIds.add(answerId);
    account.bytes += bytes;
    this.#bytes += bytes;
    this.#accounts.set(accountId, account);
    return true;
  }

  async find(accountId: string, answerIds: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    this.#forgetEnded();
    const found = new Map<string, Buffer>();
    for (const answerId of answerIds) {
      const answer = this.#answers.get(answerId);
      if (answer?.accountId === accountId) found.set(answerId, answer.sealed);
    }
    return found;
  }

  close(): void {
    clearInterval(this.#sweeper);
  }

  #forgetEnded(): void {
    const nowMs = this.nowMs();
    for (const { answerId, endsAtMs } of this.#answers.values()) {
      if (endsAtMs > nowMs) break;
      this.#forget(answerId);
    }
  }

  #forgetFirst(answerIds: Iterable<string>): void {
    for (const answerId of answerIds) {
      this.#forget(answerId);
      return;
    }
  }

  #forget(answerId: string): void {
    const answer = this.#answers.get(answerId);
    if (answer === undefined) return;
    this.#answers.delete(answerId);
    this.#bytes -= answer.sealed.length;
    const account = this.#accounts.get(answer.accountId);
    if (account === undefined) return;
    account.answerIds.delete(answerId);
    account.bytes -= answer.sealed.length;
    if (account.answerIds.size === 0) this.#accounts.delete(answer.accountId);
  }
}
