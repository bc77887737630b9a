import type { EntityManager } from 'typeorm';
import { steadyMs } from '../../database/time/counted-waits.js';
import { readDatabaseMs } from '../../database/time/database-clock.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { Clock } from '../../kernel/clock.js';

const dayMs = 86_400_000;
const samplesMax = 1_000;

interface ClockSample {
  readonly monotonicMs: number;
  readonly atMs: number;
}

export interface TimeRead {
  readonly nowMs: number;
  readonly provenMs: number;
  readonly believedMs: number;
}

/** The time of a clock that is believed as it is. */
export function toBelieved(nowMs: number): TimeRead {
  return { nowMs, provenMs: nowMs, believedMs: nowMs };
}

/**
 * A time that has surely come, for what cannot be taken back. A clock that was set forward by mistake is believed only when it has stood
 * by it for a day: either the ledger has written a row that is a day old by it, or this process has watched it for a day.
 */
export class ProvenTime {
  /** One in five minutes at most, the oldest first; all of them agree with each other. */
  readonly #samples: ClockSample[] = [];

  constructor(
    private readonly unitOfWork: Pick<UnitOfWork, 'reader'>,
    private readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
    private readonly readNowMs: (reader: EntityManager) => Promise<number> = (reader) => readDatabaseMs(reader, clock),
  ) {}

  /**
   * @param reader A transaction under way, or left out.
   * @returns `nowMs`, as the clock says, that of the ledger's database where no other is given; `provenMs`, a day before or earlier; 0 where nothing is known; and `believedMs`: `nowMs` where
   *   this process has watched the clock go on steadily for a day, else `provenMs`. Milliseconds since 1970.
   * @throws the database's error.
   */
  async read(reader: EntityManager = this.unitOfWork.reader): Promise<TimeRead> {
    const nowMs = await this.readNowMs(reader);
    const watchedMs = this.#watch({ monotonicMs: this.clock.monotonicMs(), atMs: nowMs });
    const [row] = await reader.query('SELECT MAX(at_ms) AS at_ms FROM ledger_transfer WHERE at_ms <= ?', [
      nowMs - dayMs,
    ]);
    const provenMs = Math.max(watchedMs, Number(row?.at_ms ?? 0));
    return { nowMs, provenMs, believedMs: watchedMs === 0 ? provenMs : nowMs };
  }

  /** @returns the time of the newest sample that is a day old, where the clock has gone on steadily since; else 0. */
  #watch(sample: ClockSample): number {
    const last = this.#samples.at(-1);
    const first = this.#samples[0];
    const moved = first ? sample.atMs - first.atMs - (sample.monotonicMs - first.monotonicMs) : 0;
    if (Math.abs(moved) > steadyMs) this.#samples.length = 0;
    if (!last || this.#samples.length === 0 || sample.monotonicMs - last.monotonicMs >= steadyMs)
      this.#samples.push(sample);
    while (this.#samples.length > samplesMax) this.#samples.splice(1, 1);
    let watchedMs = 0;
    for (const { monotonicMs, atMs } of this.#samples) {
      if (sample.monotonicMs - monotonicMs >= dayMs) watchedMs = atMs;
    }
    return watchedMs;
  }
}
