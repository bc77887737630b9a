import type { Stopwatch } from '../clock.js';

/** What goes on is told of so often, however often it happens. */
const toldEveryMs = 60_000;

/** Bounds the lines of the log about something that may happen thousands of times a second: one at once, and then one a minute, each with a number. */
export class SeldomTold {
  #againMs = Number.NEGATIVE_INFINITY;
  #unsaid = 0;

  constructor(private readonly clock: Stopwatch) {}

  /** Says that it has happened. @param tell Is called when it is time for a line, with how often it has happened since the one before. */
  note(tell: (times: number) => void): void {
    this.#unsaid += 1;
    const nowMs = this.clock.elapsedMs();
    if (nowMs < this.#againMs) return;
    this.#againMs = nowMs + toldEveryMs;
    const times = this.#unsaid;
    this.#unsaid = 0;
    tell(times);
  }
}
