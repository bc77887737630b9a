import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../app-error.js';
import type { AttemptCounter, AttemptStanding, OpenAttemptCounter } from '../attempt-counter.js';

const pauseMs = 100;
/** With the pause, how long an attempt waits for others: 5 s. */
const pausesMax = 50;
/** Attempts that wait at a time in this process; each holds its request open. */
const waitingMax = 200;
/** An attempt whose process has died counts as running for no longer. It decides about nothing but words and waits. */
const forgottenMs = 60_000;
const retryAfterMs = 2_000;

/** Attempts that others of the same name leave no room for, though they may yet prove right. */
export class AttemptsAtOnceError extends AppError {
  constructor() {
    const words = `Too many attempts at once. Try again in ${retryAfterMs / 1_000} s.`;
    super('rate_limit_exceeded', words, { retryAfterMs });
  }
}

/**
 * Tells attempts that still run from those that have failed, where each counts as failed from its start and is taken back when it
 * was right. Whoever is refused while others run waits for one of them to end. Who is let in is decided by the count alone, so
 * nobody has more attempts by it. Known to all instances.
 */
export class RunningAttempts {
  readonly #running: AttemptCounter;
  #waiting = 0;

  /** @param kind Of which attempts. @param pause Between two looks; left out: 100 ms. */
  constructor(
    openCounter: OpenAttemptCounter,
    kind: string,
    private readonly pause: () => Promise<unknown> = () => sleep(pauseMs),
  ) {
    this.#running = openCounter({ kind: `${kind} running`, max: Number.POSITIVE_INFINITY, windowMs: forgottenMs });
  }

  /**
   * Counts an attempt, which runs from then on until `end`.
   * @param count Counts it, or says how long to wait; called again while others run.
   * @returns how it stands: with a wait, it was refused, for others that have failed.
   * @throws AttemptsAtOnceError when others still run after 5 s, or too many wait.
   */
  async begin(name: string, count: () => Promise<AttemptStanding>): Promise<AttemptStanding> {
    let standing = await count();
    if (standing.waitMs > 0) standing = await this.#wait(name, count);
    if (standing.waitMs === 0) await this.#running.count(name);
    return standing;
  }

  /** The attempt has ended, right or wrong, and is counted as what it was. */
  async end(name: string): Promise<void> {
    await this.#running.forgive(name);
  }

  async #wait(name: string, count: () => Promise<AttemptStanding>): Promise<AttemptStanding> {
    if (this.#waiting >= waitingMax) throw new AttemptsAtOnceError();
    this.#waiting += 1;
    try {
      for (let pauses = 0; pauses < pausesMax; pauses += 1) {
        // Before the look, so that those who were let in a moment ago are known to run.
        await this.pause();
        // None is granted: it tells how many there are.
        const { count: others } = await this.#running.count(name, 0);
        const standing = await count();
        if (standing.waitMs === 0 || others === 0) return standing;
      }
    } finally {
      this.#waiting -= 1;
    }
    throw new AttemptsAtOnceError();
  }
}
