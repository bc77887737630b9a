import sequencer from '@jest/test-sequencer';
import { jestPathOf } from './test-files.mjs';
import { waitingLong } from './test-scope.mjs';

// Its types describe a CommonJS module, and what is imported is the class itself.
const Sequencer = /** @type {typeof sequencer.default} */ (/** @type {unknown} */ (sequencer));

const waitingPaths = new Set(waitingLong.map(jestPathOf));

/** Who waits most comes first, so that others fill the time that they leave: journeys, then the suites of `waitingLong`. */
export default class WaitingFirst extends Sequencer {
  /** @override @param {import('@jest/test-result').Test[]} tests */
  async sort(tests) {
    const sorted = await super.sort(tests);
    const ranks = [isJourney, isWaitingLong, () => true];
    const rankOf = (/** @type {import('@jest/test-result').Test} */ test) => ranks.findIndex((is) => is(test));
    return ranks.flatMap((_, rank) => sorted.filter((test) => rankOf(test) === rank));
  }
}

/** @param {import('@jest/test-result').Test} test */
function isJourney({ context }) {
  return context.config.displayName?.name === 'e2e';
}

/** @param {import('@jest/test-result').Test} test */
function isWaitingLong({ path }) {
  return waitingPaths.has(path);
}
