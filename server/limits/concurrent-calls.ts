import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../kernel/app-error.js';

/**
 * Bounds how many calls of one account this process runs at once, so that no account takes the connections of all. Where it counts
 * something else, `noun` and `owner` say so in the refusal.
 */
export class ConcurrentCalls {
  readonly #running = new Map<string, number>();

  constructor(
    private readonly callsPerAccountMax: number,
    private readonly noun = 'calls',
    private readonly owner = 'This account',
  ) {}

  /** How many run now, of all accounts. */
  get count(): number {
    return [...this.#running.values()].reduce((sum, running) => sum + running, 0);
  }

  /** Waits until no call runs, but no longer than `timeoutMs`: also for those whose callers have left. */
  async whenIdle(timeoutMs: number): Promise<void> {
    const untilMs = performance.now() + timeoutMs;
    while (this.#running.size > 0 && performance.now() < untilMs) await sleep(10);
  }

  /**
   * Takes a place.
   * @param max How many this account may run; left out: as many as everybody.
   * @returns what gives it back; call it once.
   * @throws AppError `concurrency_limit_exceeded`.
   */
  enter(accountId: string, max = this.callsPerAccountMax): () => void {
    const running = this.#running.get(accountId) ?? 0;
    if (running >= max) {
      throw new AppError(
        'concurrency_limit_exceeded',
        `${this.owner} already has ${running} ${this.noun} running. Wait for one of them to end.`,
        { retryAfterMs: 1_000 },
      );
    }
    this.#running.set(accountId, running + 1);
    return () => {
      const left = (this.#running.get(accountId) ?? 1) - 1;
      if (left > 0) this.#running.set(accountId, left);
      else this.#running.delete(accountId);
    };
  }
}
