const tickMs = 250;

/**
 * A monotonic clock that stands still with this process. Where a machine was suspended, moved or starved for seconds, timers
 * run before the answers are read that came meanwhile; that time was not spent waiting for the database.
 */
export class AwakeClock {
  readonly #timer: NodeJS.Timeout;
  readonly #listeners: ((nowMs: number) => void)[] = [];
  #tickedAtMs = performance.now();
  #stoodStillMs = 0;

  constructor() {
    this.#timer = setInterval(() => this.#tick(), tickMs);
    this.#timer.unref();
  }

  awakeMs(): number {
    const nowMs = performance.now();
    return nowMs - this.#stoodStillMs - Math.max(0, nowMs - this.#tickedAtMs - tickMs);
  }

  /** Calls `listener` four times a second with the time on this clock. */
  onTick(listener: (nowMs: number) => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const nowMs = this.awakeMs();
    this.#tickedAtMs = performance.now();
    this.#stoodStillMs = this.#tickedAtMs - nowMs;
    for (const listener of this.#listeners) listener(nowMs);
  }
}
