import type { Contestant, ContestantKind } from './contestants.js';
import { type Spread, showNumber, showSpread, showTable, spreadOf } from './figures.js';
import type { LoadMaker } from './load-maker.js';
import type { Load } from './load-types.js';
import { readCpu, readCpuOf } from './process-figures.js';
import { toLoad, type Work } from './works.js';

const warmUpSecondsEach = 2;
const warmUpTurnsMax = 5;

/** One kind of load, put on the contestants in turns. */
export interface Phase {
  readonly title: string;
  readonly work: Work;
  readonly order: Pick<Load, 'callers' | 'perSecond' | 'seconds'>;
  /** Not counted, by each contestant before its first round; 0 where another phase has warmed it. */
  readonly warmUpCalls: number;
  readonly kinds: readonly ContestantKind[];
}

/** What one turn showed. Processor time is per call, in microseconds. */
export interface Sample {
  readonly calls: number;
  readonly failures: number;
  readonly callsPerSecond: number;
  /** Of all threads of the gateway's process, and of its event loop alone. */
  readonly cpuMicros: number;
  readonly mainCpuMicros: number;
  readonly databaseCpuMicros: number;
  readonly upstreamCpuMicros: number;
  readonly loadCpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly firstByteMs: number;
}

/** A contestant in one phase; a sample for each round, in their order. */
export interface Row {
  readonly title: string;
  readonly kind: ContestantKind;
  readonly samples: readonly Sample[];
}

export interface Field {
  readonly contestants: readonly Contestant[];
  readonly upstreamPid: number;
  readonly load: LoadMaker;
}

/**
 * One turn of each contestant after the other, and that `rounds` times, so that a slow minute of the machine hits all alike. Every second round goes
 * the other way: nobody comes always behind the same neighbour.
 */
export async function runInTurns(field: Field, phase: Phase, rounds: number): Promise<Row[]> {
  const contestants = field.contestants.filter(({ kind }) => phase.kinds.includes(kind));
  for (const contestant of contestants) await warmUp(field, contestant, phase);
  const samples = contestants.map(() => [] as Sample[]);
  for (let round = 0; round < rounds; round += 1) {
    const order = [...contestants.entries()];
    for (const [index, contestant] of round % 2 === 0 ? order : order.reverse()) {
      samples[index]?.push(await runOnce(field, contestant, phase));
    }
  }
  return contestants.map(({ title, kind }, index) => ({ title, kind, samples: samples[index] ?? [] }));
}

// By calls rather than by time: a compiler that has seen half of them has done half of its work.
async function warmUp(field: Field, contestant: Contestant, phase: Phase): Promise<void> {
  const order = { ...phase.order, seconds: warmUpSecondsEach };
  let calls = 0;
  for (let turn = 0; turn < warmUpTurnsMax && calls < phase.warmUpCalls; turn += 1) {
    calls += (await runOnce(field, contestant, { ...phase, order })).calls;
  }
}

async function runOnce({ upstreamPid, load }: Field, contestant: Contestant, phase: Phase): Promise<Sample> {
  const read = () => [
    readCpuOf([contestant.pid, ...(contestant.alsoPids ?? [])]),
    ...[contestant.databasePid ?? 0, upstreamPid].map(readCpu),
  ];
  const before = read();
  const figures = await load.run({ ...toLoad(contestant, phase.work), ...phase.order });
  const after = read();
  // A peer that fails now and then is still a peer, and its failures are shown. Our own figures count only without any.
  const mayFail = contestant.kind === 'peer';
  if (figures.calls === 0 || (figures.failures > 0 && !mayFail)) {
    const total = figures.calls + figures.failures;
    throw new Error(`${contestant.title}, ${phase.title}: ${figures.failures} of ${total} calls failed.`);
  }
  const spent = (index: number, of: 'allMicros' | 'mainMicros') =>
    ((after[index]?.[of] ?? 0) - (before[index]?.[of] ?? 0)) / figures.calls;
  return {
    calls: figures.calls,
    failures: figures.failures,
    callsPerSecond: figures.callsPerSecond,
    cpuMicros: spent(0, 'allMicros'),
    mainCpuMicros: spent(0, 'mainMicros'),
    databaseCpuMicros: spent(1, 'allMicros'),
    upstreamCpuMicros: spent(2, 'allMicros'),
    loadCpuMicros: figures.loadCpuMicrosPerCall,
    p50Ms: figures.p50Ms,
    p99Ms: figures.p99Ms,
    firstByteMs: figures.firstByteP50Ms,
  };
}

/** Of one figure over all rounds. */
export function spreadOfField(row: Row, field: keyof Sample): Spread {
  return spreadOf(row.samples.map((sample) => sample[field]));
}

/**
 * The table of one phase. "Busy" is the share of one core: of the event loop of the gateway, and of the processes of load
 * and provider, which are the bottleneck where theirs comes near 100 %.
 */
export function showPhase({ title }: Phase, rows: readonly Row[]): string {
  const bare = rows.find(({ kind }) => kind === 'bare');
  const cells = rows.map((row) => {
    const spread = (field: keyof Sample) => showSpread(spreadOfField(row, field));
    const median = (field: keyof Sample) => showNumber(spreadOfField(row, field).median);
    const busy = (field: keyof Sample) => showBusy(row, field);
    const toBare = bare ? spreadOfField(row, 'cpuMicros').median / spreadOfField(bare, 'cpuMicros').median : 0;
    const failures = row.samples.reduce((sum, sample) => sum + sample.failures, 0);
    return [
      failures > 0 ? `${row.title} (${failures} failed)` : row.title,
      spread('cpuMicros'),
      `${median('mainCpuMicros')} + ${showNumber(otherThreads(row))}`,
      row.kind === 'upstream' ? '' : `${toBare.toFixed(2)} x`,
      median('databaseCpuMicros'),
      ...[spread('callsPerSecond'), spread('p50Ms'), spread('p99Ms'), spread('firstByteMs')],
      [busy('mainCpuMicros'), busy('loadCpuMicros'), busy('upstreamCpuMicros')].join(' / '),
    ];
  });
  const times = ['p50 ms', 'p99 ms', 'first byte ms'];
  const head = [
    '',
    'CPU µs',
    'loop + others',
    'to bare',
    'DB µs',
    'calls/s',
    ...times,
    'busy % gateway / load / provider',
  ];
  return `${title}\n\n${showTable(head, cells)}\n`;
}

function otherThreads(row: Row): number {
  // The two are read one after the other, and in steps.
  return spreadOf(row.samples.map(({ cpuMicros, mainCpuMicros }) => Math.max(0, cpuMicros - mainCpuMicros))).median;
}

function showBusy(row: Row, field: keyof Sample): string {
  const shares = row.samples.map((sample) => (sample[field] * sample.callsPerSecond) / 10_000);
  return spreadOf(shares).median.toFixed(0);
}
