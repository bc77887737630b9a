const waitFactor = Number(process.env.TOLLGATE_WAIT_FACTOR ?? 1);

/** Stretches the limit that a test or a hook names for itself, as Jest's own limit is. */
export class TimeLimits {
  /** What names its limit, with the limit that it named: a hook starts many times. @type {WeakMap<object, number>} */
  #namedMs = new WeakMap();

  /** @param {import('@jest/types').Circus.Event} event */
  take(event) {
    if (event.name === 'test_start') this.#stretch(event.test);
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
