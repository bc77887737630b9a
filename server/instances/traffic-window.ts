import type { InstanceReport, TrafficCounts } from './instance-report.js';

const windowMs = 60_000;

interface Sample {
  readonly atMs: number;
  readonly counts: TrafficCounts;
}

/** The last minute of counters that only grow, from samples taken every few seconds: nothing is counted on a call's way for it. */
export class TrafficWindow {
  #samples: readonly Sample[];

  /** @param counts as they stand now */
  constructor(atMs: number, counts: TrafficCounts) {
    this.#samples = [{ atMs, counts }];
  }

  /** Takes a sample. @returns what has been added since the oldest one that is no more than a minute old. */
  add(atMs: number, counts: TrafficCounts): InstanceReport['lastMinute'] {
    const recent = this.#samples.filter((sample) => sample.atMs >= atMs - windowMs);
    // After a pause longer than the window, the last sample before it.
    const from = recent[0] ?? (this.#samples.at(-1) as Sample);
    this.#samples = [...(recent.length > 0 ? recent : [from]), { atMs, counts }];
    const since = (name: keyof TrafficCounts) => counts[name] - from.counts[name];
    return {
      lengthMs: Math.max(0, Math.round(atMs - from.atMs)),
      calls: since('calls'),
      failedCalls: since('failedCalls'),
      refusals: since('refusals'),
      tokens: since('tokens'),
      commits: since('commits'),
      operations: since('operations'),
    };
  }
}
