import { constants } from 'node:os';
import { describeOnMysql, openSqliteDatabase, type TestDatabase } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { findBookFaults } from '../crash/find-book-faults.js';
import { duringCalls } from './during-calls.js';

// A fault of the process itself, or who wants its core.
const faults = ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGIOT', 'SIGBUS', 'SIGFPE', 'SIGSEGV', 'SIGSYS'];
const uncatchable = ['SIGKILL', 'SIGSTOP'];
// They pause a process at its terminal, until SIGCONT.
const pauses = ['SIGTSTP', 'SIGTTIN', 'SIGTTOU'];
// No order here, without a terminal: SIGHUP.
const orders = ['SIGTERM', 'SIGINT', 'SIGQUIT'];
const harmless = Object.keys(constants.signals).filter(
  (signal) => ![...faults, ...pauses, ...uncatchable, ...orders].includes(signal),
) as NodeJS.Signals[];

/** Sends each signal of this machine that is no order and no fault while streams run, then SIGQUIT. */
function sendAll({ address }: TestDatabase, settings: Readonly<Record<string, string>>) {
  const plan = { settings, isStreamed: [true, true, false], tokens: 40, delayMs: 100 };
  return duringCalls(address, plan, async (site, calling) => {
    const { stack } = site;
    const workers = stack.log.filter(({ event }) => event === 'worker_listening').map(({ pid }) => Number(pid));
    const pids = [stack.pid, ...workers];
    for (const signal of [...harmless, ...harmless]) for (const pid of pids) process.kill(pid, signal);
    const told = () => stack.log.filter(({ event }) => event === 'signal_ignored');
    await eventually(() => told().filter(({ signal }) => signal === 'SIGUSR2').length === pids.length, 20);
    process.kill(stack.pid, 'SIGQUIT');
    const outcome = await stack.ended;
    const outcomes = (await Promise.all(calling)).map((seen) => seen.outcome);
    return { outcome, outcomes, told: told(), pids, bookFaults: await findBookFaults(address, site), log: stack.log };
  });
}

const titles =
  'goes on at every signal that is neither an order to stop nor a fault, says so once of each kind, and lets running streams end at SIGQUIT';

describe('a server that gets signals', () => {
  it(titles, async () => {
    const database = await openSqliteDatabase();
    const { outcome, outcomes, told, bookFaults } = await sendAll(database, {});
    expect([outcome, outcomes]).toEqual([0, ['whole', 'whole', 'whole']]);
    const kinds = told.map(({ signal }) => signal);
    expect(kinds).toEqual(expect.arrayContaining(['SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGHUP']));
    expect(new Set(kinds).size).toBe(kinds.length);
    expect(bookFaults).toEqual([]);
    await database.drop();
  }, 120_000);
});

describeOnMysql('a server of two workers that get signals', (openTestDatabase) => {
  it(titles, async () => {
    const settings = { WORKERS: '2', REQUESTS_PER_MINUTE: '60' };
    const { outcome, outcomes, told, pids, bookFaults, log } = await sendAll(await openTestDatabase(), settings);
    expect([outcome, outcomes]).toEqual([0, ['whole', 'whole', 'whole']]);
    expect(pids).toHaveLength(3);
    for (const kind of ['SIGUSR1', 'SIGALRM', 'SIGHUP'])
      expect(told.filter(({ signal }) => signal === kind)).toHaveLength(3);
    expect(log.filter(({ event }) => event === 'worker_died')).toEqual([]);
    expect(bookFaults).toEqual([]);
  }, 120_000);
});
