import { ElapsedTime } from './elapsed-time.js';

/** The longest lease that a process may be set to, in milliseconds. Those beside it may have another length than its own. */
export const holdLeaseMsMax = 3_600_000;

/** The only source of wall time in the server, so that tests can move it. */
export interface WallClock {
  /**
   * Milliseconds since 1970-01-01 UTC. For records and for people, never to order money, and never to measure how long something
   * took or how old something in memory is: it may be set, forward and back, at any time.
   */
  nowMs(): number;
}

/** Tells how much time has passed, whatever becomes of the wall clock. */
export interface Stopwatch {
  /** Milliseconds since some moment before; only differences mean something. Never goes back, and counts standstills and sleep. */
  elapsedMs(): number;
}

export interface Clock extends WallClock, Stopwatch {
  /** Milliseconds since some moment before, of which no wall clock tells: it counts no step of one, and may not count sleep. */
  monotonicMs(): number;
}

const elapsed = new ElapsedTime(
  () => performance.now(),
  () => Date.now(),
);

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => elapsed.readMs(),
  monotonicMs: () => performance.now(),
};

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  #elapsedMs = 0;

  constructor(private currentMs = Date.UTC(2026, 0, 1)) {}

  nowMs(): number {
    return this.currentMs;
  }

  elapsedMs(): number {
    return this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  advanceMs(durationMs: number): void {
    this.currentMs += durationMs;
    this.#elapsedMs += Math.max(0, durationMs);
  }

  /** Sets the wall clock forward or back, as a fault of a time server does; no time passes. */
  setWallMs(nowMs: number): void {
    this.currentMs = nowMs;
  }
}
