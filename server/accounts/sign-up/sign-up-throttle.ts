import { networkOf } from '../../kernel/addresses/network-address.js';
import { AppError } from '../../kernel/app-error.js';
import type { OpenAttemptCounter } from '../../kernel/attempt-counter.js';
import { countInAll, type WindowOf } from '../../kernel/jobs/count-in-all.js';

const hourMs = 3_600_000;
/** A day brings no more than this many good hours. */
const hoursPerDay = 4;

/**
 * Slows down the farming of accounts: so many sign-ups from one network in an hour, and four times as many in a day,
 * counted by all instances together.
 */
export class SignUpThrottle {
  readonly #windows: readonly Omit<WindowOf, 'name'>[];

  constructor(openCounter: OpenAttemptCounter, signUpsPerHour: number) {
    const perDay = signUpsPerHour * hoursPerDay;
    const rules = [
      { kind: 'sign-up hour', max: signUpsPerHour, windowMs: hourMs },
      { kind: 'sign-up day', max: perDay, windowMs: 24 * hourMs },
    ];
    this.#windows = rules.map((rule) => ({ counter: openCounter(rule), max: rule.max }));
  }

  /** @throws AppError `rate_limit_exceeded` with the time after which it is let in. */
  async countSignUp(address: string): Promise<void> {
    const name = networkOf(address);
    const waitMs = await countInAll(this.#windows.map((window) => ({ ...window, name })));
    if (waitMs === 0) return;
    const words = `Too many sign-ups from your network. Try again in ${Math.ceil(waitMs / 60_000)} minute(s).`;
    throw new AppError('rate_limit_exceeded', words, { retryAfterMs: waitMs });
  }

  /** Takes one back that was counted, and then turned away before anything was done or told. */
  async forgiveSignUp(address: string): Promise<void> {
    const name = networkOf(address);
    await Promise.all(this.#windows.map(({ counter }) => counter.forgive(name)));
  }
}
