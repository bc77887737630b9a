import { TestEnvironment } from 'jest-environment-node';

const waitFactor = Number(process.env.TOLLGATE_WAIT_FACTOR ?? 1);

/**
 * Node.js, where a limit that a test or a hook names for itself is stretched as Jest's own limit is, and `hasTestFailed` tells
 * hooks after a test whether it has failed.
 */
export default class StretchingEnvironment extends TestEnvironment {
  /** What names its limit, with the limit that it named: a hook starts many times. @type {WeakMap<object, number>} */
  #namedMs = new WeakMap();

  /** @param {import('@jest/types').Circus.Event} event */
  handleTestEvent(event) {
    if (event.name === 'test_start') {
      this.#stretch(event.test);
      this.global.hasTestFailed = false;
    }
    if (event.name === 'test_fn_failure') this.global.hasTestFailed = true;
    if (event.name === 'hook_start') this.#stretch(event.hook);
  }

  /** @param {{ timeout?: number | null | undefined }} limited */
  #stretch(limited) {
    if (!limited.timeout) return;
    const namedMs = this.#namedMs.get(limited) ?? limited.timeout;
    this.#namedMs.set(limited, namedMs);
    limited.timeout = namedMs * waitFactor;
  }
}
