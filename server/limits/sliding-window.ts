/** How long a request counts. */
export const windowMs = 60_000;

export interface RequestToEnter {
  readonly accountId: string;
  /** Unique among all requests. */
  readonly requestId: string;
  readonly limit: number;
}

export interface WindowEntry {
  /** false: the window was full, and nothing was written. */
  readonly isEntered: boolean;
  /** Requests in the window, this one included if it was entered. */
  readonly count: number;
  /** When the oldest of them leaves the window, at most 61 seconds; 0 when there is none. */
  readonly oldestLeavesInMs: number;
}

/**
 * The moments of each account's requests in the last 60 seconds. A request is entered only if fewer than the limit are
 * there, in one step that nobody can come between: so no window of 60 seconds, wherever it begins, holds more.
 */
export interface SlidingWindow {
  /** At once where nobody else has to be asked. */
  enter(request: RequestToEnter): WindowEntry | Promise<WindowEntry>;
  close(): Promise<void>;
}

interface AccountWindow {
  /** Oldest first, from `head` on. */
  moments: number[];
  head: number;
}

const sweepMs = 60_000;

/** The window of one process. Measured with a clock that nobody can set. */
export class MemorySlidingWindow implements SlidingWindow {
  readonly #accounts = new Map<string, AccountWindow>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(private readonly nowMs: () => number = () => performance.now()) {
    this.#sweeper = setInterval(() => this.#forgetIdle(), sweepMs).unref();
  }

  enter({ accountId, limit }: Pick<RequestToEnter, 'accountId' | 'limit'>): WindowEntry {
    const nowMs = this.nowMs();
    const window = this.#accounts.get(accountId) ?? { moments: [], head: 0 };
    this.#accounts.set(accountId, window);
    dropBefore(window, nowMs - windowMs);
    const isEntered = window.moments.length - window.head < limit;
    if (isEntered) window.moments.push(nowMs);
    const oldestMs = window.moments[window.head];
    return {
      isEntered,
      count: window.moments.length - window.head,
      oldestLeavesInMs: oldestMs === undefined ? 0 : oldestMs + windowMs - nowMs,
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
  }

  #forgetIdle(): void {
    const startMs = this.nowMs() - windowMs;
    for (const [accountId, { moments }] of this.#accounts) {
      if ((moments.at(-1) ?? 0) <= startMs) this.#accounts.delete(accountId);
    }
  }
}

// Moves the head instead of the moments; what lies before it is cut off now and then.
function dropBefore(window: AccountWindow, startMs: number): void {
  while (window.head < window.moments.length && (window.moments[window.head] ?? 0) <= startMs) window.head += 1;
  if (window.head > 1_024 && window.head * 2 > window.moments.length) {
    window.moments = window.moments.slice(window.head);
    window.head = 0;
  }
}
