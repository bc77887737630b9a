import { mock } from 'node:test';
import { RepeatedJob } from './repeated-job.js';

const intervalMs = 60_000;

describe('Work that a process does again and again', () => {
  const failures: string[] = [];
  let endRun = (_error?: Error) => {};
  let runCount = 0;
  const run = () => {
    runCount += 1;
    return new Promise<void>((resolve, reject) => {
      endRun = (error) => (error === undefined ? resolve() : reject(error));
    });
  };
  const open = () =>
    new RepeatedJob({ run, intervalMs, onFailure: (error) => failures.push((error as Error).message) });
  const pass = async (ms: number) => {
    mock.timers.tick(ms);
    await new Promise(setImmediate);
  };
  beforeEach(() => {
    failures.length = 0;
    runCount = 0;
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  afterEach(() => mock.timers.reset());

  it('begins about an interval from the start and from each end, also after a failure, and never twice at once', async () => {
    const job = open();
    job.startAfterInterval();
    await pass(0.74 * intervalMs);
    expect(runCount).toBe(0);
    await pass(0.52 * intervalMs);
    expect(runCount).toBe(1);
    await pass(10 * intervalMs);
    expect(runCount).toBe(1);
    endRun(new Error('The database is away.'));
    await pass(0);
    expect(failures).toEqual(['The database is away.']);
    await pass(1.26 * intervalMs);
    expect(runCount).toBe(2);
    endRun();
    await pass(0);
    await job.close();
    await pass(10 * intervalMs);
    expect(runCount).toBe(2);
  });

  it('has five seconds to end at the close, and whatever becomes of it then is no failure', async () => {
    const job = open();
    job.start(0);
    await pass(0);
    let isClosed = false;
    const closed = job.close().then(() => {
      isClosed = true;
    });
    await pass(4_999);
    expect(isClosed).toBe(false);
    await pass(1);
    await closed;
    endRun(new Error('The database was closed.'));
    await pass(10 * intervalMs);
    expect([runCount, failures]).toEqual([1, []]);
  });
});
