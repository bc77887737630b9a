import type { DatabaseClock } from '../database/time/database-clock.js';

const dayMs = 24 * 60 * 60_000;
/** Ahead by more than this of the time that this process has counted, a clock was set, or its machine slept. */
const aheadMsMax = 5 * 60_000;

interface ClockSample {
  readonly atMs: number;
  readonly monotonicMs: number;
}

/**
 * The time of a clock, for what must not be forgotten too early. Set forward beneath this process, it is believed only when it has stood
 * by that for a day; until then the time goes on as this process counts it. Set back, it is believed at once: that keeps.
 */
export class SteadyTime {
  #proven: ClockSample | null = null;
  /** Where the clock was found ahead; null: it is not. */
  #ahead: ClockSample | null = null;

  /** @param monotonicMs Must not count what the wall clock alone has seen. */
  constructor(
    private readonly clock: Pick<DatabaseClock, 'readMs'>,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {}

  /** Milliseconds since 1970, never later than the clock says. The first time is believed as it is. @throws the database's error. */
  async readMs(): Promise<number> {
    const sample = { atMs: await this.clock.readMs(), monotonicMs: this.monotonicMs() };
    this.#proven ??= sample;
    const countedMs = toTimeAt(this.#proven, sample);
    if (sample.atMs - countedMs <= aheadMsMax) {
      this.#ahead = null;
      if (sample.atMs < countedMs) this.#proven = sample;
      return sample.atMs;
    }
    if (this.#ahead === null || Math.abs(sample.atMs - toTimeAt(this.#ahead, sample)) > aheadMsMax)
      this.#ahead = sample;
    if (sample.monotonicMs - this.#ahead.monotonicMs < dayMs) return countedMs;
    this.#proven = sample;
    this.#ahead = null;
    return sample.atMs;
  }
}

/** What a clock that went on steadily since one sample says at another. */
function toTimeAt({ atMs, monotonicMs }: ClockSample, later: ClockSample): number {
  return atMs + (later.monotonicMs - monotonicMs);
}
