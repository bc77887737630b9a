import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Contestant,
  createDatabase,
  LoadMaker,
  readCpuMicros,
  startBare,
  startHelper,
  startTollgate,
} from './contestants.js';
import { measureSyncMs } from './describe-disk.js';
import { type Spread, showSpread, showTable, spreadOf } from './figures.js';
import type { Load } from './load-types.js';
import { proveBooks } from './prove-books.js';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const secondsEach = Number(process.env.BENCH_SECONDS ?? 4);
const closedCallers = 64;
const steadyRates = [500, 1_000];

/** One kind of call. `bareBody` is what the bare gateway is sent where the dialects differ. */
interface Work {
  readonly title: string;
  readonly body: string;
  readonly bare: { readonly path: string; readonly body: string; readonly endsWith: string };
  readonly endsWith: string;
}

const question = [{ role: 'user', content: 'Tell me in fifty words why the sky is blue.' }];

function workOf(title: string, model: string, isStreamed: boolean): Work {
  const body = JSON.stringify({ model, messages: question, max_tokens: 200, ...(isStreamed ? { stream: true } : {}) });
  const endsWith = isStreamed ? '[DONE]' : '}';
  return { title, body, endsWith, bare: { path: '/v1/chat/completions', body, endsWith } };
}

const works: readonly Work[] = [
  workOf('plain', 'gpt-4o-mini', false),
  workOf('stream of 50 chunks', 'gpt-4o-mini', true),
  {
    ...workOf('translated stream (Anthropic)', 'claude-haiku-4-5', true),
    bare: {
      path: '/v1/messages',
      body: JSON.stringify({ model: 'claude', messages: question, max_tokens: 200, stream: true }),
      endsWith: '}',
    },
  },
];

interface Sample {
  readonly callsPerSecond: number;
  readonly cpuMicros: number;
  readonly databaseCpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly firstByteMs: number;
  readonly loadCpuMicros: number;
}

type Row = Readonly<Record<keyof Sample, Spread>> & { readonly title: string };

/**
 * What one call costs at this gateway and at a bare pass-through, in one run and in turns, on loopback: processor time,
 * calls a second, waiting added. Both databases commit durably. Ends by proving the books and that nothing is held.
 */
export async function benchGateway(): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  const upstream = await startHelper('upstream-process.js');
  const load = LoadMaker.start();
  const contestants: Contestant[] = [];
  try {
    console.log(
      `Node.js ${process.version}, ${cpus().length} cores, 4 KiB synced in ${measureSyncMs(folder).toFixed(2)} ms\n`,
    );
    contestants.push(directTo(upstream), await startBare(upstream));
    contestants.push(await startTollgate('Tollgate, SQLite', { kind: 'sqlite', file: join(folder, 't.db') }, upstream));
    const mysqlUrl = process.env.BENCH_MYSQL_URL;
    if (mysqlUrl === undefined) console.log('This machine has no MariaDB; that part is left out.');
    else contestants.push(await startTollgate('Tollgate, MariaDB', await createDatabase(mysqlUrl), upstream));
    const closed = await runClosed(contestants, load);
    const steady = await runSteady(contestants, load);
    for (const contestant of contestants) await contestant.stop();
    for (const { database } of contestants) if (database) await proveBooks(database);
    return { cores: cpus().length, rounds, secondsEach, closed, steady };
  } finally {
    load.stop();
    upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

// The ceiling of load and provider together, with no gateway between them.
function directTo(upstream: { pid: number; baseUrl: string }): Contestant {
  return {
    ...{ title: 'no gateway (ceiling)', baseUrl: upstream.baseUrl, path: '/v1/chat/completions', secrets: ['none'] },
    ...{ pid: upstream.pid, databasePid: null, database: null },
    stop: async () => {},
  };
}

async function runClosed(contestants: readonly Contestant[], load: LoadMaker): Promise<Record<string, Row[]>> {
  const tables: Record<string, Row[]> = {};
  for (const work of works) {
    const order = { callers: closedCallers, seconds: secondsEach };
    // Warm-up, not counted.
    for (const contestant of contestants) await runOnce(contestant, work, { ...order, seconds: 2 }, load);
    const rows = await runInTurns(contestants, (contestant) => runOnce(contestant, work, order, load));
    tables[work.title] = rows;
    report(`${work.title}, ${closedCallers} callers`, rows);
  }
  return tables;
}

async function runSteady(contestants: readonly Contestant[], load: LoadMaker): Promise<Record<string, Row[]>> {
  const tables: Record<string, Row[]> = {};
  const [plain] = works;
  if (plain === undefined) return tables;
  for (const perSecond of steadyRates) {
    const order = { perSecond, seconds: secondsEach };
    const rows = await runInTurns(contestants, (contestant) => runOnce(contestant, plain, order, load));
    tables[`${perSecond}/s`] = rows;
    report(`plain, steady ${perSecond} calls/s`, rows);
  }
  return tables;
}

async function runInTurns(
  contestants: readonly Contestant[],
  measure: (contestant: Contestant) => Promise<Sample>,
): Promise<Row[]> {
  const samples = contestants.map(() => [] as Sample[]);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, contestant] of contestants.entries()) samples[index]?.push(await measure(contestant));
  }
  return contestants.map(({ title }, index) => {
    const own = samples[index] ?? [];
    const spread = (field: keyof Sample) => spreadOf(own.map((sample) => sample[field]));
    return {
      title,
      callsPerSecond: spread('callsPerSecond'),
      cpuMicros: spread('cpuMicros'),
      databaseCpuMicros: spread('databaseCpuMicros'),
      p50Ms: spread('p50Ms'),
      p99Ms: spread('p99Ms'),
      firstByteMs: spread('firstByteMs'),
      loadCpuMicros: spread('loadCpuMicros'),
    };
  });
}

async function runOnce(
  contestant: Contestant,
  work: Work,
  order: Pick<Load, 'callers' | 'perSecond' | 'seconds'>,
  load: LoadMaker,
): Promise<Sample> {
  const isMetered = contestant.database !== null;
  const { path, body, endsWith } = isMetered ? { ...work, path: contestant.path } : work.bare;
  const before = [readCpuMicros(contestant.pid), readCpuMicros(contestant.databasePid ?? 0)] as const;
  const url = `${contestant.baseUrl}${path}`;
  const figures = await load.run({ url, body, endsWith, secrets: contestant.secrets, ...order });
  const after = [readCpuMicros(contestant.pid), readCpuMicros(contestant.databasePid ?? 0)] as const;
  if (figures.failures > 0 || figures.calls === 0) {
    throw new Error(`${contestant.title}, ${work.title}: ${figures.failures} of ${figures.calls} calls failed.`);
  }
  return {
    callsPerSecond: figures.callsPerSecond,
    cpuMicros: (after[0] - before[0]) / figures.calls,
    databaseCpuMicros: (after[1] - before[1]) / figures.calls,
    p50Ms: figures.p50Ms,
    p99Ms: figures.p99Ms,
    firstByteMs: figures.firstByteP50Ms,
    loadCpuMicros: figures.loadCpuMicrosPerCall,
  };
}

function report(title: string, rows: readonly Row[]): void {
  const bare = rows.find((row) => row.title === 'bare pass-through');
  const ratio = (row: Row) => (bare ? `${(row.cpuMicros.median / bare.cpuMicros.median).toFixed(2)} x` : '');
  const cells = rows.map((row) => [
    row.title,
    showSpread(row.cpuMicros),
    ratio(row),
    showSpread(row.databaseCpuMicros),
    showSpread(row.callsPerSecond),
    showSpread(row.p50Ms),
    showSpread(row.p99Ms),
    showSpread(row.firstByteMs),
    showSpread(row.loadCpuMicros),
  ]);
  const head = ['', 'CPU µs', 'to bare', 'DB µs', 'calls/s', 'p50 ms', 'p99 ms', 'first byte ms', 'load µs'];
  console.log(`${title}\n\n${showTable(head, cells)}\n`);
}
