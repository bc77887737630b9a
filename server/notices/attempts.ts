/** What waits for how many attempts: 30 seconds, then more and more, about a day in all. */
const pausesMs = [30_000, 120_000, 600_000, 3_600_000, 21_600_000, 57_600_000];

/** No notice waits longer for its next attempt. */
export const longestPauseMs = Math.max(...pausesMs);

/** How long a notice waits that was refused so many times, in milliseconds; null: it is given up. @param attempts 1 or more. */
export function findPauseMs(attempts: number): number | null {
  return pausesMs[attempts - 1] ?? null;
}

/** What is written of a notice that was refused, and waits so long; null: for ever. */
export function toRefused(pauseMs: number | null, nowMs: number) {
  return pauseMs === null ? ({ state: 'given_up' } as const) : { dueAtMs: nowMs + pauseMs };
}
