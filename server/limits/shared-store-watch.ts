/** For so long a shared store that hangs is not asked again; then one question finds out for all. */
const pauseMs = 1_000;
/** One that fails quicker than this costs nobody anything, and is asked each time. */
const quickMs = 100;

/**
 * Asks a shared store, and this process's own in the time that it is away. A shared store that hangs is waited for by those who
 * are asking already, and then by one question a second, whoever asks: all that is kept in one store has one watch.
 */
export class SharedStoreWatch {
  #isHanging = false;
  #isProbing = false;
  #askAgainMs = 0;

  /** @param askShared Ends within the store's own patience, by its answer or by an error. */
  async ask<Answer>(askShared: () => Promise<Answer>, askOwn: () => Promise<Answer>): Promise<Answer> {
    if (this.#isHanging) {
      if (this.#isProbing || performance.now() < this.#askAgainMs) return askOwn();
      this.#isProbing = true;
    }
    const askedMs = performance.now();
    try {
      const answer = await askShared();
      this.#isHanging = false;
      return answer;
    } catch {
      const failedMs = performance.now();
      this.#isHanging = failedMs - askedMs > quickMs;
      this.#askAgainMs = failedMs + pauseMs;
      return await askOwn();
    } finally {
      this.#isProbing = false;
    }
  }
}
