import sequencer from '@jest/test-sequencer';
import { jestPathOf } from './test-files.mjs';
import { waitingLong } from './test-scope.mjs';

// Its types describe a CommonJS module, and what is imported is the class itself.
const Sequencer = /** @type {typeof sequencer.default} */ (/** @type {unknown} */ (sequencer));

const waitingPaths = new Set(waitingLong.map(jestPathOf));

/**
 * Who takes longest comes first: journeys, which keep processors busy, and evenly among them the suites of `waitingLong`, which leave
 * them to others. One kind behind the other would leave processors with nothing to do while all that run wait.
 */
export default class LongestFirst extends Sequencer {
  /** @override @param {import('@jest/test-result').Test[]} tests */
  async sort(tests) {
    const sorted = await super.sort(tests);
    const journeys = sorted.filter(isJourney);
    const waiting = sorted.filter(isWaitingLong);
    const others = sorted.filter((test) => !isJourney(test) && !isWaitingLong(test));
    return [...mixEvenly(journeys, waiting), ...others];
  }
}

/** Both, each in its order, with as many of one between two of the other everywhere. @template Item @param {readonly Item[]} some @param {readonly Item[]} more */
export function mixEvenly(some, more) {
  const places = [some, more].flatMap((items) => items.map((item, at) => ({ item, place: (at + 0.5) / items.length })));
  return places.sort((one, other) => one.place - other.place).map(({ item }) => item);
}

/** @param {import('@jest/test-result').Test} test */
function isJourney({ context }) {
  return context.config.displayName?.name === 'e2e';
}

/** @param {import('@jest/test-result').Test} test */
function isWaitingLong({ path }) {
  return waitingPaths.has(path);
}
