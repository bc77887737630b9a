import { join } from 'node:path';
import { packageProgram, projectRoot, startStep } from './run-step.mjs';

/** A suite does something at least this often, on an idle machine. The longest single test takes a part of it. */
export const stillLimitMs = 3 * 60_000;
const lookEveryMs = 5_000;
/** What Jest may take to end after its last suite, on an idle machine. */
const endLimitMs = 15_000;
/**
 * For the processes of the suites, too, which Jest starts as itself. V8 begins with one megabyte for young objects, which a suite fills all
 * the time; with more, fewer of them are moved: a twentieth of the processor time of suites of the server.
 */
const heapFlags = ['--min-semi-space-size=16', '--max-semi-space-size=64'];

/** @typedef {'between suites' | 'at its end'} Still */

/**
 * Runs Jest, however long it takes. A suite that makes no step for `limitMs` is ended by name, counts as failed, and the
 * others are run to their end without it.
 *
 * @param {object} run
 * @param {readonly string[]} run.jestArguments
 * @param {import('./test-progress.mjs').TestProgress} run.progress has the counts, at every moment
 * @param {readonly string[]} run.leftOut test files not to run
 * @param {NodeJS.ProcessEnv} run.env
 * @param {number} run.limitMs
 * @returns {Promise<string[]>} failures that belong to no suite, such as a Jest that did not start
 */
export async function runJest({ jestArguments, progress, leftOut, env, limitMs }) {
  for (;;) {
    const failedBefore = progress.counts.failed;
    progress.begin();
    const notAgain = [...leftOut, ...progress.endedFiles];
    const [node = '', jestScript = ''] = packageProgram('jest');
    const jest = startStep({
      title: 'Jest',
      command: [
        ...[node, ...heapFlags, jestScript],
        ...jestArguments,
        // Last, since Jest takes what follows for one reporter more.
        '--reporters=default',
        `--reporters=${join(projectRoot, 'scripts', 'jest-progress.mjs')}`,
      ],
      env: {
        ...env,
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`,
        TOLLGATE_SUITES_LEFT_OUT: notAgain.join('\n'),
      },
      onMessage: (message) => progress.take(message),
    });
    const outcome = await Promise.race([jest.exitCode, findStandstill(progress, limitMs, jest.exitCode)]);
    if (typeof outcome === 'number') {
      // A Jest that ended badly has failed, whatever it counted.
      const isExplained = outcome === 0 || progress.counts.failed > failedBefore;
      return isExplained ? [] : [`Jest ended with ${outcome}, and no suite had failed.`];
    }
    await jest.stop();
    if (outcome === 'at its end') {
      // Everything is counted. Something that a suite has started lives on, such as a server or a timer.
      progress.noteEndedAtItsEnd();
      console.error('Jest was ended: after its last suite, it did not end by itself.');
      return [];
    }
    const minutes = Math.round(limitMs / 6_000) / 10;
    if (outcome === 'between suites') {
      const failure = `Jest was ended: between two suites, it did nothing for ${minutes} minutes.`;
      console.error(failure);
      return [failure];
    }
    console.error(`${outcome.file} was ended: no progress for ${minutes} minutes, ${outcome.activity}.`);
    progress.giveUp(outcome);
    console.error('The other suites go on without it.');
  }
}

/**
 * Comes back when something stands still, and never once Jest has ended.
 * @param {import('./test-progress.mjs').TestProgress} progress
 * @param {number} limitMs
 * @param {Promise<number>} ended
 * @returns {Promise<import('./test-progress.mjs').RunningSuite | Still>}
 */
function findStandstill(progress, limitMs, ended) {
  return new Promise((resolve) => {
    const timer = setInterval(
      () => {
        const stuck = progress.findStuckSuite(limitMs);
        if (progress.isStuckAtEnd((endLimitMs / stillLimitMs) * limitMs)) finish('at its end');
        else if (stuck !== null) finish(stuck);
        else if (progress.isStuckBetweenSuites(limitMs)) finish('between suites');
      },
      Math.min(lookEveryMs, limitMs),
    );
    const stop = () => clearInterval(timer);
    const finish = (/** @type {import('./test-progress.mjs').RunningSuite | Still} */ what) => {
      stop();
      resolve(what);
    };
    ended.then(stop, stop);
  });
}
