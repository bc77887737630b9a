/** How far the clocks of instances may be apart, in milliseconds. */
export const clocksApartMs = 60_000;

/** As `isDue` in `is-due.ts`, of one moment that was read. */
export function hasCome(dueAtMs: number, nowMs: number, longestMs: number): boolean {
  return dueAtMs <= nowMs || dueAtMs > nowMs + longestMs + clocksApartMs;
}

/** As `isOlder` there, of one moment that was read. */
export function isAged(beganAtMs: number, nowMs: number, ageMs: number): boolean {
  return hasCome(beganAtMs, nowMs - ageMs, ageMs);
}

/**
 * Whether nobody has renewed a lease in time. One that ends further ahead than any process's lease was written by a clock that was ahead.
 * @param longestMs The longest lease of its kind, of any process: those of this one may be shorter than others.
 */
export function isLeaseOver(leaseUntilMs: number, nowMs: number, graceMs: number, longestMs: number): boolean {
  return hasCome(leaseUntilMs + graceMs + 1, nowMs, longestMs + graceMs + 1);
}
