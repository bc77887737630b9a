import { cpus } from 'node:os';
import type { DatabaseAddress } from '../server/database/database-address.js';
import { type Contestant, directTo, startTollgate, type TollgateOptions } from './contestants.js';
import { createDatabase } from './database-server.js';
import { LoadMaker } from './load-maker.js';
import { proveBooks } from './prove-books.js';
import { type Phase, runInTurns, showPhase } from './run-in-turns.js';
import { startScript } from './start-program.js';
import { plain } from './works.js';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const callers = 64;

const phase: Phase = {
  title: `plain, ${callers} callers, one database`,
  ...{ work: plain, order: { callers, seconds }, warmUpCalls: 5_000 },
  kinds: ['upstream', 'tollgate'],
};

/** As many requests in a minute as the database counts; the load stays below. */
const minute = { REQUESTS_PER_MINUTE: '5000' };

const lines: readonly { readonly title: string; readonly options: TollgateOptions }[] = [
  { title: 'one process, minute in memory', options: {} },
  { title: 'one process, minute in the database', options: { settings: { ...minute, RATE_LIMIT_STORE: 'mysql' } } },
  { title: 'WORKERS=2, minute in the database', options: { settings: { ...minute, WORKERS: '2' } } },
  {
    title: 'two instances, minute in the database',
    options: { settings: { ...minute, RATE_LIMIT_STORE: 'mysql' }, instances: 2 },
  },
];

/**
 * Several processes on one MySQL or MariaDB against one: calls a second, and processor time a call of all processes together
 * and of the database. Each has a database of its own on the same server. Proves the books of each.
 */
export async function benchInstances(): Promise<object> {
  const serverUrl = process.env.BENCH_MYSQL_URL;
  if (serverUrl === undefined)
    throw new Error('Several processes need MySQL or MariaDB, and this machine has neither.');
  const upstream = await startScript('upstream-process.js');
  const load = LoadMaker.start();
  console.log(`Node.js ${process.version}, ${cpus().length} cores\n`);
  const contestants: Contestant[] = [directTo(upstream)];
  const databases: DatabaseAddress[] = [];
  for (const { title, options } of lines) {
    const database = await createDatabase(serverUrl);
    databases.push(database);
    contestants.push(await startTollgate(title, database, upstream, options));
  }
  const rows = await runInTurns({ contestants, upstreamPid: upstream.pid, load }, phase, rounds);
  console.log(showPhase(phase, rows));
  for (const contestant of contestants) await contestant.stop();
  load.stop();
  upstream.stop();
  for (const database of databases) await proveBooks(database);
  return { cores: cpus().length, rounds, secondsEach: seconds, rows };
}
