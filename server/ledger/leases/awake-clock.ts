const lookEveryMs = 250;

/**
 * A monotonic clock that stands still with this process. Where a machine was suspended, moved or starved for seconds, timers
 * run before the answers are read that came meanwhile; whoever waited then did not wait for the database.
 */
export class AwakeClock {
  readonly #timer: NodeJS.Timeout;
  readonly #listeners: ((nowMs: number) => void)[] = [];
  #lookedAtMs = performance.now();
  #stoodStillMs = 0;

  constructor() {
    this.#timer = setInterval(() => this.#look(), lookEveryMs);
    this.#timer.unref();
  }

  awakeMs(): number {
    const nowMs = performance.now();
    return nowMs - this.#stoodStillMs - Math.max(0, nowMs - this.#lookedAtMs - lookEveryMs);
  }

  /** Calls `listener` four times a second with the time on this clock. */
  onLook(listener: (nowMs: number) => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowMs = this.awakeMs();
    this.#lookedAtMs = performance.now();
    this.#stoodStillMs = this.#lookedAtMs - nowMs;
    for (const listener of this.#listeners) listener(nowMs);
  }
}
