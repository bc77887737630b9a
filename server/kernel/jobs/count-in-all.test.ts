import { ResetThrottle } from '../../accounts/recovery/reset-throttle.js';
import { SignUpThrottle } from '../../accounts/sign-up/sign-up-throttle.js';
import { CodeThrottle } from '../../factors/code-throttle.js';
import { AppError } from '../app-error.js';
import { MemoryAttemptCounter, type OpenAttemptCounter } from '../attempt-counter.js';

const minuteMs = 60_000;

describe('The wait that a refused attempt is told', () => {
  let nowMs: number;
  let open: OpenAttemptCounter;
  beforeEach(() => {
    nowMs = 0;
    open = (rule) => new MemoryAttemptCounter(rule, { nowMs: () => nowMs });
  });

  /** @returns 0 where it was let in. */
  const waitOf = (attempt: () => Promise<unknown>): Promise<number> =>
    attempt().then(
      () => 0,
      (error: unknown) => (error instanceof AppError ? (error.retryAfterMs ?? -1) : -1),
    );

  /** Makes attempts every so often until one is refused, and again right after the wait that it was told. */
  const isTold = async (attempt: () => Promise<unknown>, everyMs: number) => {
    let waitMs = 0;
    for (let count = 0; count < 1_000 && waitMs === 0; count += 1) {
      nowMs += everyMs;
      waitMs = await waitOf(attempt);
    }
    expect(waitMs).toBeGreaterThan(0);
    const toldMs = waitMs;
    nowMs += toldMs - 1;
    const before = await waitOf(attempt);
    nowMs += 1;
    return { before, after: await waitOf(attempt) };
  };

  const attempts: Readonly<Record<string, () => () => Promise<unknown>>> = {
    codes: () => {
      const throttle = new CodeThrottle(open);
      return () => throttle.countCode({ accountId: 'acct_1', address: '192.0.2.1', trustedAs: null });
    },
    'sign-ups': () => {
      const throttle = new SignUpThrottle(open, 5);
      return () => throttle.countSignUp('192.0.2.1');
    },
    'new passwords': () => {
      const throttle = new ResetThrottle(open);
      let letIn = 0;
      return async () => {
        await throttle.countRequest({ emailNormalised: `${letIn % 5}@example.com`, address: '192.0.2.1' });
        letIn += 1;
      };
    },
  };

  it.each(Object.keys(attempts).flatMap((what) => [1, 1_000, 90_000, 130_000].map((ms) => [what, ms] as const)))(
    'is that after which it is let in, whichever windows are full, and no longer than that: %s, one every %d ms',
    async (what, everyMs) => {
      const { before, after } = await isTold((attempts[what] as () => () => Promise<unknown>)(), everyMs);
      expect({ isEarly: before > 0, after }).toEqual({ isEarly: true, after: 0 });
    },
  );

  it('tells the longer one where the hour and the day are full at once', async () => {
    const throttle = new SignUpThrottle(open, 5);
    const signUp = () => throttle.countSignUp('192.0.2.1');
    for (let hour = 0; hour < 4; hour += 1) {
      for (let count = 0; count < 5; count += 1) expect(await waitOf(signUp)).toBe(0);
      if (hour < 3) nowMs += 60 * minuteMs;
    }
    // The hour is full for 60 minutes more, and the day for 21 hours.
    expect(await waitOf(signUp)).toBe(21 * 60 * minuteMs);
    nowMs += 21 * 60 * minuteMs;
    expect(await waitOf(signUp)).toBe(0);
  });

  it('is no shorter for an attempt that was refused: it takes no room of another window', async () => {
    const throttle = new CodeThrottle(open);
    const attempt = { accountId: 'acct_1', address: '192.0.2.1', trustedAs: null };
    const enter = () => throttle.countCode(attempt);
    // Fifty in a day, ten in each quarter of an hour.
    for (let round = 0; round < 5; round += 1) {
      for (let count = 0; count < 10; count += 1) expect(await waitOf(enter)).toBe(0);
      nowMs += 15 * minuteMs;
    }
    const leftMs = 24 * 60 * minuteMs - nowMs;
    nowMs += leftMs - minuteMs;
    for (let count = 0; count < 30; count += 1) expect(await waitOf(enter)).toBe(minuteMs);
    nowMs += minuteMs;
    expect(await waitOf(enter)).toBe(0);
  });
});
