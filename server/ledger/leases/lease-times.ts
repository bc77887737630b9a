import type { LeaseTimes } from '../commits/decide-batch.js';

const creditLeaseMsMax = 10_000;
const creditGraceMsMax = 2_000;
/** How far the clocks of databases that follow each other may be apart, as in `isDue`; this is read in a thread that knows no TypeORM. */
const clocksApartMs = 60_000;

/**
 * The times of what is leased for many calls: short, so that a crash keeps nobody from his credits for long. The process renews
 * it all along, whatever calls run.
 */
export function timesOfCredits({ leaseMs, graceMs }: LeaseTimes): LeaseTimes {
  return { leaseMs: Math.min(leaseMs, creditLeaseMsMax), graceMs: Math.min(graceMs, creditGraceMsMax) };
}

/** Whether nobody has renewed it in time. One that lies further ahead than any lease is long was written by a clock that was ahead. */
export function isLeaseOver(leaseUntilMs: number, nowMs: number, { leaseMs, graceMs }: LeaseTimes): boolean {
  return leaseUntilMs + graceMs < nowMs || leaseUntilMs > nowMs + leaseMs + clocksApartMs;
}
