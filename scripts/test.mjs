import './check-node-version.mjs';
import { installClientPackages } from './client-packages.mjs';
import { findChromium } from './find-chromium.mjs';
import { measureWaitFactor } from './measure-slowdown.mjs';
import { installAndBuild } from './prepare.mjs';
import { runJest, stillLimitMs } from './run-jest.mjs';
import { projectRoot, stopStepsOnSignal } from './run-step.mjs';
import { runStaticChecks } from './static-checks.mjs';
import { addTestPrograms } from './test-programs.mjs';
import { addCounts, noTests, TestProgress } from './test-progress.mjs';
import { describeWhatIsOutside, listFilesOutside } from './test-scope.mjs';

/*
 * `npm test`: from whatever state the clone is in to everything that a change can break. `npm run test:all` runs all that
 * this machine can run; which is which stands in `test-scope.mjs`. Arguments are handed to Jest: `npm test -- ledger` runs
 * the files with that word in their path, whichever they are. With CI=true it runs all, installs what the machine lacks,
 * checks statically first, and counts a test that was left out as failed. However it ends, by Ctrl-C too, the last line is
 * `N passed, N failed`.
 */

/** @typedef {import('./test-progress.mjs').Counts} Counts */

const ownOptions = ['--static', '--all', '--load'];
const isCi = process.env.CI === 'true';
const jestArguments = process.argv.slice(2).filter((argument) => !ownOptions.includes(argument));
const namesFiles = jestArguments.some((argument) => !argument.startsWith('-'));
const isLoad = process.argv.includes('--load');
const scope = isCi || process.argv.includes('--all') ? 'all' : 'usual';
/** How many operations and bodies the suites make up; what is set already wins. */
const longFuzz = {
  LEDGER_OPERATIONS: process.env.LEDGER_OPERATIONS ?? '15000',
  FUZZ_BODIES: process.env.FUZZ_BODIES ?? '1500',
};
const wantsStaticChecks = isCi || process.argv.includes('--static');

process.chdir(projectRoot);
const progress = new TestProgress();
/** What failed or passed outside of Jest's suites. @type {Counts} */
let beside = noTests;
/** @type {readonly string[]} */
let missingPrograms = [];
stopStepsOnSignal(() => {
  for (const { file, activity } of progress.running) console.error(`Stopped: ${file}, ${activity}.`);
  printEnd();
});
try {
  missingPrograms = await addTestPrograms({ isCi });
  await installAndBuild('test');
  // Only the long run drives them, and whoever names its files.
  if (scope === 'all' || namesFiles) await installClientPackages();
  if (wantsStaticChecks) beside = addCounts([beside, await runStaticChecks()]);
  await runSuites();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  beside = addCounts([beside, { ...noTests, failed: 1 }]);
}
process.exit(printEnd() ? 0 : 1);

async function runSuites() {
  const waitFactor = await measureWaitFactor();
  const chance = String(Math.floor(Math.random() * 2 ** 31));
  const seeds = {
    TOLLGATE_LOOK_SEED: process.env.TOLLGATE_LOOK_SEED ?? chance,
    TOLLGATE_SAMPLE_SEED: process.env.TOLLGATE_SAMPLE_SEED ?? chance,
  };
  const chromiumPath = findChromium();
  console.log(`Waiting limits are stretched ${waitFactor} times on this machine, as it is now.`);
  if (scope === 'usual') {
    const words = Object.entries(seeds).map(([name, seed]) => `${name}=${seed}`);
    console.log(`The look of each page and the samples change from run to run; to repeat them: ${words.join(' ')}`);
  }
  const run = {
    progress,
    leftOut: listFilesOutside(isLoad ? 'load' : namesFiles ? 'all' : scope),
    limitMs: Number(process.env.TOLLGATE_STILL_LIMIT_MS ?? stillLimitMs) * waitFactor,
    env: {
      TOLLGATE_TEST_SCOPE: scope,
      TOLLGATE_WAIT_FACTOR: String(waitFactor),
      ...seeds,
      ...(chromiumPath === null ? {} : { CHROMIUM_PATH: chromiumPath }),
      ...(isLoad ? { TOLLGATE_LOAD: 'full' } : {}),
      ...(scope === 'all' ? longFuzz : {}),
    },
  };
  const selection = [
    ...(isCi ? ['--ci'] : []),
    ...(isLoad ? ['e2e/load'] : jestArguments),
    ...(namesFiles ? ['--passWithNoTests'] : []),
  ];
  const projects = [
    ['--selectProjects', 'server', 'web'],
    ['--selectProjects', 'e2e', '--runInBand'],
  ];
  // Journeys measure a whole stack and a browser, so they have the machine to themselves.
  for (const project of isLoad ? projects.slice(1) : projects)
    beside = addCounts([beside, await runJest({ ...run, jestArguments: [...selection, ...project] })]);
}

/** Says what was slow, what was left out and, on the last line, the counts. @returns {boolean} whether all is well */
function printEnd() {
  const { passed, failed, skipped } = addCounts([beside, progress.counts]);
  const slowest = progress.slowest(10);
  if (slowest.length > 0) console.log('\nThe slowest suites:');
  for (const { file, durationMs } of slowest) console.log(`${(durationMs / 1_000).toFixed(1).padStart(7)} s  ${file}`);
  const ofNamedFiles =
    scope === 'usual'
      ? [`what the named files do in the long run only; npm run test:all -- ${jestArguments.join(' ')}`]
      : [];
  const outside = [...missingPrograms, ...(isLoad ? [] : namesFiles ? ofNamedFiles : describeWhatIsOutside(scope))];
  if (outside.length > 0) console.log('\nNot run:');
  for (const line of outside) console.log(`  - ${line}`);
  const failedAll = failed + (isCi ? skipped : 0) + (passed + failed === 0 ? 1 : 0);
  if (isCi && skipped > 0) console.error(`${skipped} test(s) were left out, which CI counts as failed.`);
  console.log(`${passed} passed, ${failedAll} failed${!isCi && skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return failedAll === 0;
}
