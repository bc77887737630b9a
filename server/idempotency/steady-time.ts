import type { DatabaseClock } from '../database/time/database-clock.js';
import { SteadyWatch } from '../database/time/steady-clock.js';

/** The time of a clock, as `SteadyWatch` judges it, for what must not be forgotten too early. */
export class SteadyTime {
  readonly #watch = new SteadyWatch();

  /** @param monotonicMs Must not count what the wall clock alone has seen. */
  constructor(
    private readonly clock: Pick<DatabaseClock, 'readMs'>,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {}

  /** Milliseconds since 1970, never later than the clock says. The first time is believed as it is. @throws the database's error. */
  async readMs(): Promise<number> {
    return this.#watch.judge({ atMs: await this.clock.readMs(), monotonicMs: this.monotonicMs() });
  }
}
