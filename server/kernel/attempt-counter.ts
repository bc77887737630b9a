/** What is counted, and how much of it is granted. */
export interface AttemptRule {
  /** Of which attempts: names of different kinds do not meet. */
  readonly kind: string;
  /** Attempts of one name in a window. */
  readonly max: number;
  readonly windowMs: number;
  /** Attempts of this kind are never taken back once they were let in, so a refusal may be remembered until its window ends. */
  readonly isFinal?: boolean;
}

/** Where a name stands. */
export interface AttemptStanding {
  /** 0 when the attempt was counted; else the milliseconds until the window ends. */
  readonly waitMs: number;
  /** Attempts in the window, this one included if it was counted. */
  readonly count: number;
  readonly endsInMs: number;
}

/**
 * Counts attempts by name, in windows that begin with a name's first attempt. Each step is one that nobody can come between,
 * whichever process takes it.
 */
export interface AttemptCounter {
  /**
   * Counts one attempt, unless the window holds `max` already.
   * @param max Instead of the rule's number; 0 only looks.
   */
  count(name: string, max?: number): Promise<AttemptStanding>;
  /** Takes one attempt back. */
  forgive(name: string): Promise<void>;
  /** Forgets all attempts of a name. */
  forget(name: string): Promise<void>;
}

/** Opens the counter of a rule in the store that all processes share. */
export type OpenAttemptCounter = (rule: AttemptRule) => AttemptCounter;

interface MemoryOptions {
  /** How many names are remembered; the one that was counted longest ago is forgotten first. */
  readonly namesMax?: number;
  /** Milliseconds that only go forward. */
  readonly nowMs?: () => number;
}

interface CountedWindow {
  count: number;
  readonly endsAtMs: number;
}

/** The counter of one process, which takes no more than `namesMax` entries of its memory, however many names callers make up. */
export class MemoryAttemptCounter implements AttemptCounter {
  // A Map keeps the order of insertion: what was counted last stands last.
  readonly #windows = new Map<string, CountedWindow>();
  readonly #nowMs: () => number;
  readonly #namesMax: number;

  constructor(
    private readonly rule: Pick<AttemptRule, 'max' | 'windowMs'>,
    options: MemoryOptions = {},
  ) {
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#namesMax = options.namesMax ?? 50_000;
  }

  async count(name: string, max = this.rule.max): Promise<AttemptStanding> {
    const nowMs = this.#nowMs();
    const found = this.#find(name, nowMs);
    const endsAtMs = found?.endsAtMs ?? nowMs + this.rule.windowMs;
    const endsInMs = Math.max(1, Math.ceil(endsAtMs - nowMs));
    const before = found?.count ?? 0;
    if (before >= max) return { waitMs: endsInMs, count: before, endsInMs };
    const count = before + 1;
    this.#windows.delete(name);
    this.#windows.set(name, { count, endsAtMs });
    const [oldest] = this.#windows.size > this.#namesMax ? this.#windows.keys() : [];
    if (oldest !== undefined) this.#windows.delete(oldest);
    return { waitMs: 0, count, endsInMs };
  }

  async forgive(name: string): Promise<void> {
    const found = this.#find(name, this.#nowMs());
    if (found && found.count > 0) found.count -= 1;
  }

  async forget(name: string): Promise<void> {
    this.#windows.delete(name);
  }

  #find(name: string, nowMs: number): CountedWindow | null {
    const found = this.#windows.get(name);
    return found && nowMs < found.endsAtMs ? found : null;
  }
}

/** For one process alone: what belongs to it, or a test. */
export const openMemoryCounter: OpenAttemptCounter = (rule) => new MemoryAttemptCounter(rule);
