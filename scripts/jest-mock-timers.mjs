import { mock } from 'node:test';
import nodeTimers from 'node:timers';

const clearing = /** @type {const} */ (['clearTimeout', 'clearInterval']);

/**
 * Lets real timers be cleared while `mock.timers` of `node:test` is enabled. Its own functions clear the mocked ones alone,
 * and suites that one process runs share more than that: `fetch` takes the timer of a connection that closes meanwhile for
 * cleared, and the timer fails whichever suite runs when it fires (https://github.com/nodejs/undici/issues/4755). So does the timer of
 * a pool of mysql2 that is closed meanwhile, which ends its connections a second time.
 */
export function spareRealTimers() {
  const { timers } = mock;
  const enable = timers.enable.bind(timers);
  timers.enable = (options) => {
    const before = clearing.map((name) => globalThis[name]);
    enable(options);
    for (const [index, name] of clearing.entries()) {
      const [clearReal, clearMocked] = [before[index], globalThis[name]];
      if (clearReal === clearMocked) continue;
      /** @param {any} timer */
      const clearBoth = (timer) => {
        clearReal?.(timer);
        clearMocked(timer);
      };
      for (const holder of [globalThis, nodeTimers]) {
        Object.defineProperty(holder, name, { configurable: true, writable: true, value: clearBoth });
      }
    }
  };
}
