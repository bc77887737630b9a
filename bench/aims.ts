import type { ColdStarts } from './cold-start.js';
import type { Spread } from './figures.js';
import type { StreamMemory } from './open-streams.js';
import type { findNewestResult } from './results.js';
import type { Row, Sample } from './run-in-turns.js';
import { type Aim, judge, type Verdict } from './verdicts.js';

export type PhaseName = 'plain' | 'streamed' | 'translated' | 'single' | 'steady500' | 'steady1000';

export interface Measurements {
  readonly phases: Readonly<Record<PhaseName, readonly Row[]>>;
  readonly memory: StreamMemory;
  readonly coldStarts: ColdStarts;
}

const noPeer = 'needs --peer portkey';
const noMariadb = 'this machine has no MariaDB';

/** Which bound holds for which database. */
const databases = [
  { name: 'SQLite', callMax: 2.3, p50Max: 1 },
  { name: 'MariaDB', callMax: 2, p50Max: 2 },
] as const;

/** Every line of the aims, from one run. Ratios and differences are taken round by round, within one round. */
export function judgeAims(
  { phases, memory, coldStarts }: Measurements,
  findResult: typeof findNewestResult,
): readonly Verdict[] {
  return databases
    .flatMap(({ name, callMax, p50Max }) => {
      const aim = (figure: string, bound: Omit<Aim, 'figure'>) => ({ figure: `${figure}, ${name}`, ...bound });
      const ratio = (rows: readonly Row[], field: keyof Sample, rival: Row['kind']) =>
        compare(rows, name, rival, (ours, theirs) => ours[field] / theirs[field]);
      const added = (rows: readonly Row[], field: keyof Sample) =>
        compare(rows, name, 'upstream', (ours, direct) => ours[field] - direct[field]);
      const { plain, streamed, translated, single } = phases;
      return [
        tell(aim('CPU per plain call / bare', { atMost: callMax, unit: 'x' }), ratio(plain, 'cpuMicros', 'bare')),
        tell(aim('calls/s / Portkey', { atLeast: 8, unit: 'x' }), ratio(plain, 'callsPerSecond', 'peer')),
        ...([500, 1_000] as const).flatMap((perSecond) => {
          const rows = phases[`steady${perSecond}`];
          const title = (share: string) => `added at ${perSecond} calls/s, ${share}`;
          return [
            tell(aim(title('p50'), { atMost: p50Max, unit: 'ms' }), added(rows, 'p50Ms')),
            tell(aim(title('p99'), { atMost: 5, unit: 'ms' }), added(rows, 'p99Ms')),
          ];
        }),
        tell(aim('CPU per stream / bare', { atMost: 1.35, unit: 'x' }), ratio(streamed, 'cpuMicros', 'bare')),
        tell(aim('CPU per translated stream / bare', { atMost: 2, unit: 'x' }), ratio(translated, 'cpuMicros', 'bare')),
        tell(aim('streams/s / Portkey', { atLeast: 2.4, unit: 'x' }), ratio(streamed, 'callsPerSecond', 'peer')),
        tell(aim('first token delayed by', { atMost: 1, unit: 'ms' }), added(single, 'firstByteMs')),
        tell(
          aim('CPU with ledger / without', { atMost: 1.5, unit: 'x' }),
          compare(plain, name, 'unbooked', (ours, theirs) => ours.cpuMicros / theirs.cpuMicros),
        ),
      ];
    })
    .concat(judgeMemory(memory, findResult), judgeReport(findResult), judgeColdStarts(coldStarts), showPeer(phases));
}

type Comparison = { readonly values: readonly number[]; readonly missing: string };

function compare(
  rows: readonly Row[],
  database: string,
  rivalKind: Row['kind'],
  of: (ours: Sample, theirs: Sample) => number,
): Comparison {
  const ours = rows.find(({ kind, title }) => kind === 'tollgate' && title.endsWith(database));
  const rival = rows.find(({ kind }) => kind === rivalKind);
  if (ours === undefined || rival === undefined) return { values: [], missing: rival ? noMariadb : noPeer };
  const values = ours.samples.map((sample, round) => of(sample, rival.samples[round] as Sample));
  return { values, missing: '' };
}

function tell(aim: Aim, { values, missing }: Comparison): Verdict {
  return judge(aim, values, missing);
}

function judgeMemory(memory: StreamMemory, findResult: typeof findNewestResult): Verdict[] {
  const soak = findResult('soak');
  const flat = { figure: 'memory after warm-up, per minute', atMost: 1, unit: 'MiB' };
  const remark = `${memory.heapKbEach.toFixed(1)} kB of objects and ${memory.bufferKbEach.toFixed(1)} kB of buffers after a collection`;
  return [
    judge({ figure: 'memory per open stream', atMost: 40, unit: 'kB' }, [memory.residentKbEach], remark),
    soak === null
      ? judge(flat, [], 'run `npm run bench -- soak` first')
      : judge(flat, [Number(soak.kbPerMinute) / 1_024], `${soak.minutes} minutes of soak, ${soak.startedAt}`),
  ];
}

// A million calls take minutes to write, so that bench stands alone, and its newest figures are shown.
function judgeReport(findResult: typeof findNewestResult): Verdict[] {
  const result = findResult('pages');
  return databases.flatMap(({ name }) => {
    const figure = (what: string) => `30 days by model, ${what}, ${name}`;
    const calls = Number(result?.manyCalls ?? 1_000_000).toLocaleString('en-US');
    const aims = [
      { figure: figure(`${calls} calls`), atMost: 50, unit: 'ms' },
      { figure: figure('against 1,000 calls'), atMost: 2, unit: 'x' },
    ];
    const measured = result?.[name.toLowerCase()] as { figures: { many: Spread; few: Spread }[] } | null | undefined;
    const [report] = measured?.figures ?? [];
    if (report === undefined) return aims.map((aim) => judge(aim, [], 'run `npm run bench -- pages` first'));
    const values = [report.many.median, report.many.median / report.few.median];
    return aims.map((aim, at) => judge(aim, [values[at] as number], String(result?.startedAt)));
  });
}

function judgeColdStarts({ knownMs, freshMs }: ColdStarts): Verdict[] {
  return [
    judge({ figure: 'cold start, existing database', atMost: 1_500, unit: 'ms' }, knownMs),
    judge({ figure: 'cold start, new database', atMost: 1_500, unit: 'ms' }, freshMs),
  ];
}

/** What the peer adds where we promise a bound; for comparison, with no goal of its own. */
function showPeer({ single }: Measurements['phases']): Verdict[] {
  const peer = single.find(({ kind }) => kind === 'peer');
  const direct = single.find(({ kind }) => kind === 'upstream');
  if (peer === undefined || direct === undefined) return [];
  const values = peer.samples.map((sample, round) => sample.firstByteMs - (direct.samples[round]?.firstByteMs ?? 0));
  const verdict = judge({ figure: 'first token delayed by, Portkey', atMost: 0, unit: 'ms' }, values);
  return [{ ...verdict, goal: '', outcome: 'not measured' }];
}
