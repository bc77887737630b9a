import { holdLeaseSecondsMax } from '../../kernel/clock.js';
import type { LeaseTimes } from '../commits/decide-batch.js';

/** The longest lease of what is leased for many calls, and of a call's own hold, of any process. */
export const creditLeaseMsMax = 10_000;
export const holdLeaseMsMax = holdLeaseSecondsMax * 1_000;
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

/**
 * Whether nobody has renewed it in time. One that ends further ahead than any process's lease was written by a clock that was ahead.
 * @param longestMs The longest lease of its kind.
 */
export function isLeaseOver(leaseUntilMs: number, nowMs: number, graceMs: number, longestMs: number): boolean {
  return leaseUntilMs + graceMs < nowMs || leaseUntilMs > nowMs + longestMs + clocksApartMs;
}
