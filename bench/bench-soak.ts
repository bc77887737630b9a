import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, LoadMaker, readCpuMicros, readMemoryKb, startHelper, startTollgate } from './contestants.js';
import { showTable } from './figures.js';
import type { Load } from './load-types.js';
import { proveBooks } from './prove-books.js';

const minutes = Number(process.env.BENCH_MINUTES ?? 10);
const segmentSeconds = 20;
const ceilingShare = 0.6;
// What a process keeps when it is warm is not what it loses.
const warmUpShare = 0.3;

interface Segment {
  readonly minute: number;
  readonly memoryKb: number;
  readonly calls: number;
  readonly failures: number;
  readonly p99Ms: number;
}

/**
 * Ten minutes at 60 % of what it can do, half of the calls plain and half streamed, on MariaDB where there is one and on
 * SQLite where not: whether anything fails, whether its memory grows, whether the books are right afterwards.
 */
export async function benchSoak(): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-soak-'));
  const upstream = await startHelper('upstream-process.js');
  const loads = [LoadMaker.start(), LoadMaker.start()] as const;
  try {
    const mysqlUrl = process.env.BENCH_DATABASE === 'sqlite' ? undefined : process.env.BENCH_MYSQL_URL;
    const isSqlite = mysqlUrl === undefined;
    const database = isSqlite
      ? { kind: 'sqlite' as const, file: join(folder, 't.db') }
      : await createDatabase(mysqlUrl);
    const tollgate = await startTollgate(isSqlite ? 'SQLite' : 'MariaDB', database, upstream);
    const base = { url: `${tollgate.baseUrl}${tollgate.path}`, secrets: tollgate.secrets };
    const plain = { ...base, body: toBody(false), endsWith: '}' };
    const streamed = { ...base, body: toBody(true), endsWith: '[DONE]' };
    const both = async (order: Pick<Load, 'callers' | 'perSecond' | 'seconds'>) =>
      Promise.all([loads[0].run({ ...plain, ...order }), loads[1].run({ ...streamed, ...order })]);

    const [ceilingOfPlain, ceilingOfStreams] = await both({ callers: 32, seconds: 5 });
    const perSecond = Math.floor(
      ((ceilingOfPlain.callsPerSecond + ceilingOfStreams.callsPerSecond) / 2) * ceilingShare,
    );
    console.log(
      `${tollgate.title}: ${minutes} minutes with ${perSecond} plain and ${perSecond} streamed calls a second\n`,
    );
    const segments: Segment[] = [];
    const cpuBefore = readCpuMicros(tollgate.pid);
    const startMs = performance.now();
    while (performance.now() - startMs < minutes * 60_000) {
      const figures = await both({ perSecond, seconds: segmentSeconds });
      segments.push({
        minute: (performance.now() - startMs) / 60_000,
        memoryKb: readMemoryKb(tollgate.pid),
        calls: figures.reduce((sum, { calls }) => sum + calls, 0),
        failures: figures.reduce((sum, { failures }) => sum + failures, 0),
        p99Ms: Math.max(...figures.map(({ p99Ms }) => p99Ms)),
      });
    }
    const calls = segments.reduce((sum, segment) => sum + segment.calls, 0);
    const failures = segments.reduce((sum, segment) => sum + segment.failures, 0);
    const cpuMicros = (readCpuMicros(tollgate.pid) - cpuBefore) / calls;
    await tollgate.stop();
    await proveBooks(database);
    const kbPerMinute = findSlope(segments.slice(Math.floor(segments.length * warmUpShare)));
    const rows = segments.map((segment) => [
      segment.minute.toFixed(1),
      (segment.memoryKb / 1_024).toFixed(0),
      String(segment.calls),
      String(segment.failures),
      segment.p99Ms.toFixed(1),
    ]);
    console.log(showTable(['minute', 'memory MiB', 'calls', 'failures', 'p99 ms'], rows));
    console.log(`\n${calls} calls, ${failures} failures, ${cpuMicros.toFixed(0)} µs of processor time each.`);
    console.log(
      `Memory after warm-up: ${(kbPerMinute / 1_024).toFixed(2)} MiB a minute. Nothing held, the books are right.`,
    );
    return { perSecond, minutes, calls, failures, kbPerMinute, cpuMicros, segments };
  } finally {
    for (const load of loads) load.stop();
    upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function toBody(isStreamed: boolean): string {
  const messages = [{ role: 'user', content: 'Tell me in fifty words why the sky is blue.' }];
  const body = { model: 'gpt-4o-mini', messages, max_tokens: 200 };
  return JSON.stringify(isStreamed ? { ...body, stream: true } : body);
}

/** Kilobytes a minute, by least squares. */
function findSlope(segments: readonly Segment[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const minute = mean(segments.map((segment) => segment.minute));
  const memory = mean(segments.map((segment) => segment.memoryKb));
  const products = segments.map((segment) => (segment.minute - minute) * (segment.memoryKb - memory));
  const squares = segments.map((segment) => (segment.minute - minute) ** 2);
  return mean(products) / mean(squares);
}
