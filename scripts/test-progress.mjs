/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {{ name: string, reason: string }} Failure a test that failed, and the first line of why
 * @typedef {{ step: 'suiteStarted', file: string }
 *   | { step: 'testStarted', file: string, name: string }
 *   | { step: 'testEnded', file: string, name: string, status: string }
 *   | ({ step: 'suiteEnded', file: string, durationMs: number, failures: readonly Failure[] } & Counts)
 *   | { step: 'runEnded' }} ProgressMessage
 * @typedef {Counts & { file: string, activity: string, lastStepAtMs: number, startedAtMs: number }} RunningSuite
 */

/** Where a test run is: counts that hold at every moment, and which suite has stood still for how long. */
export class TestProgress {
  /** @type {Map<string, RunningSuite>} */
  #running = new Map();
  /** @type {Map<string, Counts & { durationMs: number, failures: readonly Failure[] }>} */
  #ended = new Map();
  #lastStepAtMs;
  #hasRunEnded = false;
  /** @type {string | null} */
  #lastOfStuck = null;
  #nowMs;

  /** @param {() => number} [nowMs] a clock that never goes back */
  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#lastStepAtMs = nowMs();
  }

  /** @param {ProgressMessage} message from `JestProgress` */
  take(message) {
    const nowMs = this.#nowMs();
    this.#lastStepAtMs = nowMs;
    this.#hasRunEnded = message.step === 'runEnded';
    if (message.step === 'runEnded') return;
    const { file } = message;
    if (message.step === 'suiteEnded') {
      const { passed, failed, skipped, durationMs, failures } = message;
      this.#running.delete(file);
      this.#ended.set(file, { passed, failed, skipped, durationMs, failures });
      return;
    }
    const suite = this.#running.get(file) ?? {
      ...noTests,
      file,
      activity: 'loading, before its first test',
      lastStepAtMs: nowMs,
      startedAtMs: nowMs,
    };
    this.#running.set(file, suite);
    suite.lastStepAtMs = nowMs;
    if (message.step === 'testStarted') suite.activity = `in the test "${message.name}"`;
    if (message.step === 'testEnded') {
      suite.activity = `after the test "${message.name}"`;
      if (message.status === 'passed') suite.passed += 1;
      else if (message.status === 'failed') suite.failed += 1;
      else suite.skipped += 1;
    }
  }

  /** Tells that a new Jest begins, which runs what was under way from its start. */
  begin() {
    this.#lastStepAtMs = this.#nowMs();
    this.#hasRunEnded = false;
    this.#running.clear();
  }

  /** The suite that has made no step for longer than `limitMs`, the stillest first; null when all move. @param {number} limitMs */
  findStuckSuite(limitMs) {
    const suites = [...this.#running.values()].sort((a, b) => a.lastStepAtMs - b.lastStepAtMs);
    const stillest = suites[0];
    return stillest && this.#nowMs() - stillest.lastStepAtMs > limitMs ? stillest : null;
  }

  /** Whether Jest has counted its last suite and has not ended for `limitMs`. @param {number} limitMs */
  isStuckAtEnd(limitMs) {
    return this.#hasRunEnded && this.#nowMs() - this.#lastStepAtMs > limitMs;
  }

  /** Notes that Jest was ended at its end, since it did not end by itself. */
  noteEndedAtItsEnd() {
    this.#lastOfStuck = this.endedFiles.at(-1) ?? 'no suite';
  }

  /** The suite that had ended last when Jest was ended at its end; null: it ended by itself. */
  get lastOfStuck() {
    return this.#lastOfStuck;
  }

  /** Whether Jest itself stands still: no suite is under way, and none was started or ended for `limitMs`. @param {number} limitMs */
  isStuckBetweenSuites(limitMs) {
    return this.#running.size === 0 && this.#nowMs() - this.#lastStepAtMs > limitMs;
  }

  /** Counts a suite that was stopped: what it had passed, and one failure more. @param {RunningSuite} suite */
  giveUp({ file, passed, failed, skipped, startedAtMs, activity }) {
    this.#running.delete(file);
    const durationMs = this.#nowMs() - startedAtMs;
    const failures = [{ name: 'no progress', reason: activity }];
    this.#ended.set(file, { passed, failed: failed + 1, skipped, durationMs, failures });
  }

  /** Suites under way, the longest first. */
  get running() {
    return [...this.#running.values()];
  }

  get failedFiles() {
    return [...this.#ended].filter(([, { failed }]) => failed > 0).map(([file]) => file);
  }

  /** Each failure of the suites that have ended, with its file. @returns {(Failure & { file: string })[]} */
  get failures() {
    return [...this.#ended].flatMap(([file, { failures }]) => failures.map((failure) => ({ file, ...failure })));
  }

  /** Takes back what was counted for a suite, which another run decides. @param {string} file */
  forget(file) {
    this.#ended.delete(file);
  }

  get endedFiles() {
    return [...this.#ended.keys()];
  }

  /** Everything counted so far, suites under way included. @returns {Counts} */
  get counts() {
    return addCounts([...this.#ended.values(), ...this.#running.values()]);
  }

  /** @param {number} count @returns {{ file: string, durationMs: number }[]} the slowest first */
  slowest(count) {
    const suites = [...this.#ended].map(([file, { durationMs }]) => ({ file, durationMs }));
    return suites.sort((a, b) => b.durationMs - a.durationMs).slice(0, count);
  }
}

const noTests = Object.freeze({ passed: 0, failed: 0, skipped: 0 });

/** @param {readonly Counts[]} parts @returns {Counts} */
export function addCounts(parts) {
  return parts.reduce(
    (sum, part) => ({
      passed: sum.passed + part.passed,
      failed: sum.failed + part.failed,
      skipped: sum.skipped + part.skipped,
    }),
    noTests,
  );
}
