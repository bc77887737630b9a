import type { EntityManager } from 'typeorm';
import type { UsageSetKind } from '../sums/usage-set.entity.js';
import { dayMs, hourMs, readHourTotals, readSetTotals, type SetTotals, sumSets } from '../sums/usage-sets.js';
import { areSame, sumUp, type UsageSums } from '../sums/usage-sums.js';
import { type ReceiptsWanted, refuseRemoved, sumReceipts, tooMany } from './receipt-sums.js';
import { startOf, type UsageBucket } from './usage-buckets.js';

export interface MarkedUseWanted extends ReceiptsWanted {
  /** Rows need not be finer. The time begins and ends with whole hours. */
  readonly bucket: UsageBucket;
  /** Whether rows need not be told apart by time at all: far fewer of them, where there are many values. */
  readonly isWhole?: boolean;
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

/**
 * Sums use by tag, end user and status, which the ledger's hours do not know: from the sets of days and hours that were summed
 * before, where these still come to what the ledger's hours do, and from receipts elsewhere. So it is exact at any moment, however
 * late a call was booked. Rows as `sumReceipts` answers them; `hourMs` is the beginning of the day, or of
 * the longer time, that was read at once.
 * @throws InvalidInputError for the receipts of more calls than may be looked at, and for a time of which receipts were removed.
 */
export async function sumMarkedUse(
  reader: EntityManager,
  wanted: MarkedUseWanted,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  await refuseRemoved(reader, wanted);
  const kind = chooseKind(wanted);
  const totals = await readHourTotals(reader, wanted);
  const sets = kind === null ? new Map() : await readSetTotals(reader, { ...wanted, kind });
  const { runs, receipts } = plan(wanted, totals, sets);
  if (receipts > wanted.callsMax) throw tooMany(wanted.callsMax);
  const rows: Readonly<Record<string, unknown>>[] = [];
  for (const { spanMs, isTold, ...span } of runs) {
    const own = { ...wanted, ...span, isWhole: wanted.isWhole === true };
    const ofSets = kind === null || spanMs === 0 ? null : await sumSets(reader, { ...own, kind, spanMs });
    for (const row of ofSets ?? (await sumReceipts(reader, own))) rows.push(isTold ? row : { ...row, toldCalls: 0 });
  }
  return rows;
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

/** null: no set is divided by both. */
function chooseKind({ columns, filter }: MarkedUseWanted): UsageSetKind | null {
  const needed = new Set([...columns, ...Object.keys(filter)]);
  if (!needed.has('end_user')) return 'tag';
  return needed.has('tag') ? null : 'end_user';
}

/** What is read of what, in the order of time, and of how many calls the receipts. */
function plan(
  { fromMs, toMs, bucket, isWhole = false }: MarkedUseWanted,
  totals: ReadonlyMap<number, UsageSums>,
  sets: ReadonlyMap<string, SetTotals>,
): { readonly runs: readonly Run[]; readonly receipts: number } {
  const runs: Run[] = [];
  let receipts = 0;
  const read = (spanMs: number, startMs: number, lengthMs: number) => {
    const isTold = areTold(startMs, spanMs, totals);
    const last = runs.at(-1);
    // What lies between has no use.
    if (last?.spanMs === spanMs && last.isTold === isTold) last.toMs = startMs + lengthMs;
    else runs.push({ spanMs, isTold, fromMs: startMs, toMs: startMs + lengthMs });
  };
  const isKept = (spanMs: number, startMs: number, sums: UsageSums) => {
    const set = sets.get(`${spanMs} ${startMs}`);
    return set !== undefined && areSame(set, sums);
  };
  for (let day = startOf(fromMs, 'day'); day < toMs; day += dayMs) {
    const hours: [number, UsageSums][] = [];
    for (let hour = Math.max(day, fromMs); hour < Math.min(day + dayMs, toMs); hour += hourMs) {
      const sums = totals.get(hour);
      if (sums !== undefined) hours.push([hour, sums]);
    }
    if (hours.length === 0) continue;
    if ((isWhole || bucket !== 'hour') && isKept(dayMs, day, sumUp(hours.map(([, sums]) => sums)))) {
      read(dayMs, day, dayMs);
      continue;
    }
    for (const [hour, sums] of hours) {
      const spanMs = isKept(hourMs, hour, sums) ? hourMs : 0;
      if (spanMs === 0) receipts += sums.calls;
      read(spanMs, hour, hourMs);
    }
  }
  return { runs, receipts };
}
