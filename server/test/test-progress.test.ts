import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findRepositoryRoot } from './architecture/source-tree.js';

interface RunningSuite {
  readonly file: string;
  readonly activity: string;
}

interface Progress {
  readonly counts: { readonly passed: number; readonly failed: number; readonly skipped: number };
  readonly endedFiles: readonly string[];
  readonly running: readonly RunningSuite[];
  readonly failedFiles: readonly string[];
  readonly failures: readonly { readonly file: string; readonly name: string; readonly reason: string }[];
  forget(file: string): void;
  take(message: Readonly<Record<string, unknown>>): void;
  begin(): void;
  giveUp(suite: RunningSuite): void;
  findStuckSuite(limitMs: number): RunningSuite | null;
  isStuckAtEnd(limitMs: number): boolean;
  noteEndedAtItsEnd(): void;
  readonly lastOfStuck: string | null;
  isStuckBetweenSuites(limitMs: number): boolean;
  slowest(count: number): readonly { readonly file: string }[];
}

const script = join(findRepositoryRoot(import.meta.dirname), 'scripts/test-progress.mjs');
const { TestProgress } = (await import(pathToFileURL(script).href)) as {
  TestProgress: new (nowMs: () => number) => Progress;
};

describe('the progress of a test run', () => {
  let nowMs: number;
  let progress: Progress;
  const start = (file: string) => progress.take({ step: 'suiteStarted', file });
  const pass = (file: string, name = 'a test') => {
    progress.take({ step: 'testStarted', file, name });
    progress.take({ step: 'testEnded', file, name, status: 'passed' });
  };
  const end = (file: string, counts = { passed: 1, failed: 0, skipped: 0 }, durationMs = 10) => {
    const failures = counts.failed > 0 ? [{ name: 'a test', reason: 'expect(1).toBe(2)' }] : [];
    progress.take({ step: 'suiteEnded', file, durationMs, failures, ...counts });
  };

  beforeEach(() => {
    nowMs = 0;
    progress = new TestProgress(() => nowMs);
  });

  it('counts what has passed before the end of its suite, and once only after it', () => {
    start('a');
    pass('a');
    progress.take({ step: 'testEnded', file: 'a', name: 'another', status: 'failed' });
    progress.take({ step: 'testEnded', file: 'a', name: 'a third', status: 'pending' });
    expect(progress.counts).toEqual({ passed: 1, failed: 1, skipped: 1 });
    end('a', { passed: 2, failed: 1, skipped: 1 });
    expect(progress.counts).toEqual({ passed: 2, failed: 1, skipped: 1 });
  });

  it('names the suites and the tests that failed, and takes back what it counted for one that another run decides', () => {
    start('sound');
    end('sound');
    start('broken');
    end('broken', { passed: 4, failed: 1, skipped: 0 });
    start('stuck');
    const [stuck] = [...progress.running];
    progress.giveUp(stuck as RunningSuite);
    expect(progress.failedFiles).toEqual(['broken', 'stuck']);
    expect(progress.failures).toEqual([
      { file: 'broken', name: 'a test', reason: 'expect(1).toBe(2)' },
      { file: 'stuck', name: 'no progress', reason: 'loading, before its first test' },
    ]);
    progress.forget('broken');
    progress.forget('stuck');
    expect(progress.counts).toEqual({ passed: 1, failed: 0, skipped: 0 });
    expect(progress.failures).toEqual([]);
  });

  it('takes a suite for stuck when it alone stands still, however long the run takes', () => {
    start('slow');
    start('stuck');
    pass('stuck', 'the last one');
    for (let round = 0; round < 100; round += 1) {
      nowMs += 900;
      pass('slow');
    }
    expect(progress.findStuckSuite(1_000)).toMatchObject({ file: 'stuck', activity: 'after the test "the last one"' });
    end('stuck');
    expect(progress.findStuckSuite(1_000)).toBe(null);
  });

  it('names the test that is under way', () => {
    start('a');
    expect(progress.findStuckSuite(-1)).toMatchObject({ activity: 'loading, before its first test' });
    progress.take({ step: 'testStarted', file: 'a', name: 'waits for ever' });
    expect(progress.findStuckSuite(-1)).toMatchObject({ activity: 'in the test "waits for ever"' });
  });

  it('counts a suite that was ended as one failure more, and keeps what it had passed', () => {
    start('stuck');
    pass('stuck');
    start('interrupted');
    pass('interrupted');
    nowMs = 5_000;
    progress.giveUp({ file: 'stuck', activity: '', ...progress.findStuckSuite(0) });
    progress.begin();
    expect(progress.counts).toEqual({ passed: 1, failed: 1, skipped: 0 });
    expect(progress.endedFiles).toEqual(['stuck']);
  });

  it('sees a Jest that does nothing between two suites', () => {
    nowMs = 2_000;
    expect(progress.isStuckBetweenSuites(1_000)).toBe(true);
    start('a');
    nowMs = 9_000;
    expect(progress.isStuckBetweenSuites(1_000)).toBe(false);
  });

  it('sees a Jest that does not end after its last suite, and takes no pause before that for it', () => {
    start('a');
    end('a');
    nowMs += 1_000;
    expect(progress.isStuckAtEnd(500)).toBe(false);
    progress.take({ step: 'runEnded' });
    expect(progress.isStuckAtEnd(500)).toBe(false);
    nowMs += 501;
    expect(progress.isStuckAtEnd(500)).toBe(true);
    progress.begin();
    nowMs += 501;
    expect(progress.isStuckAtEnd(500)).toBe(false);
  });

  it('knows, for the last lines of a run, behind which suite a Jest was ended that did not end by itself', () => {
    end('a');
    end('b');
    progress.take({ step: 'runEnded' });
    expect(progress.lastOfStuck).toBeNull();
    progress.noteEndedAtItsEnd();
    expect(progress.lastOfStuck).toBe('b');
  });

  it('knows the slowest suites', () => {
    for (const [file, durationMs] of [
      ['a', 5],
      ['b', 50],
      ['c', 20],
    ] as const)
      end(file, undefined, durationMs);
    expect(progress.slowest(2).map(({ file }) => file)).toEqual(['b', 'c']);
  });
});
