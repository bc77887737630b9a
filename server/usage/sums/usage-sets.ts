import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { createId } from '../../kernel/ids.js';
import type { ReceiptsWanted } from '../reports/receipt-sums.js';
import { placeOf } from '../reports/usage-buckets.js';
import type { PackMemory } from './pack-memory.js';
import { PackSummer } from './pack-summer.js';
import { type PackedSet, type PartRow, packParts } from './packed-parts.js';
import { UsagePackEntity } from './usage-pack.entity.js';
import { UsagePartEntity } from './usage-part.entity.js';
import { UsageSetEntity, type UsageSetKind } from './usage-set.entity.js';
import {
  type LedgerSums,
  ledgerColumns,
  partColumns,
  sumColumns,
  sumUp,
  toUsageSums,
  type UsageSums,
} from './usage-sums.js';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Which set: of which account, by what it is divided, and the hour or day. */
export type UsageSetName = Pick<UsageSetEntity, 'accountId' | 'kind' | 'spanMs' | 'startMs'>;

/** What a set comes to altogether. */
export interface SetTotals {
  readonly id: string;
  readonly startMs: number;
  readonly sums: LedgerSums;
}

/** All that a set is divided by, as columns of receipts. */
export const columnsOfKind: Readonly<Record<UsageSetKind, readonly string[]>> = {
  tag: ['key_id', 'model', 'provider', 'tag', 'outcome'],
  end_user: ['key_id', 'model', 'provider', 'end_user', 'outcome'],
  both: ['key_id', 'model', 'provider', 'tag', 'end_user', 'outcome'],
};

/** A set of more parts is not kept. */
export function partsMaxOf(spanMs: number): number {
  return spanMs === dayMs ? 5_000 : 1_000;
}

type Span = Pick<ReceiptsWanted, 'accountId' | 'fromMs' | 'toMs'>;

const rowsPerInsert = 250;
/** A pack of 60,000 bytes takes about half a millisecond. */
const packsPerTurn = 10;
/** The sums of a part, without `toldCalls`: it has cached and reasoning tokens of all its calls, or null for both. */
const partSums = { ...ledgerColumns, ...partColumns };
const totalsOfSet = Object.entries(ledgerColumns)
  .map(([name, column]) => `s.${column} AS ${name}`)
  .join(', ');
const ofTime = 's.account_id = ? AND s.kind = ? AND s.span_ms = ? AND s.start_ms >= ? AND s.start_ms < ?';

interface SetRow {
  readonly id: string;
  readonly start_ms: unknown;
  readonly [sum: string]: unknown;
}

/** What the ledger says was used in each hour of a time that has any, by the beginning of the hour. */
export async function readHourTotals(
  reader: EntityManager,
  { accountId, fromMs, toMs }: Span,
): Promise<ReadonlyMap<number, UsageSums>> {
  const query = reader
    .createQueryBuilder()
    .from('usage_hour', 'u')
    .select('u.hour_ms', 'hourMs')
    .where('u.account_id = :accountId AND u.hour_ms >= :fromMs AND u.hour_ms < :toMs', { accountId, fromMs, toMs })
    .groupBy('u.hour_ms');
  for (const [name, column] of Object.entries(sumColumns)) query.addSelect(`SUM(u.${column})`, name);
  const rows = await query.getRawMany<Record<string, unknown>>();
  // What was counted may have been taken back when a receipt was replaced.
  return new Map(
    rows.map((row) => [Number(row.hourMs), toUsageSums(row)] as const).filter(([, { calls }]) => calls > 0),
  );
}

/** The sets of one kind and length that begin in a time, by when they begin. */
export async function readSetTotals(
  reader: EntityManager,
  { accountId, kind, spanMs, fromMs, toMs }: Span & Pick<UsageSetName, 'kind' | 'spanMs'>,
): Promise<ReadonlyMap<number, SetTotals>> {
  // Of hundreds, to make entities takes several times as long as to read them.
  const rows: readonly SetRow[] = await reader.query(
    `SELECT s.id, s.start_ms, ${totalsOfSet} FROM usage_set s WHERE ${ofTime}`,
    [accountId, kind, spanMs, fromMs, toMs],
  );
  const sets = rows.map(({ id, start_ms, ...sums }) => ({ id, startMs: Number(start_ms), sums: toUsageSums(sums) }));
  return new Map(sets.map((set) => [set.startMs, set]));
}

export interface SetSumsWanted extends ReceiptsWanted {
  readonly kind: UsageSetKind;
  /** The length of the sets. */
  readonly spanMs: number;
  /** When the stretches begin that rows are told apart by, oldest first; `hourMs` is one of them. No set is in two of them. */
  readonly starts: readonly number[];
}

export interface SetSums {
  /** As `sumReceipts` would answer them. */
  readonly rows: readonly PartRow[];
  /** When sets begin whose parts do not come to what they do, however they are kept: of these the receipts alone tell. */
  readonly wrongStartsMs: readonly number[];
}

/**
 * Sums the parts of sets that begin in a time. One whose packs are missing or wrong is read from the rows of its parts.
 * @param memory Of who asks again for the same sets; left out: nothing is kept.
 */
export async function sumSets(reader: EntityManager, wanted: SetSumsWanted, memory?: PackMemory): Promise<SetSums> {
  const summer = new PackSummer(wanted, memory);
  const wrongStartsMs: number[] = [];
  let packs = 0;
  for (const set of await readUnknownPacks(reader, wanted, memory)) {
    const hourMs = wanted.starts[placeOf(wanted.starts, set.startMs)] as number;
    if (!summer.addSet(set, hourMs)) {
      const packsOfRows = packParts(await readParts(reader, { ...set, kind: wanted.kind }), columnsOfKind[wanted.kind]);
      if (!summer.addSet({ ...set, packs: packsOfRows }, hourMs)) wrongStartsMs.push(set.startMs);
    }
    packs += set.packs.length;
    if (packs >= packsPerTurn) {
      packs = 0;
      await nextTurn();
    }
  }
  return { rows: summer.list(), wrongStartsMs };
}

interface SetInTime extends PackedSet {
  readonly startMs: number;
}

/** The sets of a time. Those whose packs are kept may come without their texts, which are most of what there is to read. */
async function readUnknownPacks(reader: EntityManager, wanted: SetSumsWanted, memory?: PackMemory) {
  if (memory === undefined) return readPacks(reader, wanted);
  const { accountId, kind, spanMs, fromMs, toMs } = wanted;
  const name = `sets ${accountId} ${kind} ${spanMs} ${fromMs} ${toMs}`;
  const totals = await memory.once(name, () => readSetTotals(reader, wanted));
  const sets = [...totals.values()].map((set): SetInTime => ({ ...set, packs: [] }));
  const unknown = sets.filter((set) => memory.packs.find(set) === null).map(({ startMs }) => startMs);
  if (unknown.length === 0) return sets;
  const read = await readPacks(reader, { ...wanted, fromMs: Math.min(...unknown), toMs: Math.max(...unknown) + 1 });
  return [...new Map([...sets, ...read].map((set) => [set.startMs, set])).values()];
}

async function readPacks(reader: EntityManager, wanted: SetSumsWanted): Promise<readonly SetInTime[]> {
  const { accountId, kind, spanMs, fromMs, toMs } = wanted;
  // In one statement, so that a set that is summed again meanwhile is read whole, before or after.
  const rows: readonly (SetRow & { readonly parts: string | null })[] = await reader.query(
    `SELECT s.id, s.start_ms, ${totalsOfSet}, p.parts
     FROM usage_set s LEFT JOIN usage_pack p ON p.set_id = s.id WHERE ${ofTime}`,
    [accountId, kind, spanMs, fromMs, toMs],
  );
  const sets = new Map<number, SetInTime & { readonly packs: string[] }>();
  for (const { id, start_ms, parts, ...sums } of rows) {
    const startMs = Number(start_ms);
    const set = sets.get(startMs) ?? { id, startMs, sums: toUsageSums(sums), packs: [] };
    sets.set(startMs, set);
    if (parts !== null) set.packs.push(String(parts));
  }
  return [...sets.values()];
}

/** The rows of a set's parts, as `packParts` takes them; they never change under its id. Of a kind that has no rows there are none. */
export function readParts(
  reader: EntityManager,
  { id, kind }: Pick<UsageSetEntity, 'id' | 'kind'>,
): Promise<readonly PartRow[]> {
  const sums = Object.entries(partSums).map(([name, column]) => `${column} AS ${name}`);
  const columns = columnsOfKind[kind].map((column) => `${nameOfColumn(column, kind)} AS ${column}`);
  const sql = `SELECT ${[...columns, ...sums].join(', ')} FROM usage_part WHERE set_id = ? ORDER BY number`;
  return hasRows(kind) ? reader.query(sql, [id]) : Promise.resolve([]);
}

/** Whether the parts of such sets are written as rows, too, for the release before; it knows no other kinds. */
export function hasRows(kind: UsageSetKind): boolean {
  return kind !== 'both';
}

function nameOfColumn(column: string, kind: UsageSetKind): string {
  return column === kind ? 'mark' : column;
}

/**
 * Replaces a set by these parts, in the transaction that is given; of no parts nothing is left. The parts are written packed and, where
 * `hasRows` says so, as rows for the release before.
 * @param parts Rows as `sumReceipts` answers them, divided by all columns of the kind.
 */
export async function replaceSet(
  transaction: EntityManager,
  name: UsageSetName,
  parts: readonly PartRow[],
): Promise<void> {
  await removeSets(transaction, [name]);
  if (parts.length === 0) return;
  const id = createId('usageSet');
  const { toldCalls: _, cachedTokens: _1, reasoningTokens: _2, ...totals } = sumUp(parts.map(toUsageSums));
  await transaction.insert(UsageSetEntity, { ...name, id, ...totals });
  await insertPacks(transaction, id, packParts(parts, columnsOfKind[name.kind]));
  if (!hasRows(name.kind)) return;
  const columns = [
    ...columnsOfKind[name.kind].map((column) => nameOfColumn(column, name.kind)),
    ...Object.values(partSums),
  ];
  for (let start = 0; start < parts.length; start += rowsPerInsert) {
    const rows = parts.slice(start, start + rowsPerInsert);
    const places = rows.map(() => `(?, ?, ${columns.map(() => '?').join(', ')})`);
    await transaction.query(
      `INSERT INTO usage_part (set_id, number, ${columns.join(', ')}) VALUES ${places.join(', ')}`,
      rows.flatMap((row, at) => [
        ...[id, start + at],
        ...columnsOfKind[name.kind].map((column) => String(row[column])),
        ...(Object.keys(partSums) as (keyof typeof partSums)[]).map((sum) => toUsageSums(row)[sum]),
      ]),
    );
  }
}

/** Has whoever writes sets meanwhile wait for this transaction. It comes first: on SQLite one that has read before may not write once another one was committed. */
export async function holdSets(transaction: EntityManager): Promise<void> {
  await transaction.query("UPDATE usage_mark SET until_ms = until_ms WHERE name = 'sets'");
}

/** Removes sets and their parts, those that are there, in the transaction that is given. */
export async function removeSets(transaction: EntityManager, names: readonly UsageSetName[]): Promise<void> {
  await holdSets(transaction);
  for (const { accountId, kind, spanMs, startMs } of names) {
    const set = await transaction.findOneBy(UsageSetEntity, { accountId, kind, spanMs, startMs });
    if (set === null) continue;
    await transaction.delete(UsageSetEntity, { accountId, kind, spanMs, startMs });
    await transaction.delete(UsagePartEntity, { setId: set.id });
    await transaction.delete(UsagePackEntity, { setId: set.id });
  }
}

/** Writes the packs of a set, which has none yet. */
export async function insertPacks(transaction: EntityManager, setId: string, packs: readonly string[]): Promise<void> {
  for (const [number, parts] of packs.entries()) await transaction.insert(UsagePackEntity, { setId, number, parts });
}
