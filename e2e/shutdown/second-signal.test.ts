import { describeOnEachDatabase, describeOnMysql, type TestDatabase } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { duringCalls } from './during-calls.js';

/** Starts calls that take minutes, and tells the server twice to stop. @returns how it ended, and what it said. */
function stopTwice({ address }: TestDatabase, settings: Readonly<Record<string, string>>) {
  const plan = { settings, isStreamed: [true, true, true, false], tokens: 1_000, delayMs: 200 };
  return duringCalls(address, plan, async ({ stack }, calling) => {
    process.kill(stack.pid, 'SIGTERM');
    await eventually(() => stack.log.some(({ event }) => event === 'server_stopping'));
    process.kill(stack.pid, 'SIGTERM');
    const outcome = await stack.ended;
    await Promise.all(calling);
    return { outcome, log: stack.log };
  });
}

describeOnEachDatabase('a server that is told twice to stop', (openTestDatabase) => {
  it('says what it cuts, and ends at once, and not well', async () => {
    const { outcome, log } = await stopTwice(await openTestDatabase(), {});
    expect(outcome).toBe(1);
    const [cut] = log.filter(({ event }) => event === 'server_cut_short');
    expect(cut).toMatchObject({ signal: 'SIGTERM', calls: 4, streams: 3, purchases: 0 });
  }, 120_000);
});

describeOnMysql('a server of two workers that is told twice to stop', (openTestDatabase) => {
  it('has each worker say what it cuts, and ends at once, and not well', async () => {
    const { outcome, log } = await stopTwice(await openTestDatabase(), { WORKERS: '2', REQUESTS_PER_MINUTE: '60' });
    expect(outcome).toBe(1);
    const cut = log.filter(({ event }) => event === 'worker_cut_short');
    const sum = (field: string) => cut.reduce((total, line) => total + Number(line[field]), 0);
    expect({ workers: cut.length, calls: sum('calls'), streams: sum('streams') }).toEqual({
      workers: 2,
      calls: 4,
      streams: 3,
    });
    expect(log.find(({ event }) => event === 'server_cut_short')).toMatchObject({ signal: 'SIGTERM', workers: 2 });
  }, 120_000);
});
