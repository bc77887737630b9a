/** How long a request counts. */
export const windowMs = 60_000;

export interface RequestToEnter {
  readonly accountId: string;
  /** Unique among all requests. */
  readonly requestId: string;
  readonly limit: number;
}

export interface LogEntry {
  /** false: the window was full, and nothing was written. */
  readonly isEntered: boolean;
  /** Requests in the window, this one included if it was entered. */
  readonly count: number;
  /** When the oldest of them leaves the window; 0 when there is none. */
  readonly oldestLeavesInMs: number;
}

/**
 * The moments of each account's requests in the last 60 seconds. A request is entered only if fewer than the limit are
 * there, in one step that nobody can come between: so no window of 60 seconds, wherever it begins, holds more.
 */
export interface SlidingWindow {
  enter(request: RequestToEnter): Promise<LogEntry>;
  close(): Promise<void>;
}

interface AccountLog {
  /** Oldest first, from `head` on. */
  moments: number[];
  head: number;
}

const sweepMs = 60_000;

/** The log of one process. Measured with a clock that nobody can set. */
export class MemorySlidingWindow implements SlidingWindow {
  readonly #accounts = new Map<string, AccountLog>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(private readonly nowMs: () => number = () => performance.now()) {
    this.#sweeper = setInterval(() => this.#forgetIdle(), sweepMs).unref();
  }

  async enter({ accountId, limit }: RequestToEnter): Promise<LogEntry> {
    return this.enterNow(accountId, limit);
  }

  /** `enter`, for callers who want to know it at once. */
  enterNow(accountId: string, limit: number): LogEntry {
    const nowMs = this.nowMs();
    const log = this.#accounts.get(accountId) ?? { moments: [], head: 0 };
    this.#accounts.set(accountId, log);
    dropBefore(log, nowMs - windowMs);
    const isEntered = log.moments.length - log.head < limit;
    if (isEntered) log.moments.push(nowMs);
    const oldestMs = log.moments[log.head];
    return {
      isEntered,
      count: log.moments.length - log.head,
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
function dropBefore(log: AccountLog, startMs: number): void {
  while (log.head < log.moments.length && (log.moments[log.head] ?? 0) <= startMs) log.head += 1;
  if (log.head > 1_024 && log.head * 2 > log.moments.length) {
    log.moments = log.moments.slice(log.head);
    log.head = 0;
  }
}
