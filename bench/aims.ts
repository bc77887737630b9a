import type { ColdStarts } from './cold-start.js';
import type { ContestantKind } from './contestants.js';
import { type Spread, showNumber } from './figures.js';
import type { StreamMemory } from './open-streams.js';
import type { findNewestResult } from './results.js';
import { type Row, type Sample, spreadOfField } from './run-in-turns.js';
import { type Aim, flatMemory, judge, type Verdict } from './verdicts.js';

/** Streams on the wires beside chat. */
type WirePhaseName = 'responses' | 'messagesFromChat' | 'messages';
export type PhaseName =
  | WirePhaseName
  | 'plain'
  | 'onePlain'
  | 'streamed'
  | 'paced'
  | 'translated'
  | 'embeddings'
  | 'single'
  | 'steady500'
  | 'steady1000';

export interface Measurements {
  readonly phases: Readonly<Record<PhaseName, readonly Row[]>>;
  /** Of one call, by the title of the contestant. */
  readonly diskBytes: Readonly<Record<string, number>>;
  readonly memory: StreamMemory;
  readonly coldStarts: ColdStarts;
}

const databases = ['SQLite', 'MariaDB', 'MySQL'] as const;
type DatabaseName = (typeof databases)[number];
const databaseCpuMicrosMax = 45;
/** Of the peers, the one that a bound is promised for. */
const promisedPeer = 'Portkey';
const diskBytesMax: Readonly<Record<DatabaseName, number>> = { SQLite: 250, MariaDB: 500, MySQL: 500 };

/** A line of the aims that compares us with somebody in one phase, by ratio or by difference. */
interface ComparedAim extends Omit<Aim, 'unit' | 'atMost'> {
  readonly phase: PhaseName;
  readonly field: keyof Sample;
  readonly rival: ContestantKind;
  /** ms: what we add to theirs. */
  readonly unit: 'x' | 'ms';
  /** One bound, or one for each database. */
  readonly atMost?: number | Readonly<Record<DatabaseName, number>>;
}

const cpuToBare = { field: 'cpuMicros', rival: 'bare', unit: 'x' } as const;
const toPeer = { field: 'callsPerSecond', rival: 'peer', unit: 'x' } as const;
const toUnbooked = { ...cpuToBare, rival: 'unbooked' } as const;
const added = { rival: 'upstream', unit: 'ms' } as const;
const addedAtMedian = { ...added, field: 'p50Ms', atMost: { SQLite: 0.7, MariaDB: 1, MySQL: 1 } } as const;
const addedToBare = { rival: 'bare', unit: 'ms', field: 'p99Ms', atMost: 4 } as const;

const comparedAims: readonly ComparedAim[] = [
  { figure: 'CPU per plain call / bare', phase: 'plain', ...cpuToBare, atMost: 2 },
  { figure: '… one caller at a time', phase: 'onePlain', ...cpuToBare, atMost: 3 },
  { figure: 'CPU per stream / bare', phase: 'streamed', ...cpuToBare, atMost: 1.2 },
  { figure: 'CPU per translated stream / bare', phase: 'translated', ...cpuToBare, atMost: 1.6 },
  { figure: 'first token delayed by', phase: 'single', ...added, field: 'firstByteMs', atMost: 0.5 },
  { figure: 'added at 500 calls/s, p50', phase: 'steady500', ...addedAtMedian },
  { figure: 'p99 at 500 calls/s less that of bare', phase: 'steady500', ...addedToBare },
  { figure: 'added at 1,000 calls/s, p50', phase: 'steady1000', ...addedAtMedian },
  { figure: 'p99 at 1,000 calls/s less that of bare', phase: 'steady1000', ...addedToBare },
  { figure: 'calls/s / Portkey', phase: 'plain', ...toPeer, atLeast: 6 },
  { figure: 'streams/s / Portkey', phase: 'streamed', ...toPeer, atLeast: 2.4 },
  { figure: 'CPU with ledger / without', phase: 'plain', ...toUnbooked, atMost: 1.25 },
  { figure: '… of a stream', phase: 'streamed', ...toUnbooked, atMost: 1.1 },
];

/** Every line of the aims, from one run. Ratios and differences are taken within each round, and the median is judged. */
export function judgeAims(measured: Measurements, findResult: typeof findNewestResult): readonly Verdict[] {
  return [
    ...comparedAims.flatMap((aim) => databases.map((database) => judgeCompared(aim, database, measured.phases))),
    ...databases.flatMap((database) => judgeDatabase(database, measured)),
    ...judgeWires(measured.phases),
    ...databases.flatMap((database) => showHeld(database, measured)),
    ...showPeers(measured.phases),
    ...judgeMemory(measured.memory, findResult),
    ...judgeReport(findResult),
    ...judgeColdStarts(measured.coldStarts),
  ];
}

function judgeCompared(
  { phase, field, rival, atMost, ...aim }: ComparedAim,
  database: DatabaseName,
  phases: Measurements['phases'],
): Verdict {
  const bound = typeof atMost === 'object' ? atMost[database] : atMost;
  const judged: Aim = {
    ...aim,
    figure: `${aim.figure}, ${database}`,
    ...(bound === undefined ? {} : { atMost: bound }),
  };
  const ours = findOn(database, phases[phase]);
  const theirs = phases[phase].find(({ kind, title }) => kind === rival && (kind !== 'peer' || title === promisedPeer));
  if (ours === undefined) return judge(judged, [], missingWords(database));
  if (theirs === undefined) return judge(judged, [], 'needs --peer portkey');
  const values = compare(ours, theirs, field, aim.unit);
  const baseline = spreadOfField(theirs, field);
  const inDatabase = spreadOfField(ours, 'databaseCpuMicros').median;
  const remarks = [`${showNumber(spreadOfField(ours, field).median)} and ${showNumber(baseline.median)}`];
  if (field === 'cpuMicros' && inDatabase > 0) remarks.push(`${showNumber(inDatabase)} in the database`);
  const verdict = judge(judged, values, remarks.join(', '));
  // A difference says nothing where what it is taken from moves by more than the bound.
  const isNoise = aim.unit === 'ms' && bound !== undefined && baseline.max - baseline.min > bound;
  if (!isNoise) return verdict;
  return { ...verdict, measured: `${verdict.measured}; this machine was too busy to tell`, outcome: 'not measured' };
}

/** What our server showed on one database. */
function findOn(database: DatabaseName, rows: readonly Row[], wanted: ContestantKind = 'tollgate'): Row | undefined {
  return rows.find(({ kind, title }) => kind === wanted && title.endsWith(database));
}

function missingWords(database: DatabaseName): string {
  return `this machine has no ${database}`;
}

function compare(ours: Row, theirs: Row, field: keyof Sample, unit: 'x' | 'ms'): number[] {
  return ours.samples.map((sample, round) => {
    const rival = theirs.samples[round]?.[field] ?? 0;
    return unit === 'x' ? sample[field] / rival : sample[field] - rival;
  });
}

/** What a call costs outside of our process. */
function judgeDatabase(database: DatabaseName, { phases, diskBytes }: Measurements): Verdict[] {
  const ours = findOn(database, phases.plain);
  const spent = ours?.samples.map(({ databaseCpuMicros }) => databaseCpuMicros) ?? [];
  const bytes = ours ? [diskBytes[ours.title] ?? 0] : [];
  const cpu = { figure: `CPU of the database per plain call, ${database}`, atMost: databaseCpuMicrosMax, unit: 'µs' };
  const disk = { figure: `disk per call, ${database}`, atMost: diskBytesMax[database], unit: 'bytes' };
  const remark = ours ? '' : missingWords(database);
  return [...(database === 'SQLite' ? [] : [judge(cpu, spent, remark)]), judge(disk, bytes, remark)];
}

const wireNames: Readonly<Record<WirePhaseName, string>> = {
  responses: 'Responses stream',
  messagesFromChat: 'Messages stream from chat',
  messages: 'Messages stream from Anthropic',
};

// Another wire is one more translation, so it may cost what the dearest one of chat does.
function judgeWires(phases: Measurements['phases']): Verdict[] {
  return databases.flatMap((database) =>
    Object.entries(wireNames).map(([phase, name]) => {
      const aim = { figure: `CPU per ${name} / translated chat stream, ${database}`, atMost: 1, unit: 'x' };
      const [ours, translated] = [phases[phase as WirePhaseName], phases.translated].map((rows) =>
        findOn(database, rows),
      );
      if (ours === undefined || translated === undefined) return judge(aim, [], missingWords(database));
      const medians = [ours, translated].map((row) => showNumber(spreadOfField(row, 'cpuMicros').median));
      return judge(aim, compare(ours, translated, 'cpuMicros', 'x'), medians.join(' and '));
    }),
  );
}

function judgeMemory(memory: StreamMemory, findResult: typeof findNewestResult): Verdict[] {
  const { residentKbEach, heapKbEach, bufferKbEach } = memory;
  const remark = [
    `resident ${residentKbEach.toFixed(1)}`,
    `after a collection ${heapKbEach.toFixed(1)} of objects and ${bufferKbEach.toFixed(1)} of buffers`,
  ];
  const value = Math.max(residentKbEach, heapKbEach + bufferKbEach);
  return [
    judge({ figure: 'memory per open stream', atMost: 40, unit: 'kB' }, [value], remark.join(', ')),
    tellSoak(findResult('soak')),
  ];
}

function tellSoak(soak: ReturnType<typeof findNewestResult>): Verdict {
  const verdicts = (soak?.verdicts ?? []) as readonly Verdict[];
  const verdict = verdicts.find(({ figure }) => figure === flatMemory.figure);
  if (verdict === undefined) return judge(flatMemory, [], 'run `npm run bench -- soak` first');
  return { ...verdict, measured: `${verdict.measured}; ${soak?.minutes} minutes, ${soak?.startedAt}` };
}

// A million calls take minutes to write, so that bench stands alone, and its newest figures are shown.
function judgeReport(findResult: typeof findNewestResult): Verdict[] {
  const result = findResult('pages');
  return (['SQLite', 'MariaDB'] as const).flatMap((database) => {
    const figure = (what: string) => `30 days by model, ${what}, ${database}`;
    const calls = Number(result?.manyCalls ?? 1_000_000).toLocaleString('en-US');
    const aims = [
      { figure: figure(`${calls} calls`), atMost: 50, unit: 'ms' },
      { figure: figure('against 1,000 calls'), atMost: 2, unit: 'x' },
    ];
    const measured = result?.[database.toLowerCase()] as
      | { figures: { many: Spread; few: Spread }[] }
      | null
      | undefined;
    const [report] = measured?.figures ?? [];
    if (report === undefined) return aims.map((aim) => judge(aim, [], 'run `npm run bench -- pages` first'));
    const values = [report.many.median, report.many.median / report.few.median];
    return aims.map((aim, at) => judge(aim, [values[at] as number], String(result?.startedAt)));
  });
}

function judgeColdStarts({ knownMs, freshMs }: ColdStarts): Verdict[] {
  return [
    judge({ figure: 'cold start, existing database', atMost: 1_000, unit: 'ms' }, knownMs),
    judge({ figure: 'cold start, new database', atMost: 1_000, unit: 'ms' }, freshMs),
  ];
}

/** What leases have changed; for comparison, with no goal of its own. */
function showHeld(database: DatabaseName, { phases, diskBytes }: Measurements): Verdict[] {
  const [held, ours] = [findOn(database, phases.plain, 'held'), findOn(database, phases.plain)];
  if (held === undefined || ours === undefined) return [];
  const cpu = [held, ours].map((row) => showNumber(spreadOfField(row, 'cpuMicros').median)).join(' and ');
  const ofCpu = { figure: `CPU of a call held by itself / by lease, ${database}`, unit: 'x' };
  const ofDatabase = { figure: `… of the database, ${database}`, unit: 'x' };
  const ofDisk = { figure: `… bytes on disk, ${database}`, unit: 'bytes' };
  return [
    showWithoutGoal(ofCpu, compare(held, ours, 'cpuMicros', 'x'), cpu),
    ...(database === 'SQLite' ? [] : [showWithoutGoal(ofDatabase, compare(held, ours, 'databaseCpuMicros', 'x'))]),
    showWithoutGoal(ofDisk, [diskBytes[held.title] ?? 0]),
  ];
}

function showWithoutGoal(figure: Pick<Aim, 'figure' | 'unit'>, values: readonly number[], remark = ''): Verdict {
  return { ...judge({ ...figure, atMost: 0 }, values, remark), goal: '', outcome: 'to compare' };
}

/** What peers show where we promise a bound; for comparison, with no goal of its own. */
function showPeers({ plain, streamed, single }: Measurements['phases']): Verdict[] {
  const direct = single.find(({ kind }) => kind === 'upstream');
  const delays = single.filter(isPeer).map((peer) => {
    const figure = { figure: `first token delayed by, ${peer.title}`, unit: 'ms' };
    return showWithoutGoal(figure, direct === undefined ? [] : compare(peer, direct, 'firstByteMs', 'ms'));
  });
  const rates = [
    { what: 'calls/s', rows: plain },
    { what: 'streams/s', rows: streamed },
  ].flatMap(({ what, rows }) =>
    rows.filter(isPeer).flatMap((peer) => compareRates(what, findOn('SQLite', rows), peer)),
  );
  return [...rates, ...delays];
}

function isPeer({ kind }: Row): boolean {
  return kind === 'peer';
}

// The promised one stands among the aims.
function compareRates(what: string, ours: Row | undefined, peer: Row): Verdict[] {
  if (ours === undefined || peer.title === promisedPeer) return [];
  const rates = [ours, peer].map((row) => showNumber(spreadOfField(row, 'callsPerSecond').median)).join(' and ');
  return [
    showWithoutGoal(
      { figure: `${what} / ${peer.title}`, unit: 'x' },
      compare(ours, peer, 'callsPerSecond', 'x'),
      rates,
    ),
  ];
}
