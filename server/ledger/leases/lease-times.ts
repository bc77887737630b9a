import type { LeaseTimes } from '../commits/decide-batch.js';

/** The longest lease of what is leased for many calls, of any process. */
export const creditLeaseMsMax = 10_000;
const creditGraceMsMax = 2_000;

/**
 * The times of what is leased for many calls: short, so that a crash keeps nobody from his credits for long. The process renews
 * it all along, whatever calls run.
 */
export function timesOfCredits({ leaseMs, graceMs }: LeaseTimes): LeaseTimes {
  return { leaseMs: Math.min(leaseMs, creditLeaseMsMax), graceMs: Math.min(graceMs, creditGraceMsMax) };
}
