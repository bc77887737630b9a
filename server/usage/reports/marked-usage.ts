import type { EntityManager } from 'typeorm';
import type { PackMemory } from '../sums/pack-memory.js';
import type { UsageSetKind } from '../sums/usage-set.entity.js';
import {
  dayMs,
  hourMs,
  partsMaxOf,
  readHourTotals,
  readSetTotals,
  type SetTotals,
  sumSets,
} from '../sums/usage-sets.js';
import { areSame, sumUp, type UsageSums } from '../sums/usage-sums.js';
import { findRemovedUntil, type ReceiptsWanted, refuseRemoved, sumReceipts, tooMany } from './receipt-sums.js';
import { startOf } from './usage-buckets.js';

export interface MarkedUseWanted extends ReceiptsWanted {
  /** When the stretches begin that rows are to be told apart by, oldest first. The time begins and ends with whole hours. */
  readonly starts: readonly number[];
  /** Whether no day is in two of them, so that what was summed by the day will do. */
  readonly areDays: boolean;
}

/** A stretch of time that is read at once. */
interface Run {
  /** 0: from receipts, else from sets of this length. */
  readonly spanMs: number;
  /** As `areTold` says of all of it. */
  readonly isTold: boolean;
  readonly fromMs: number;
  toMs: number;
}

/** An hour or a day of it. */
interface Piece {
  readonly run: Run;
  /** What it takes to read it, in receipts. */
  readonly cost: number;
}

interface Plan {
  readonly kind: UsageSetKind;
  readonly totals: ReadonlyMap<number, UsageSums>;
  /** In the order of time. */
  readonly pieces: readonly Piece[];
}

/** So many packed parts take as long as one receipt. */
const partsPerReceipt = 8;

/**
 * Sums use by tag, end user and status, which the ledger's hours do not know: from the sets of days and hours that were summed
 * before, where these still come to what the ledger's hours do, and from receipts elsewhere. So it is exact at any moment, however
 * late a call was booked. Rows as `sumReceipts` answers them; `hourMs` is the beginning of the hour or of its stretch.
 * @param memory Of who asks again about the same time; left out: nothing is kept.
 * @throws InvalidInputError for the receipts of more calls than may be looked at, and for a time of which receipts were removed.
 */
export async function sumMarkedUse(
  reader: EntityManager,
  wanted: MarkedUseWanted,
  memory?: PackMemory,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  refuseRemoved(await findRemovedOnce(reader, wanted, memory));
  const { kind, totals, pieces } = await planOnce(reader, wanted, memory);
  let cost = pieces.reduce((sum, piece) => sum + piece.cost, 0);
  if (cost > wanted.callsMax) throw tooMany(wanted.callsMax);
  const rows: Readonly<Record<string, unknown>>[] = [];
  for (const { spanMs, isTold, ...span } of toRuns(pieces)) {
    const own = { ...wanted, ...span };
    const add = (row: Readonly<Record<string, unknown>>) => rows.push(isTold ? row : { ...row, toldCalls: 0 });
    if (spanMs === 0) {
      (await sumReceipts(reader, own)).forEach(add);
      continue;
    }
    const sets = await sumSets(reader, { ...own, kind, spanMs }, memory);
    sets.rows.forEach(add);
    for (const fromMs of sets.wrongStartsMs) {
      const wrong = { fromMs, toMs: fromMs + spanMs };
      cost += callsIn(totals, wrong);
      if (cost > wanted.callsMax) throw tooMany(wanted.callsMax);
      (await sumReceipts(reader, { ...own, ...wrong })).forEach(add);
    }
  }
  return rows;
}

/** From when on the newest part of a time can be summed: what costs no more than may be looked at, the last hour or day with use in any case. */
export async function findReadableFrom(
  reader: EntityManager,
  wanted: MarkedUseWanted,
  memory?: PackMemory,
): Promise<number> {
  const fromMs = Math.max(wanted.fromMs, await findRemovedOnce(reader, wanted, memory));
  if (fromMs >= wanted.toMs) return wanted.toMs;
  const { pieces } = await planOnce(reader, { ...wanted, fromMs }, memory);
  let cost = 0;
  for (const [at, piece] of [...pieces.entries()].reverse()) {
    cost += piece.cost;
    if (cost > wanted.callsMax) return (pieces[Math.min(at + 1, pieces.length - 1)] as Piece).run.fromMs;
  }
  return fromMs;
}

/**
 * Whether the ledger knows the cached and reasoned tokens of all calls of a row's time. A receipt from before they were summed does not
 * tell whether nobody wrote them down or there were none, so what is asked by tag is as honest as what is not.
 */
function areTold(startMs: number, spanMs: number, totals: ReadonlyMap<number, UsageSums>): boolean {
  for (let hour = startMs; hour < startMs + Math.max(spanMs, hourMs); hour += hourMs) {
    const sums = totals.get(hour);
    if (sums !== undefined && sums.toldCalls !== sums.calls) return false;
  }
  return true;
}

function chooseKind({ columns, filter }: MarkedUseWanted): UsageSetKind {
  const needed = new Set([...columns, ...Object.keys(filter)]);
  if (!needed.has('end_user')) return 'tag';
  return needed.has('tag') ? 'both' : 'end_user';
}

function findRemovedOnce(reader: EntityManager, wanted: MarkedUseWanted, memory?: PackMemory): Promise<number> {
  const find = () => findRemovedUntil(reader, wanted);
  return memory?.once(`removed ${wanted.accountId} ${wanted.fromMs} ${wanted.toMs}`, find) ?? find();
}

/** What is read of what. */
function planOnce(reader: EntityManager, wanted: MarkedUseWanted, memory?: PackMemory): Promise<Plan> {
  const { accountId, fromMs, toMs, areDays } = wanted;
  const kind = chooseKind(wanted);
  const readTotals = () => readHourTotals(reader, wanted);
  const time = `${accountId} ${fromMs} ${toMs}`;
  const planAll = async () => {
    const totals = await (memory?.once(`hours ${time}`, readTotals) ?? readTotals());
    return plan(reader, wanted, { kind, totals });
  };
  return memory?.once(`plan ${kind} ${areDays} ${time}`, planAll) ?? planAll();
}

async function plan(
  reader: EntityManager,
  wanted: MarkedUseWanted,
  { kind, totals }: Pick<Plan, 'kind' | 'totals'>,
): Promise<Plan> {
  const ofDays = wanted.areDays ? await readSetTotals(reader, { ...wanted, kind, spanMs: dayMs }) : noSets;
  const days = listDays(totals, wanted).map((day) => ({ ...day, isKept: isKept(ofDays, day) }));
  const ofHours = await readHourSets(
    reader,
    { ...wanted, kind },
    days.filter((day) => !day.isKept),
  );
  const pieces: Piece[] = [];
  const read = (spanMs: number, startMs: number, sums: UsageSums) => {
    const isTold = areTold(startMs, spanMs, totals);
    const run = { spanMs, isTold, fromMs: startMs, toMs: startMs + Math.max(spanMs, hourMs) };
    pieces.push({ run, cost: costOf(kind, spanMs, sums) });
  };
  for (const day of days) {
    if (day.isKept) read(dayMs, day.startMs, day.sums);
    else for (const hour of day.hours) read(isKept(ofHours, hour) ? hourMs : 0, hour.startMs, hour.sums);
  }
  return { kind, totals, pieces };
}

/** What the ledger says of an hour or a day of the time. */
interface Told {
  readonly startMs: number;
  readonly sums: UsageSums;
}

type Sets = ReadonlyMap<number, SetTotals>;

const noSets: Sets = new Map();

function isKept(sets: Sets, { startMs, sums }: Told): boolean {
  const set = sets.get(startMs);
  return set !== undefined && areSame(set.sums, sums);
}

/** The days that have use in this time; of one that the time cuts only what is within. */
function listDays(totals: ReadonlyMap<number, UsageSums>, { fromMs, toMs }: MarkedUseWanted) {
  const days: (Told & { readonly hours: readonly Told[] })[] = [];
  for (let day = startOf(fromMs, 'day'); day < toMs; day += dayMs) {
    const hours: Told[] = [];
    for (let startMs = Math.max(day, fromMs); startMs < Math.min(day + dayMs, toMs); startMs += hourMs) {
      const sums = totals.get(startMs);
      if (sums !== undefined) hours.push({ startMs, sums });
    }
    if (hours.length > 0) days.push({ startMs: day, hours, sums: sumUp(hours.map(({ sums }) => sums)) });
  }
  return days;
}

/** The sets of the hours of these days, which are in the order of time; days in a row are asked for at once. */
async function readHourSets(
  reader: EntityManager,
  { accountId, kind }: Pick<MarkedUseWanted, 'accountId'> & { readonly kind: UsageSetKind },
  days: readonly Told[],
): Promise<Sets> {
  const runs: { fromMs: number; toMs: number }[] = [];
  for (const { startMs } of days) {
    const last = runs.at(-1);
    if (last?.toMs === startMs) last.toMs = startMs + dayMs;
    else runs.push({ fromMs: startMs, toMs: startMs + dayMs });
  }
  const found: [number, SetTotals][] = [];
  for (const run of runs) found.push(...(await readSetTotals(reader, { accountId, kind, spanMs: hourMs, ...run })));
  return new Map(found);
}

/** Of sets of one mark there are few parts, and of one of both nearly as many as calls. */
function costOf(kind: UsageSetKind, spanMs: number, { calls }: UsageSums): number {
  if (spanMs === 0) return calls;
  return kind === 'both' ? Math.ceil(Math.min(calls, partsMaxOf(spanMs)) / partsPerReceipt) : 0;
}

function toRuns(pieces: readonly Piece[]): readonly Run[] {
  const runs: Run[] = [];
  for (const { run } of pieces) {
    const last = runs.at(-1);
    // What lies between has no use.
    if (last?.spanMs === run.spanMs && last.isTold === run.isTold) last.toMs = run.toMs;
    else runs.push({ ...run });
  }
  return runs;
}

function callsIn(totals: ReadonlyMap<number, UsageSums>, { fromMs, toMs }: Pick<Run, 'fromMs' | 'toMs'>): number {
  const hours = [...totals].filter(([hour]) => hour >= fromMs && hour < toMs);
  return hours.reduce((calls, [, sums]) => calls + sums.calls, 0);
}
