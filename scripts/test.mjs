import './check-node-version.mjs';
import { installClientPackages } from './client-packages.mjs';
import { planDatabasePasses } from './database-passes.mjs';
import { describeLongSuitesOutside, describeWhatIsOutside } from './describe-test-scope.mjs';
import { findChromium } from './find-chromium.mjs';
import { besideWorkerCount, measureWaitFactor } from './measure-slowdown.mjs';
import { listSuitesNearChanges } from './nearby-suites.mjs';
import { installAndBuild } from './prepare.mjs';
import { runJest, stillLimitMs } from './run-jest.mjs';
import { projectRoot, stopStepsOnSignal } from './run-step.mjs';
import { runStaticChecks } from './static-checks.mjs';
import { jestPathOf, listTestFiles } from './test-files.mjs';
import { addTestPrograms } from './test-programs.mjs';
import { addCounts, TestProgress } from './test-progress.mjs';
import { hasSecondRun, rowOf, splitFiles } from './test-scope.mjs';
import { listFilesOfOtherRuns, listLongSuitesOfOtherRuns } from './test-turns.mjs';

/*
 * `npm test`: from whatever state the clone is in to what a change can break first, in minutes. `npm run test:all` runs all that
 * this machine can run; which is which stands in `test-scope.mjs` and `long-suites.mjs`. Arguments are handed to Jest: `npm test -- ledger` runs
 * the files with that word in their path, whichever they are. With CI=true it runs all, installs what the machine lacks,
 * checks statically first, and counts a test that was left out as failed. However it ends, by Ctrl-C too, the last line is
 * `N passed, N failed`, and the lines above it name each test that failed: who sees the end alone knows where to look.
 */

/**
 * @typedef {import('./database-passes.mjs').DatabasePass} DatabasePass
 */

const ownOptions = ['--static', '--all', '--load'];
const isCi = process.env.CI === 'true';
const jestArguments = process.argv.slice(2).filter((argument) => !ownOptions.includes(argument));
const namesFiles = jestArguments.some((argument) => !argument.startsWith('-'));
const isLoad = process.argv.includes('--load');
const hasOwnWorkers = jestArguments.some((argument) => /^(--runInBand|-i$|--maxWorkers|-w)/.test(argument));
const scope = isCi || process.argv.includes('--all') ? 'all' : 'usual';
/** How many operations and bodies the suites make up, in CI half as many; what is set already wins. */
const longFuzz = {
  LEDGER_OPERATIONS: process.env.LEDGER_OPERATIONS ?? (isCi ? '4000' : '8000'),
  FUZZ_BODIES: process.env.FUZZ_BODIES ?? (isCi ? '300' : '600'),
};
/** When more suites have failed than this, it is not chance. */
const secondRunsMax = 5;
/** Whose turn it is on MariaDB: CI has an end to its time, and what is named runs wherever it can. */
const turn = isCi && !namesFiles ? Number(process.env.TOLLGATE_TURN ?? Math.floor(Math.random() * 2 ** 31)) : null;
const wantsStaticChecks = isCi || process.argv.includes('--static');

process.chdir(projectRoot);
/** The passes over the suites, in which the same suite may come twice. @type {DatabasePass[]} */
let passes = [];
/** Of each Jest that was started: some run side by side. @type {TestProgress[]} */
const progresses = [];
/** Suites that failed, and passed when they were run again. @type {string[]} */
const unstable = [];
/** What passed and failed outside of Jest's suites. */
let passedBeside = 0;
/** @type {string[]} */
const failuresBeside = [];
/** @type {readonly string[]} */
let outside = [];
stopStepsOnSignal(() => {
  for (const { file, activity } of progresses.flatMap(({ running }) => running))
    console.error(`Stopped: ${file}, ${activity}.`);
  printEnd();
});
try {
  const missingPrograms = await addTestPrograms({ isCi });
  const plan = planDatabasePasses({ isLong: scope === 'all' && !isLoad, namesFiles, turn });
  passes = plan.passes;
  outside = [...missingPrograms, ...plan.outside, ...describeSuitesOutside()];
  await installAndBuild('test');
  // Mostly waits for the network, so the checks have the processors meanwhile.
  const clientsInstalled = installClientPackages(listFilesOfRun());
  // Awaited below; a failure must not end the program before that.
  clientsInstalled.catch(() => {});
  failuresBeside.push(...listWordsOfNoFile());
  if (wantsStaticChecks) {
    const { passed, failures } = await runStaticChecks();
    passedBeside += passed;
    failuresBeside.push(...failures);
  }
  await clientsInstalled;
  await runSuites();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  failuresBeside.push(error instanceof Error ? error.message : String(error));
}
process.exit(printEnd() ? 0 : 1);

/** Jest holds a word against a whole path. @param {string} word @param {string} file */
function isInPath(word, file) {
  return new RegExp(word, 'i').test(jestPathOf(file));
}

/** What Jest will run. */
function listFilesOfRun() {
  const split = splitFiles(isLoad ? 'load' : namesFiles ? 'all' : scope);
  const words = jestArguments.filter((argument) => !argument.startsWith('-'));
  const files = isLoad ? split.alone : Object.values(split).flat();
  return namesFiles ? files.filter((file) => words.some((word) => isInPath(word, file))) : files;
}

/** Who misspells a suite must not think that it passed. */
function listWordsOfNoFile() {
  const files = listTestFiles();
  return (
    jestArguments
      // A word behind an option is the option's.
      .filter((word, place) => !word.startsWith('-') && !jestArguments[place - 1]?.startsWith('-'))
      .filter((word) => !files.some((file) => isInPath(word, file)))
      .map((word) => `No test file has "${word}" in its path.`)
  );
}

async function runSuites() {
  const waitFactor = await measureWaitFactor();
  const chance = String(Math.floor(Math.random() * 2 ** 31));
  const seeds = {
    TOLLGATE_LOOK_SEED: process.env.TOLLGATE_LOOK_SEED ?? chance,
    TOLLGATE_SAMPLE_SEED: process.env.TOLLGATE_SAMPLE_SEED ?? chance,
  };
  const chromiumPath = findChromium();
  console.log(`Waiting limits are stretched ${waitFactor} times on this machine, as it is now.`);
  const longOfOtherRuns = await tellChoice(seeds);
  const run = describeRun(waitFactor, { ...seeds, ...(chromiumPath === null ? {} : { CHROMIUM_PATH: chromiumPath }) });
  const selection = [
    ...(isCi ? ['--ci'] : []),
    ...(isLoad ? ['e2e/load'] : jestArguments),
    ...(namesFiles ? ['--passWithNoTests'] : []),
  ];
  const split = splitFiles(isLoad ? 'load' : namesFiles ? 'all' : scope);
  // Of files that are named, few are run at all.
  const ofOtherRuns = [...listFilesOfOtherRuns(turn), ...longOfOtherRuns];
  const isDrawn = (/** @type {string} */ file) => !ofOtherRuns.includes(file);
  const sideBySide = namesFiles ? [...split.together, ...split.late] : split.together.filter(isDrawn);
  const together = { files: isLoad ? [] : sideBySide, projects: ['server', 'web', 'e2e'], options: [] };
  const late = {
    files: isLoad || namesFiles ? [] : split.late.filter(isDrawn),
    projects: ['server', 'e2e'],
    options: [],
  };
  const alone = { files: split.alone, projects: ['e2e'], options: ['--runInBand'] };
  /** @type {(pass: DatabasePass, turn: { files: readonly string[], projects: readonly string[], options: readonly string[] }) => Promise<TestProgress | null>} */
  const runTurn = async ({ projects: ofPass, notRun, env }, turn) => {
    const selected = turn.projects.filter((project) => ofPass.includes(project));
    if (selected.length === 0 || turn.files.length === 0) return null;
    const leftOut = listTestFiles().filter((file) => !turn.files.includes(file) || notRun.includes(file));
    const jestArguments = [...selection, '--selectProjects', ...selected, ...turn.options];
    const progress = new TestProgress();
    progresses.push(progress);
    failuresBeside.push(...(await runJest({ ...run, progress, leftOut, env: { ...run.env, ...env }, jestArguments })));
    return progress;
  };
  const [first, ...others] = passes;
  if (first === undefined) return;
  /** @type {{ pass: DatabasePass, progress: TestProgress | null }[]} */
  const ran = [];
  // Suites that run one by one mostly wait for what they have started; others fill their time, from the first moment on. Another
  // server has its own pass beside the first one, when they are done: two processors are never left with a pass's last suites.
  await Promise.all([runOneByOneThenServers(first), runBeside(first)]);
  const failed = ran.map((turn) => ({ ...turn, files: turn.progress?.failedFiles.filter(hasSecondRun) ?? [] }));
  if (failed.flatMap(({ files }) => files).length > secondRunsMax) return;
  for (const { pass, progress, files } of failed) if (files.length > 0) await runAgain(pass, files, progress);

  async function runOneByOneThenServers(/** @type {DatabasePass} */ first) {
    await runTurn(first, alone);
    for (const pass of others) {
      console.log(`Databases: ${pass.what}.`);
      ran.push({
        pass,
        progress: await runTurn(pass, {
          ...together,
          options: hasOwnWorkers ? [] : [`--maxWorkers=${besideWorkerCount}`],
        }),
      });
    }
  }

  async function runBeside(/** @type {DatabasePass} */ first) {
    console.log(`Databases: ${first.what}.`);
    ran.push({ pass: first, progress: await runTurn(first, together) });
    ran.push({ pass: first, progress: await runTurn(first, late) });
  }

  /** @type {(pass: DatabasePass, files: readonly string[], progress: TestProgress | null) => Promise<void>} */
  async function runAgain(pass, files, progress) {
    console.log(`Run again, alone: ${files.join(', ')}`);
    for (const file of files) progress?.forget(file);
    const again = await runTurn(pass, { files, projects: together.projects, options: ['--runInBand'] });
    const hasPassed = (/** @type {string} */ file) =>
      again?.endedFiles.includes(file) && !again.failedFiles.includes(file);
    unstable.push(...files.filter(hasPassed));
  }
}

/** Says what a usual run has drawn. @param {Record<string, string>} seeds @returns {Promise<string[]>} long suites that it leaves to other runs */
async function tellChoice(seeds) {
  if (scope !== 'usual') return [];
  const words = Object.entries(seeds).map(([name, seed]) => `${name}=${seed}`);
  const drawn = 'The long suites, the look of each page and the samples change from run to run';
  console.log(`${drawn}; to repeat them: ${words.join(' ')}`);
  if (namesFiles) return [];
  const near = (await listSuitesNearChanges()).filter((file) => rowOf(file).scope === 'usual');
  if (near.length > 0) console.log(`Near what has changed: ${near.length} suite(s), all of which are run.`);
  const left = listLongSuitesOfOtherRuns(Number(seeds.TOLLGATE_SAMPLE_SEED), near);
  outside = [describeLongSuitesOutside(left), ...outside];
  return left;
}

/** @param {number} waitFactor @param {NodeJS.ProcessEnv} found what the run has drawn and found */
function describeRun(waitFactor, found) {
  return {
    limitMs: Number(process.env.TOLLGATE_STILL_LIMIT_MS ?? stillLimitMs) * waitFactor,
    env: {
      TOLLGATE_TEST_SCOPE: scope,
      TOLLGATE_WAIT_FACTOR: String(waitFactor),
      ...found,
      ...(isLoad ? { TOLLGATE_LOAD: 'full' } : {}),
      ...(scope === 'all' ? longFuzz : {}),
      ...(turn === null ? {} : { TOLLGATE_TURN: String(turn) }),
    },
  };
}

function describeSuitesOutside() {
  if (isLoad) return [];
  if (!namesFiles) return describeWhatIsOutside(scope, turn);
  const words = `what the named files do in the long run only; npm run test:all -- ${jestArguments.join(' ')}`;
  return scope === 'usual' ? [words] : [];
}

/** Says what was slow, what ran where, what was left out and, on the last line, the counts. @returns {boolean} whether all is well */
function printEnd() {
  const beside = { passed: passedBeside, failed: failuresBeside.length, skipped: 0 };
  const { passed, failed, skipped } = addCounts([beside, ...progresses.map(({ counts }) => counts)]);
  const failures = progresses.flatMap((progress) => progress.failures);
  const slowest = progresses.flatMap((progress) => progress.slowest(10)).sort((a, b) => b.durationMs - a.durationMs);
  printList('The slowest suites:', slowest.slice(0, 10).map(describeDuration));
  printList(
    'Ran on:',
    passes.map(({ what }) => `  - ${what}`),
  );
  printList(
    'Unstable, failed once and passed when run again alone (the failure stands above):',
    unstable.map((file) => `  - ${file}`),
  );
  printList(
    'Jest was ended after its last suite, since something that a suite has started lives on. Ended last:',
    progresses.flatMap(({ lastOfStuck }) => (lastOfStuck === null ? [] : [`  - ${lastOfStuck}`])),
  );
  printList(
    'Not run:',
    outside.map((line) => `  - ${line}`),
  );
  printList('Failed:', [
    ...failures.map(({ file, name, reason }) => `  - ${file}: ${name}: ${reason}`),
    ...failuresBeside.map((failure) => `  - ${failure}`),
  ]);
  const failedAll = failed + (isCi ? skipped : 0) + (passed + failed === 0 ? 1 : 0);
  if (isCi && skipped > 0) console.error(`${skipped} test(s) were left out, which CI counts as failed.`);
  console.log(`${passed} passed, ${failedAll} failed${!isCi && skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return failedAll === 0;
}

/** @param {{ file: string, durationMs: number }} suite */
function describeDuration({ file, durationMs }) {
  return `${(durationMs / 1_000).toFixed(1).padStart(7)} s  ${file}`;
}

/** @param {string} title @param {readonly string[]} lines */
function printList(title, lines) {
  if (lines.length > 0) console.log(`\n${title}\n${lines.join('\n')}`);
}
