import { setImmediate as nextTurn } from 'node:timers/promises';
import { And, type EntityManager, LessThan, MoreThanOrEqual } from 'typeorm';
import { createId } from '../../kernel/ids.js';
import type { ReceiptsWanted } from '../reports/receipt-sums.js';
import { PackSummer, type PartRow, packParts } from './packed-parts.js';
import { UsagePackEntity } from './usage-pack.entity.js';
import { UsagePartEntity } from './usage-part.entity.js';
import { UsageSetEntity, type UsageSetKind } from './usage-set.entity.js';
import {
  areSame,
  type LedgerSums,
  ledgerColumns,
  partColumns,
  sumColumns,
  sumLedgerSums,
  sumUp,
  toUsageSums,
  type UsageSums,
} from './usage-sums.js';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Which set: of which account, by what it is divided, and the hour or day. */
export type UsageSetName = Pick<UsageSetEntity, 'accountId' | 'kind' | 'spanMs' | 'startMs'>;

/** What a set comes to altogether. */
export type SetTotals = LedgerSums & UsageSetName;

/** All that a set is divided by, as columns of receipts. */
export const columnsOfKind: Readonly<Record<UsageSetKind, readonly string[]>> = {
  tag: ['key_id', 'model', 'provider', 'tag', 'outcome'],
  end_user: ['key_id', 'model', 'provider', 'end_user', 'outcome'],
};

type Span = Pick<ReceiptsWanted, 'accountId' | 'fromMs' | 'toMs'>;

const rowsPerInsert = 250;
/** A pack of 60,000 bytes takes about half a millisecond. */
const packsPerTurn = 10;
/** The sums of a part. Of how many calls tokens are told, is not kept: of all, or the two columns are null. */
const partSums = { ...ledgerColumns, ...partColumns };
const totalsOfSet = Object.entries(ledgerColumns)
  .map(([name, column]) => `s.${column} AS ${name}`)
  .join(', ');

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

/** The sets of one kind that begin in a time, by length and beginning: `3600000 1767225600000`. */
export async function readSetTotals(
  reader: EntityManager,
  { accountId, kind, fromMs, toMs }: Span & { readonly kind: UsageSetKind },
): Promise<ReadonlyMap<string, SetTotals>> {
  const startMs = And(MoreThanOrEqual(fromMs), LessThan(toMs));
  const where = [dayMs, hourMs].map((spanMs) => ({ accountId, kind, spanMs, startMs }));
  const sets = await reader.find(UsageSetEntity, { where });
  return new Map(sets.map((set) => [`${set.spanMs} ${set.startMs}`, set]));
}

export interface SetSumsWanted extends ReceiptsWanted {
  readonly kind: UsageSetKind;
  /** The length of the sets. */
  readonly spanMs: number;
  /** Whether all sets are summed as one; `hourMs` is then when the time begins. */
  readonly isWhole: boolean;
}

/**
 * Sums the parts of sets that begin in a time, as `sumReceipts` would sum the receipts.
 * @returns null where the packs of a set do not come to what it does: then the receipts alone tell.
 */
export async function sumSets(reader: EntityManager, wanted: SetSumsWanted): Promise<readonly PartRow[] | null> {
  const rows = await sumPacks(reader, wanted);
  return rows === 'not packed' ? sumParts(reader, wanted) : rows;
}

async function sumPacks(
  reader: EntityManager,
  wanted: SetSumsWanted,
): Promise<readonly PartRow[] | null | 'not packed'> {
  const { accountId, kind, spanMs, fromMs, toMs, isWhole } = wanted;
  // In one statement, so that a set that is summed again meanwhile is read whole, before or after.
  const rows: readonly { start_ms: unknown; parts: string | null; [sum: string]: unknown }[] = await reader.query(
    `SELECT s.start_ms, ${totalsOfSet}, p.parts FROM usage_set s LEFT JOIN usage_pack p ON p.set_id = s.id
     WHERE s.account_id = ? AND s.kind = ? AND s.span_ms = ? AND s.start_ms >= ? AND s.start_ms < ?`,
    [accountId, kind, spanMs, fromMs, toMs],
  );
  if (rows.some(({ parts }) => parts === null)) return 'not packed';
  const summer = new PackSummer(wanted);
  const found = new Map<unknown, { readonly set: LedgerSums; readonly packs: LedgerSums[] }>();
  for (const [at, { start_ms, parts, ...set }] of rows.entries()) {
    const ofSet = found.get(start_ms) ?? { set: toUsageSums(set), packs: [] };
    found.set(start_ms, ofSet);
    try {
      ofSet.packs.push(summer.add(String(parts), isWhole ? fromMs : Number(start_ms)));
    } catch {
      return null;
    }
    if (at % packsPerTurn === packsPerTurn - 1) await nextTurn();
  }
  return [...found.values()].every(({ set, packs }) => areSame(set, sumLedgerSums(packs))) ? summer.list() : null;
}

/** The same from the rows of the parts, for sets of a release that did not pack them. */
async function sumParts(reader: EntityManager, wanted: SetSumsWanted): Promise<readonly PartRow[]> {
  const { accountId, kind, spanMs, fromMs, toMs, columns, filter } = wanted;
  const startMs = wanted.isWhole ? ':fromMs' : 's.start_ms';
  // In one statement, so that a set that is summed again meanwhile is read whole, before or after.
  const query = reader
    .createQueryBuilder()
    .from(UsageSetEntity, 's')
    .innerJoin(UsagePartEntity, 'p', 'p.set_id = s.id')
    .select(startMs, 'hourMs')
    .where('s.account_id = :accountId AND s.kind = :kind AND s.span_ms = :spanMs', { accountId, kind, spanMs })
    .andWhere('s.start_ms >= :fromMs AND s.start_ms < :toMs', { fromMs, toMs });
  if (!wanted.isWhole) query.groupBy('s.start_ms');
  const nameOf = (column: string) => `p.${column === kind ? 'mark' : column}`;
  for (const column of columns) query.addSelect(nameOf(column), column).addGroupBy(nameOf(column));
  for (const [column, values] of Object.entries(filter)) {
    query.andWhere(`${nameOf(column)} IN (:...of_${column})`, { [`of_${column}`]: values });
  }
  for (const [name, column] of Object.entries(partSums)) query.addSelect(`SUM(p.${column})`, name);
  query.addSelect('SUM(CASE WHEN p.cached_tokens IS NULL THEN 0 ELSE p.calls END)', 'toldCalls');
  return query.getRawMany<Record<string, unknown>>();
}

/**
 * Replaces a set by these parts, in the transaction that is given; of no parts nothing is left. The parts are written twice: packed, and as
 * rows for the release before, which knows no others.
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
  const columns = [
    ...columnsOfKind[name.kind].map((column) => (column === name.kind ? 'mark' : column)),
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
