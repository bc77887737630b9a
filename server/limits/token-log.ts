/** How long tokens count, and how exactly: those of one second leave together. */
export const tokenWindowSeconds = 60;

export interface TokensToEnter {
  /** The account or the key that they count for. */
  readonly ownerId: string;
  readonly tokens: number;
  readonly limit: number;
}

export interface TokenEntry {
  /** false: there was no room for them, and nothing was written. */
  readonly isEntered: boolean;
  /** Tokens in the window, these included if they were entered. */
  readonly used: number;
  /** When the window is empty if nothing else comes, at most 61 seconds; 0 when it is. */
  readonly emptyInMs: number;
  /** When there will be room for what was not entered, at most 61 seconds; 0 when it was. */
  readonly roomInMs: number;
  /** Adds to what was entered, or takes from it, while that still counts. Never throws. */
  correct(difference: number): Promise<void>;
}

/**
 * The tokens of each account or key in the last 60 seconds, by the second in which their calls began. They are entered only where
 * there is room, in one step that nobody can come between; what a call is corrected to may pass the limit, and then nobody
 * is let in until that has left the window.
 */
export interface TokenLog {
  enter(tokens: TokensToEnter): Promise<TokenEntry>;
  close(): Promise<void>;
}

/** Tokens that began in one second, counted from whatever the clock counts from. */
export type TokenSecond = readonly [second: number, tokens: number];

/**
 * Whether the tokens of a second count no more: the last of them is 60 seconds old, or they lie further ahead than a window, and
 * so were written before the clock was set back.
 */
export function isOutsideWindow(second: number, nowMs: number): boolean {
  return leavesAtMs(second) <= nowMs || second > Math.floor(nowMs / 1_000) + tokenWindowSeconds;
}

const leavesAtMs = (second: number) => (second + 1 + tokenWindowSeconds) * 1_000;
// Tokens of a moment that is still to come, by a clock that was set back: nobody is told to wait longer than a window for them.
const leavesInMs = (second: number, nowMs: number) =>
  Math.min(leavesAtMs(second) - nowMs, (tokenWindowSeconds + 1) * 1_000);

/** How a window stands. @param seconds Those that have not left, with what was entered now. */
export function describeWindow(
  seconds: readonly TokenSecond[],
  { nowMs, isEntered, tokens, limit }: { nowMs: number; isEntered: boolean; tokens: number; limit: number },
): Omit<TokenEntry, 'correct'> {
  const inOrder = seconds.toSorted(([one], [other]) => one - other);
  const used = inOrder.reduce((sum, [, count]) => sum + count, 0);
  const last = inOrder.at(-1);
  const emptyInMs = last === undefined ? 0 : leavesInMs(last[0], nowMs);
  let left = used;
  let roomInMs = 0;
  for (const [second, count] of inOrder) {
    if (isEntered || left + tokens <= limit) break;
    left -= count;
    roomInMs = leavesInMs(second, nowMs);
  }
  return { isEntered, used, emptyInMs, roomInMs };
}

const sweepMs = 60_000;

/** The log of one process. Measured with a clock that nobody can set. */
export class MemoryTokenLog implements TokenLog {
  readonly #owners = new Map<string, Map<number, number>>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(private readonly nowMs: () => number = () => performance.now()) {
    this.#sweeper = setInterval(() => this.#forgetIdle(), sweepMs).unref();
  }

  async enter({ ownerId, tokens, limit }: TokensToEnter): Promise<TokenEntry> {
    const nowMs = this.nowMs();
    const second = Math.floor(nowMs / 1_000);
    const seconds = this.#owners.get(ownerId) ?? new Map<number, number>();
    this.#owners.set(ownerId, seconds);
    dropOutside(seconds, nowMs);
    const used = [...seconds.values()].reduce((sum, count) => sum + count, 0);
    const isEntered = used + tokens <= limit;
    if (isEntered) seconds.set(second, (seconds.get(second) ?? 0) + tokens);
    const correct = async (difference: number) => {
      const count = seconds.get(second);
      if (isEntered && count !== undefined) seconds.set(second, count + difference);
    };
    return { ...describeWindow([...seconds], { nowMs, isEntered, tokens, limit }), correct };
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
  }

  #forgetIdle(): void {
    const nowMs = this.nowMs();
    for (const [ownerId, seconds] of this.#owners) {
      dropOutside(seconds, nowMs);
      if (seconds.size === 0) this.#owners.delete(ownerId);
    }
  }
}

function dropOutside(seconds: Map<number, number>, nowMs: number): void {
  for (const second of seconds.keys()) if (isOutsideWindow(second, nowMs)) seconds.delete(second);
}
