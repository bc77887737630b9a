import { readDatabaseMs } from '../../database/database-clock.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { WallClock } from '../../kernel/clock.js';

const dayMs = 86_400_000;
/** Apart by more within the time of a process, one of its clocks was set, or its machine slept. */
const steadyMs = 300_000;
const looksMax = 1_000;

interface Look {
  readonly monotonicMs: number;
  readonly atMs: number;
}

/**
 * A time that has surely come, for what cannot be taken back. A clock that was set forward by mistake is believed only when it has stood
 * by it for a day: either the ledger has written a row that is a day old by it, or this process has watched it for a day.
 */
export class ProvenTime {
  /** Hourly: the oldest first, all of which agree with each other. */
  readonly #looks: Look[] = [];

  /** @param monotonicMs Must not count what the wall clock alone has seen. */
  constructor(
    private readonly unitOfWork: Pick<UnitOfWork, 'reader'>,
    private readonly clock: WallClock,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {}

  /**
   * @returns `nowMs`, as the ledger's clock says, and `provenMs`, a day before or earlier; 0 where nothing is known. Milliseconds since 1970.
   * @throws the database's error.
   */
  async read(): Promise<{ readonly nowMs: number; readonly provenMs: number }> {
    const { reader } = this.unitOfWork;
    const nowMs = await readDatabaseMs(reader, this.clock);
    const watchedMs = this.#watch({ monotonicMs: this.monotonicMs(), atMs: nowMs });
    const [row] = await reader.query('SELECT MAX(at_ms) AS at_ms FROM ledger_transfer WHERE at_ms <= ?', [
      nowMs - dayMs,
    ]);
    return { nowMs, provenMs: Math.max(watchedMs, Number(row?.at_ms ?? 0)) };
  }

  /** @returns when this process looked a day ago or before, while the clock has gone on steadily since; else 0. */
  #watch(look: Look): number {
    const last = this.#looks.at(-1);
    const first = this.#looks[0];
    const moved = first ? look.atMs - first.atMs - (look.monotonicMs - first.monotonicMs) : 0;
    if (Math.abs(moved) > steadyMs) this.#looks.length = 0;
    if (!last || this.#looks.length === 0 || look.monotonicMs - last.monotonicMs >= steadyMs) this.#looks.push(look);
    while (this.#looks.length > looksMax) this.#looks.splice(1, 1);
    let watchedMs = 0;
    for (const { monotonicMs, atMs } of this.#looks) {
      if (look.monotonicMs - monotonicMs >= dayMs) watchedMs = atMs;
    }
    return watchedMs;
  }
}
