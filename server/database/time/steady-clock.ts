import { uptime } from 'node:os';
import type { Clock, WallClock } from '../../kernel/clock.js';

const dayMs = 24 * 60 * 60_000;
/** Ahead by more than this of the time that this process has counted, a clock was set, or its machine slept. */
const aheadMsMax = 5 * 60_000;

export interface ClockSample {
  /** Milliseconds since 1970, as a clock says. */
  readonly atMs: number;
  /** Must not count what the wall clock alone has seen. */
  readonly monotonicMs: number;
}

/**
 * Judges a clock, for what must not come too early. Set forward beneath this process, it is believed only when it has stood
 * by that for a day; until then the time goes on as this process counts it. Set back, it is believed at once: that keeps.
 */
export class SteadyWatch {
  #proven: ClockSample | null = null;
  /** Where the clock was found ahead; null: it is not. */
  #ahead: ClockSample | null = null;

  /** @returns milliseconds since 1970, never later than the clock says. The first time is believed as it is. */
  judge(sample: ClockSample): number {
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

/**
 * The wall clock of this machine as `SteadyWatch` judges it, from now on. That the machine slept is no step of its clock, where the system
 * counts sleep in the time that it is up.
 */
export function createSteadyClock(
  clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
  uptimeMs: () => number = () => uptime() * 1_000,
): WallClock {
  const watch = new SteadyWatch();
  const begun = { monotonicMs: clock.monotonicMs(), uptimeMs: uptimeMs() };
  let sleptMs = 0;
  const judge = (atMs: number) => watch.judge({ atMs, monotonicMs: clock.monotonicMs() + sleptMs });
  const nowMs = () => {
    const atMs = clock.nowMs();
    const judgedMs = judge(atMs);
    if (judgedMs === atMs) return atMs;
    // Asked for where it matters alone: it is read of a file.
    sleptMs = Math.max(sleptMs, uptimeMs() - begun.uptimeMs - (clock.monotonicMs() - begun.monotonicMs));
    return judge(atMs);
  };
  nowMs();
  return { nowMs };
}

/** What a clock that went on steadily since one sample says at another. */
function toTimeAt({ atMs, monotonicMs }: ClockSample, later: ClockSample): number {
  return atMs + (later.monotonicMs - monotonicMs);
}
