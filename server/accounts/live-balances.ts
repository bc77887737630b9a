import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../kernel/app-error.js';
import type { Metric } from '../kernel/metrics/metric.js';
import type { WalletsElsewhere } from './polled-wallets.js';

/** What an account has, in millicredits. */
export interface WatchedBalance {
  readonly availableMillicredits: number;
  readonly heldMillicredits: number;
}

/** What the subscription to a balance is served with, and nothing else is. */
export interface BalanceWatch {
  /** The balance of whoever asks: now, and again after each change. */
  watchBalance(): AsyncIterable<WatchedBalance>;
}

export interface LiveBalancesParts {
  readonly findBalance: (accountId: string) => Promise<WatchedBalance>;
  /** Calls `listener` with the account whenever this process has changed its wallet. */
  readonly onWalletTouched: (listener: (accountId: string) => void) => void;
  /** What tells of wallets that other instances have changed; left out: there are none. */
  readonly elsewhere?: WalletsElsewhere | null;
  /** How often to look whatever was told. */
  readonly pollMs?: number;
}

export interface BalanceWatcher {
  readonly accountId: string;
  /** Asked before each look; once it answers no, the watching ends. */
  readonly isStillAllowed: () => Promise<boolean>;
  /** Ends the watching. */
  readonly signal: AbortSignal;
}

const usualPollMs = 2_000;
const watchersPerAccountMax = 5;
/** Together they read the database a thousand times a second. */
const watchersMax = 1_000;
/** Changes that follow each other this closely are told as one. */
const settleDownMs = 20;

/**
 * Tells watchers what an account has whenever that changes: at once when this process changed it, and as soon as `elsewhere`
 * tells of it when another instance did; within two seconds whatever was told. Each watcher costs two small reads every two
 * seconds and nothing once it has left; an account has at most five on one instance, and all have a thousand.
 */
export class LiveBalances {
  readonly #wakersOf = new Map<string, Set<() => void>>();
  readonly #closing = new AbortController();

  constructor(private readonly parts: LiveBalancesParts) {
    parts.onWalletTouched((accountId) => this.#wake(accountId));
  }

  /** How many watch now. */
  get watcherCount(): number {
    return [...this.#wakersOf.values()].reduce((sum, wakers) => sum + wakers.size, 0);
  }

  /** For the operator's monitoring. */
  listMetrics(): Metric[] {
    const help = 'Subscriptions to balances; a thousand at most.';
    return [{ name: 'tollgate_balances_watched', help, kind: 'gauge', value: this.watcherCount }];
  }

  /**
   * The balance now, and again after each change of it.
   * @throws AppError `concurrency_limit_exceeded` when five are watching this account already, `service_unavailable` when a thousand watch
   *   any.
   */
  watch(watcher: BalanceWatcher): AsyncGenerator<WatchedBalance, void, undefined> {
    const wakers = this.#wakersOf.get(watcher.accountId) ?? new Set();
    if (wakers.size >= watchersPerAccountMax) {
      const message = `The balance of this account is watched ${watchersPerAccountMax} times already. Close one of them.`;
      throw new AppError('concurrency_limit_exceeded', message, { retryAfterMs: 5_000 });
    }
    if (this.watcherCount >= watchersMax) {
      const message =
        'This server tells as many balances as it can. Ask for yours by a query, and try again in a minute.';
      throw new AppError('service_unavailable', message, { retryAfterMs: 60_000 });
    }
    this.#wakersOf.set(watcher.accountId, wakers);
    this.parts.elsewhere?.begin(
      (accountId) => this.#wake(accountId),
      () => [...this.#wakersOf.keys()],
    );
    const bell = new Bell();
    wakers.add(bell.ring);
    const leave = () => {
      wakers.delete(bell.ring);
      if (wakers.size === 0) this.#wakersOf.delete(watcher.accountId);
      if (this.#wakersOf.size === 0) this.parts.elsewhere?.rest();
      bell.ring();
    };
    // A generator that was never started runs no `finally`, so leaving does not rest on it.
    const signal = AbortSignal.any([watcher.signal, this.#closing.signal]);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    return this.#tell({ ...watcher, signal }, bell, leave);
  }

  #wake(accountId: string): void {
    for (const wake of this.#wakersOf.get(accountId) ?? []) wake();
  }

  /** Ends all watching, before the server stops. */
  close(): void {
    this.#closing.abort();
  }

  async *#tell({ accountId, isStillAllowed, signal }: BalanceWatcher, bell: Bell, leave: () => void) {
    try {
      let told: WatchedBalance | null = null;
      while (!signal.aborted && (await isStillAllowed())) {
        const balance = await this.parts.findBalance(accountId);
        if (signal.aborted) return;
        if (told === null || !isSame(told, balance)) yield balance;
        told = balance;
        await bell.wait(this.parts.pollMs ?? usualPollMs);
        if (!signal.aborted) await sleep(settleDownMs);
      }
    } finally {
      leave();
    }
  }
}

/** Wakes who waits for it; one that rang while nobody waited is heard by the next. */
class Bell {
  #hasRung = false;
  #wake: () => void = () => {};

  readonly ring = (): void => {
    this.#hasRung = true;
    this.#wake();
  };

  async wait(longestMs: number): Promise<void> {
    if (!this.#hasRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, longestMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#hasRung = false;
  }
}

function isSame(one: WatchedBalance, other: WatchedBalance): boolean {
  return one.availableMillicredits === other.availableMillicredits && one.heldMillicredits === other.heldMillicredits;
}
