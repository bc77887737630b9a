import { stripVTControlCharacters } from 'node:util';
import { testFileOf } from './test-files.mjs';

/**
 * A reporter of Jest that tells the process which started Jest of each step, as it happens: Jest's own result comes only at
 * the end, so whoever stops a run would know nothing. `TestProgress` listens.
 */
export default class JestProgress {
  /** @param {import('@jest/test-result').Test} test */
  onTestFileStart(test) {
    tell({ step: 'suiteStarted', file: testFileOf(test.path) });
  }

  /** @param {import('@jest/test-result').Test} test @param {{ fullName: string }} start */
  onTestCaseStart(test, { fullName }) {
    tell({ step: 'testStarted', file: testFileOf(test.path), name: fullName });
  }

  /** @param {import('@jest/test-result').Test} test @param {import('@jest/test-result').TestCaseResult} result */
  onTestCaseResult(test, { fullName, status }) {
    tell({ step: 'testEnded', file: testFileOf(test.path), name: fullName, status });
  }

  /** @param {import('@jest/test-result').Test} test @param {import('@jest/test-result').TestResult} result */
  onTestFileResult(test, result) {
    tell({
      step: 'suiteEnded',
      file: testFileOf(test.path),
      passed: result.numPassingTests,
      // A suite that could not even be loaded counts none of its tests.
      failed: result.testExecError ? Math.max(1, result.numFailingTests) : result.numFailingTests,
      skipped: result.numPendingTests + result.numTodoTests,
      durationMs: result.perfStats.end - result.perfStats.start,
      failures: describeFailures(result),
    });
  }

  onRunComplete() {
    tell({ step: 'runEnded' });
  }
}

/** @param {import('@jest/test-result').TestResult} result @returns {import('./test-progress.mjs').Failure[]} */
function describeFailures({ testExecError, testResults }) {
  const unloaded = testExecError ? [{ name: 'loading', reason: firstLine(testExecError.message) }] : [];
  const failed = testResults.filter(({ status }) => status === 'failed');
  return [
    ...unloaded,
    ...failed.map(({ fullName, failureMessages }) => ({ name: fullName, reason: firstLine(failureMessages[0] ?? '') })),
  ];
}

/** @param {string} message */
function firstLine(message) {
  return (stripVTControlCharacters(message).split('\n')[0] ?? '').slice(0, 200);
}

/** @param {import('./test-progress.mjs').ProgressMessage} message */
function tell(message) {
  // Whoever started Jest may be gone; its own end is not this process's fault.
  if (process.connected) process.send?.(message);
}
