export interface AttemptCounterOptions {
  /** Attempts of one name in a window. */
  readonly max: number;
  readonly windowMs: number;
  /** How many names are remembered; the one that was counted longest ago is forgotten first. */
  readonly namesMax?: number;
  /** Milliseconds that only go forward. */
  readonly nowMs?: () => number;
}

interface CountedWindow {
  count: number;
  readonly endsAtMs: number;
}

/**
 * Counts attempts by name, in windows that begin with a name's first attempt. In this process's memory, of which it takes no
 * more than `namesMax` entries, however many names strangers think of.
 */
export class AttemptCounter {
  // A Map keeps the order of insertion: what was counted last stands last.
  readonly #windows = new Map<string, CountedWindow>();
  readonly #nowMs: () => number;
  readonly #namesMax: number;

  constructor(private readonly options: AttemptCounterOptions) {
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#namesMax = options.namesMax ?? 50_000;
  }

  /**
   * Counts one attempt, unless the window holds `max` already.
   * @param max Instead of the usual number.
   * @returns 0 when it was counted; else the milliseconds until the window ends.
   */
  count(name: string, max = this.options.max): number {
    const nowMs = this.#nowMs();
    const found = this.#find(name);
    if (found && found.count >= max) return Math.max(1, Math.ceil(found.endsAtMs - nowMs));
    this.#windows.delete(name);
    this.#windows.set(name, {
      count: (found?.count ?? 0) + 1,
      endsAtMs: found?.endsAtMs ?? nowMs + this.options.windowMs,
    });
    const [oldest] = this.#windows.size > this.#namesMax ? this.#windows.keys() : [];
    if (oldest !== undefined) this.#windows.delete(oldest);
    return 0;
  }

  /** How many attempts the running window holds. */
  countOf(name: string): number {
    return this.#find(name)?.count ?? 0;
  }

  /** Takes one attempt back. */
  forgive(name: string): void {
    const found = this.#find(name);
    if (found && found.count > 0) found.count -= 1;
  }

  /** Forgets all attempts of a name. */
  forget(name: string): void {
    this.#windows.delete(name);
  }

  #find(name: string): CountedWindow | null {
    const found = this.#windows.get(name);
    return found && this.#nowMs() < found.endsAtMs ? found : null;
  }
}
