import { AppError } from '../kernel/app-error.js';
import type { FakeClock } from '../kernel/clock.js';

/**
 * Asks for what is refused for a while, and moves the clock on by the wait that is told: a millisecond before it is over the same is
 * refused still, with words that say the same. The caller asks again behind it.
 */
export async function refusedFor(ask: () => Promise<unknown>, clock: Pick<FakeClock, 'advanceMs'>): Promise<void> {
  const told = await ask().catch((error: unknown) => error);
  if (!(told instanceof AppError) || told.retryAfterMs === null) throw new Error('This is not refused for a while.');
  const [, count, unit] = /in (\d+) (minute|hours)/.exec(told.message) ?? [];
  const unitMs = unit === 'hours' ? 3_600_000 : 60_000;
  expect(Math.ceil(told.retryAfterMs / unitMs)).toBe(Number(count));
  clock.advanceMs(told.retryAfterMs - 1);
  await expect(ask()).rejects.toMatchObject({ code: told.code, retryAfterMs: 1 });
  clock.advanceMs(1);
}
