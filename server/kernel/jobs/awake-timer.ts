const stepsMax = 8;

/**
 * A timer at whose end something is refused, ended or given up. It counts time in which this process could work: of one standstill, such as
 * that of a suspended machine or a starved container, an eighth of the timer's length at most. Node runs timers before it reads what
 * came meanwhile, so at the end that is read first.
 *
 * Not for what real time has to end, such as a session, a lease or a lock of somebody else's.
 */
export class AwakeTimer {
  readonly #stepMs: number;
  #leftMs: number;
  #timer: NodeJS.Timeout | null = null;
  #lastTurn: NodeJS.Immediate | null = null;
  #isRefed = true;

  /** @param onEnd Called once, `timeoutMs` from now at the earliest, unless it is stopped before. */
  constructor(
    timeoutMs: number,
    private readonly onEnd: () => void,
  ) {
    this.#leftMs = timeoutMs;
    this.#stepMs = Math.ceil(timeoutMs / stepsMax);
    this.#countStep();
  }

  /** Does nothing once it has ended. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#lastTurn !== null) clearImmediate(this.#lastTurn);
  }

  /** From now on it keeps no process alive. */
  unref(): this {
    this.#isRefed = false;
    this.#timer?.unref();
    return this;
  }

  // However long a step took, it counts as its own length.
  #countStep(): void {
    const stepMs = Math.min(this.#stepMs, this.#leftMs);
    this.#leftMs -= stepMs;
    this.#timer = setTimeout(() => {
      if (this.#leftMs > 0) this.#countStep();
      else this.#endBehindNews();
    }, stepMs);
    if (!this.#isRefed) this.#timer.unref();
  }

  #endBehindNews(): void {
    this.#lastTurn = setImmediate(this.onEnd);
    if (!this.#isRefed) this.#lastTurn.unref();
  }
}
