import './check-node-version.mjs';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installClientPackages } from './client-packages.mjs';
import { installAndBuild } from './prepare.mjs';
import { packageProgram, projectRoot, runStep, StepFailedError, stopAllSteps, stopStepsOnSignal } from './run-step.mjs';
import { addTestPrograms } from './test-programs.mjs';

/*
 * `npm test`: from whatever state the clone is in to every suite that the machine can run. Arguments are handed to Jest:
 * `npm test -- ledger`. With CI=true it installs what the machine lacks, checks statically first, and counts a test that
 * was left out as failed. The last line is always `N passed, N failed`.
 */
const timeLimitMs = 25 * 60_000;
const isCi = process.env.CI === 'true';
const jestArguments = process.argv.slice(2).filter((argument) => argument !== '--static');
const wantsStaticChecks = isCi || process.argv.includes('--static');

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

process.chdir(projectRoot);
stopStepsOnSignal();
const timer = setTimeout(giveUp, timeLimitMs);
const counts = await runAll();
clearTimeout(timer);
close(counts);

/** @returns {Promise<Counts>} */
async function runAll() {
  try {
    await addTestPrograms({ isCi });
    await installAndBuild();
    await installClientPackages();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const parts = [
    ...(wantsStaticChecks ? [await runStaticChecks()] : []),
    await runJest(['--selectProjects', 'server', 'web']),
    // Journeys measure a whole stack and a browser, so they have the machine to themselves.
    await runJest(['--selectProjects', 'e2e', '--runInBand']),
  ];
  return parts.reduce((sum, part) => ({
    passed: sum.passed + part.passed,
    failed: sum.failed + part.failed,
    skipped: sum.skipped + part.skipped,
  }));
}

/** Format, lint and types; each counts as one test. */
async function runStaticChecks() {
  const tsc = packageProgram('typescript', 'tsc');
  const checks = [
    { title: 'Format and lint', command: [...packageProgram('@biomejs/biome', 'biome'), 'ci', '--colors=off'] },
    { title: 'Types of the dashboard', command: [...tsc, '--noEmit', '--project', 'web/tsconfig.json'] },
    { title: 'Types of the scripts', command: [...tsc, '--noEmit', '--project', 'scripts/tsconfig.json'] },
  ];
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const check of checks) {
    try {
      await runStep({ ...check, isQuiet: true });
      sum.passed += 1;
      console.log(`${check.title}: passed.`);
    } catch (error) {
      if (!(error instanceof StepFailedError)) throw error;
      sum.failed += 1;
      console.error(error.message);
    }
  }
  return sum;
}

/** @param {readonly string[]} projectArguments @returns {Promise<Counts>} */
async function runJest(projectArguments) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-jest-'));
  const resultFile = join(folder, 'result.json');
  const selection = [...jestArguments, ...(jestArguments.length > 0 ? ['--passWithNoTests'] : []), ...projectArguments];
  const command = [
    ...packageProgram('jest'),
    '--json',
    '--outputFile',
    resultFile,
    ...(isCi ? ['--ci'] : []),
    ...selection,
  ];
  const nodeOptions = `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`;
  try {
    await runStep({ title: 'Jest', command, env: { NODE_OPTIONS: nodeOptions } });
    return readCounts(resultFile, 0);
  } catch (error) {
    if (!(error instanceof StepFailedError)) throw error;
    return readCounts(resultFile, 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} resultFile
 * @param {number} failedMin a Jest that ended badly has failed, whatever it counted
 * @returns {Counts}
 */
function readCounts(resultFile, failedMin) {
  try {
    const result = JSON.parse(readFileSync(resultFile, 'utf8'));
    // A suite that could not even be loaded counts none of its tests.
    const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
    const skipped = result.numPendingTests + result.numTodoTests;
    return { passed: result.numPassedTests, failed: Math.max(failed, failedMin), skipped };
  } catch {
    console.error('Jest left no result.');
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

async function giveUp() {
  console.error(`The tests took longer than ${timeLimitMs / 60_000} minutes and were stopped.`);
  await stopAllSteps();
  close({ passed: 0, failed: 1, skipped: 0 });
}

/** @param {Counts} counts @returns {never} */
function close({ passed, failed, skipped }) {
  const failedAll = failed + (isCi ? skipped : 0) + (passed + failed === 0 ? 1 : 0);
  if (isCi && skipped > 0) console.error(`${skipped} test(s) were left out, which CI counts as failed.`);
  const skippedPart = !isCi && skipped > 0 ? `, ${skipped} skipped` : '';
  console.log(`${passed} passed, ${failedAll} failed${skippedPart}`);
  process.exit(failedAll === 0 ? 0 : 1);
}
