import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTollgate, type TollgateContestant } from './contestants.js';
import { createDatabase } from './database-server.js';
import { showTable } from './figures.js';
import { LoadMaker } from './load-maker.js';
import type { Load, LoadFigures } from './load-types.js';
import { readCpu } from './process-figures.js';
import { inspectBooks } from './prove-books.js';
import { readServerMemory } from './server-memory.js';
import { startScript } from './start-program.js';
import { type Aim, flatMemory, judge, showVerdicts, type Verdict } from './verdicts.js';
import { plain, streamed, toLoad } from './works.js';

const minutes = Number(process.env.BENCH_MINUTES ?? 10);
const segmentSeconds = Math.min(20, minutes * 15);
const warmUpSeconds = 10;
const ceilingSeconds = 10;
const ceilingShare = 0.6;
// What a process keeps when it is warm is not what it loses.
const warmUpShare = 0.3;
/** A slope over less says more about when garbage was collected than about what is lost. */
const minutesToJudgeMemory = 5;

interface Segment {
  readonly minute: number;
  /** Of the whole process, garbage included. */
  readonly memoryKb: number;
  /** Objects and buffers of all threads that are left after a collection of garbage. */
  readonly leftKb: number;
  readonly calls: number;
  readonly failures: number;
  readonly p99Ms: number;
}

/** Puts plain calls and streams on the server at the same time, each by a process of its own. */
type MixedLoad = (
  plainOrder: Pick<Load, 'callers' | 'perSecond' | 'seconds'>,
  streamedOrder: Pick<Load, 'callers' | 'perSecond' | 'seconds'>,
) => Promise<[LoadFigures, LoadFigures]>;

/**
 * Ten minutes at 60 % of what it can do, plain calls and streams in the proportion in which it takes them at its ceiling, on
 * MariaDB where there is one and on SQLite where not: whether anything fails, whether its memory grows, whether the books are
 * right afterwards. Ends the process with 1 unless all of it holds.
 */
export async function benchSoak(): Promise<object> {
  const upstream = await startScript('upstream-process.js');
  const loads = [LoadMaker.start(), LoadMaker.start()] as const;
  const mysqlUrl = process.env.BENCH_DATABASE === 'sqlite' ? undefined : process.env.BENCH_MYSQL_URL;
  const database =
    mysqlUrl === undefined
      ? { kind: 'sqlite' as const, file: join(mkdtempSync(join(tmpdir(), 'soak-')), 't.db') }
      : await createDatabase(mysqlUrl);
  const title = mysqlUrl === undefined ? 'SQLite' : 'MariaDB';
  const tollgate = await startTollgate(title, database, upstream, { preload: 'report-memory.js' });
  const mix: MixedLoad = (plainOrder, streamedOrder) =>
    Promise.all([
      loads[0].run({ ...toLoad(tollgate, plain), ...plainOrder }),
      loads[1].run({ ...toLoad(tollgate, streamed), ...streamedOrder }),
    ]);
  const rates = await findRates(mix);
  console.log(
    `${title}: ${minutes} minutes with ${rates.plain} plain and ${rates.streamed} streamed calls a second, ${ceilingShare * 100} % of its ceiling\n`,
  );
  const cpuBefore = readCpu(tollgate.pid).allMicros;
  const segments = await soak(tollgate, mix, rates);
  const calls = segments.reduce((sum, segment) => sum + segment.calls, 0);
  const failures = segments.reduce((sum, segment) => sum + segment.failures, 0);
  const cpuMicros = (readCpu(tollgate.pid).allMicros - cpuBefore) / calls;
  await tollgate.stop();
  const books = await inspectBooks(database);
  const judged = segments.slice(Math.floor(segments.length * warmUpShare));
  const kbPerMinute = findSlope(judged, ({ memoryKb }) => memoryKb);
  const leftKbPerMinute = findSlope(judged, ({ leftKb }) => leftKb);
  showSegments(segments);
  console.log(`\n${calls} calls, ${cpuMicros.toFixed(0)} µs of processor time each.\n`);
  const verdicts = [
    judge({ figure: 'calls that failed', atMost: 0, unit: '' }, [failures]),
    judge({ figure: 'held at the end', atMost: 0, unit: 'holds' }, [books.openHolds]),
    judge({ figure: 'faults in the books', atMost: 0, unit: '' }, [books.violations.length]),
    judgeMemory(flatMemory, kbPerMinute),
    judgeMemory({ ...flatMemory, figure: '… of objects and buffers in use' }, leftKbPerMinute),
  ];
  console.log(showVerdicts(verdicts));
  if (verdicts.some(({ outcome }) => outcome === 'missed')) process.exitCode = 1;
  return {
    title,
    rates,
    minutes,
    calls,
    failures,
    kbPerMinute,
    leftKbPerMinute,
    cpuMicros,
    violations: books.violations,
    openHolds: books.openHolds,
    verdicts,
    segments,
  };
}

// The ceiling of a warm process under both kinds at once; a share of each is that share of the whole.
async function findRates(mix: MixedLoad): Promise<{ plain: number; streamed: number }> {
  const warmUp = { callers: 32, seconds: warmUpSeconds };
  await mix(warmUp, warmUp);
  const order = { callers: 32, seconds: ceilingSeconds };
  const [plainCeiling, streamedCeiling] = await mix(order, order);
  const share = ({ callsPerSecond }: LoadFigures) => Math.max(1, Math.floor(callsPerSecond * ceilingShare));
  return { plain: share(plainCeiling), streamed: share(streamedCeiling) };
}

async function soak(
  tollgate: TollgateContestant,
  mix: MixedLoad,
  rates: { plain: number; streamed: number },
): Promise<Segment[]> {
  const segments: Segment[] = [];
  const startMs = performance.now();
  while (performance.now() - startMs < minutes * 60_000) {
    const order = { seconds: segmentSeconds };
    const figures = await mix({ ...order, perSecond: rates.plain }, { ...order, perSecond: rates.streamed });
    const minute = (performance.now() - startMs) / 60_000;
    const { residentKb, heapKb, bufferKb } = await readServerMemory(tollgate);
    segments.push({
      minute,
      memoryKb: residentKb,
      leftKb: heapKb + bufferKb,
      calls: figures.reduce((sum, { calls }) => sum + calls, 0),
      failures: figures.reduce((sum, { failures }) => sum + failures, 0),
      p99Ms: Math.max(...figures.map(({ p99Ms }) => p99Ms)),
    });
  }
  return segments;
}

function showSegments(segments: readonly Segment[]): void {
  const rows = segments.map((segment) => [
    segment.minute.toFixed(1),
    (segment.memoryKb / 1_024).toFixed(0),
    (segment.leftKb / 1_024).toFixed(1),
    String(segment.calls),
    String(segment.failures),
    segment.p99Ms.toFixed(1),
  ]);
  console.log(showTable(['minute', 'memory MiB', 'in use MiB', 'calls', 'failures', 'p99 ms'], rows));
}

function judgeMemory(aim: Aim, kbPerMinute: number): Verdict {
  const mibPerMinute = kbPerMinute / 1_024;
  if (minutes >= minutesToJudgeMemory) return judge(aim, [mibPerMinute]);
  const remark = `${mibPerMinute.toFixed(2)} MiB, but ${minutesToJudgeMemory} minutes at least are needed to tell`;
  return judge(aim, [], remark);
}

/** Kilobytes a minute, by least squares; at least two segments. */
function findSlope(segments: readonly Segment[], kbOf: (segment: Segment) => number): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const minute = mean(segments.map((segment) => segment.minute));
  const kb = mean(segments.map(kbOf));
  const products = segments.map((segment) => (segment.minute - minute) * (kbOf(segment) - kb));
  const squares = segments.map((segment) => (segment.minute - minute) ** 2);
  return mean(products) / mean(squares);
}
