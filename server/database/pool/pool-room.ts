import type { Pool } from 'mysql2';

/** What is left to the pool of a process beside the connections of its ledger. */
const crowdedConnectionsMax = 2;
const crowdedMs = 60_000;
/** Until then nobody tries in vain to open the second one. */
const secondAfterMs = 1_000;

/**
 * How many connections a pool may have: as many as it was made with, and two at most for a minute from each time on that a server refused one
 * of this process because it is full. The ledger has connections of its own, without which no call is answered; the pool's unused ones
 * would keep their places from it for as long as anybody asks the pool now and then.
 */
export class PoolRoom {
  readonly #usualMax: number;
  #refusedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly pool: Pool) {
    this.#usualMax = Number(pool.config.connectionLimit);
  }

  /** @param open connections that the pool has. With one, whoever asks within the next second waits for that one, and is not refused another. */
  narrow(open: number): void {
    this.#refusedAtMs = performance.now();
    this.pool.config.connectionLimit = Math.min(crowdedConnectionsMax, Math.max(1, open), this.#usualMax);
  }

  /** To be asked before a connection is. */
  widenInTime(): void {
    const passedMs = performance.now() - this.#refusedAtMs;
    if (passedMs < secondAfterMs) return;
    const max = passedMs < crowdedMs ? crowdedConnectionsMax : this.#usualMax;
    this.pool.config.connectionLimit = Math.min(max, this.#usualMax);
  }

  /** Whether so many are more than there may be now. */
  isExceededBy(open: number): boolean {
    return open > Number(this.pool.config.connectionLimit);
  }
}
