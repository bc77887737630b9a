import { describeOnEachDatabase, describeOnMysql, type TestDatabase } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { CrashSite } from '../crash/crash-site.js';
import { countOpenHolds } from '../crash/find-book-faults.js';

/** Starts calls that take minutes, and tells the server twice to stop. @returns how it ended, and what it said. */
async function stopTwice({ address }: TestDatabase, settings: Readonly<Record<string, string>>) {
  // Its calls are counted by their holds, so that each has one.
  const all = { CONCURRENT_CALLS: '1000', CREDIT_LEASES: 'off', ...settings };
  const site = await CrashSite.open(address, { customers: 1, settings: all });
  try {
    const [customer] = site.customers;
    if (customer === undefined) throw new Error('nobody calls');
    const { stack } = site;
    const call = { model: 'gpt-4o-mini', tokens: 1_000, delayMs: 200, leaveAfterBytes: null } as const;
    const calling = [true, true, true, false].map((isStreamed) => site.call(customer, { ...call, isStreamed }));
    await eventually(async () => (await countOpenHolds(address)) >= calling.length, 20);
    process.kill(stack.pid, 'SIGTERM');
    await eventually(() => stack.log.some(({ event }) => event === 'server_stopping'));
    process.kill(stack.pid, 'SIGTERM');
    const outcome = await stack.ended;
    await Promise.all(calling);
    return { outcome, log: stack.log };
  } finally {
    await site.kill().catch(() => {});
    await site.close();
  }
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
