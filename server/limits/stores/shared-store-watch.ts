/** For so long a shared store that hangs is not asked again; then one question finds out for all. */
const pauseMs = 1_000;
/** One that fails quicker than this costs nobody anything, and is asked each time. */
const quickMs = 100;
/** A fault that stays is told of so often. */
const faultPauseMs = 60_000;

/** Tells what a store being away is from what somebody has to mend. */
export interface StoreFaults {
  /** Whether an error says no more than that the store is away, which is told elsewhere. */
  isAway(error: unknown): boolean;
  tell(error: unknown): void;
}

/**
 * Asks a shared store, and this process's own in the time that it is away. A shared store that hangs is waited for by those who
 * are asking already, and then by one question a second, whoever asks: all that is kept in one store has one watch.
 * A store that is there and fails is told of, and asked each time.
 */
export class SharedStoreWatch {
  #isHanging = false;
  #isProbing = false;
  #askAgainMs = 0;
  #tellAgainMs = 0;

  /** @param faults null: whoever asks the store tells of them. */
  constructor(private readonly faults: StoreFaults | null = null) {}

  /** @param askShared Ends within the store's own time limit, by its answer or by an error. */
  async ask<Answer>(
    askShared: () => Answer | Promise<Answer>,
    askOwn: () => Answer | Promise<Answer>,
  ): Promise<Answer> {
    if (this.#isHanging) {
      if (this.#isProbing || performance.now() < this.#askAgainMs) return askOwn();
      this.#isProbing = true;
    }
    const askedMs = performance.now();
    try {
      const answer = await askShared();
      this.#isHanging = false;
      return answer;
    } catch (error) {
      const failedMs = performance.now();
      this.#noteFault(error, failedMs);
      this.#isHanging = failedMs - askedMs > quickMs;
      this.#askAgainMs = failedMs + pauseMs;
      return await askOwn();
    } finally {
      this.#isProbing = false;
    }
  }

  #noteFault(error: unknown, nowMs: number): void {
    if (this.faults === null || nowMs < this.#tellAgainMs || this.faults.isAway(error)) return;
    this.#tellAgainMs = nowMs + faultPauseMs;
    this.faults.tell(error);
  }
}
