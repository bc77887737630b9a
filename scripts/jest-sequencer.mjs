import sequencer from '@jest/test-sequencer';

// Its types describe a CommonJS module, and what is imported is the class itself.
const Sequencer = /** @type {typeof sequencer.default} */ (/** @type {unknown} */ (sequencer));

/** Journeys first: they are the longest suites and mostly wait, so the others fill the time that they leave. */
export default class JourneysFirst extends Sequencer {
  /** @override @param {import('@jest/test-result').Test[]} tests */
  async sort(tests) {
    const sorted = await super.sort(tests);
    return [...sorted.filter(isJourney), ...sorted.filter((test) => !isJourney(test))];
  }
}

/** @param {import('@jest/test-result').Test} test */
function isJourney({ context }) {
  return context.config.displayName?.name === 'e2e';
}
