import { TestEnvironment } from 'jest-environment-node';
import { TimeLimits } from './jest-time-limits.mjs';

/** Jest's Node.js for the web's suites, where named limits are stretched. */
export default class StretchingEnvironment extends TestEnvironment {
  #limits = new TimeLimits();

  /** @param {import('@jest/types').Circus.Event} event */
  handleTestEvent(event) {
    this.#limits.take(event);
  }
}
