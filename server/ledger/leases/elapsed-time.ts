import { systemClock } from '../../kernel/clock.js';

const beganMs = performance.now();
const beganAtMs = systemClock.nowMs();

/**
 * Milliseconds of the world since this process began, standstills of the process and sleep of the machine included. Where the two
 * clocks of the machine disagree, the one counts that has gone further: what it measures is how old something is at most.
 */
export function readElapsedMs(): number {
  return Math.max(performance.now() - beganMs, systemClock.nowMs() - beganAtMs);
}
