import type { DataSource } from 'typeorm';
import { createId } from '../kernel/ids.js';

/** How far a database has come: it has everything that was committed on the primary before `atMs`. */
export interface ReplicaMark {
  readonly name: string;
  /** By the primary's clock. */
  readonly atMs: number;
}

const nowMs = 'CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000 AS UNSIGNED)';
/** Any number of instances write one row: whoever finds it as young as this leaves it as it is. What lies ahead a clock wrote that was. */
const youngMs = 500;

/** Brings the primary's mark up to date. @returns it, with the moment by the primary's clock. */
export async function writeMark(primary: DataSource): Promise<ReplicaMark & { readonly nowMs: number }> {
  await primary.query(
    `UPDATE replica_mark SET at_ms = ${nowMs} WHERE id = 1 AND at_ms NOT BETWEEN ${nowMs} - ${youngMs} AND ${nowMs}`,
  );
  const found = await readRow(primary);
  if (found !== null) return found;
  await primary.query('INSERT IGNORE INTO replica_mark (id, name, at_ms) VALUES (1, ?, 0)', [createId('instance')]);
  return writeMark(primary);
}

/** null: the replica has none yet. */
export async function readMark(replica: DataSource): Promise<ReplicaMark | null> {
  return readRow(replica);
}

async function readRow(source: DataSource) {
  const rows: { name: string; at_ms: string; now_ms: string }[] = await source.query(
    `SELECT name, at_ms, ${nowMs} AS now_ms FROM replica_mark WHERE id = 1`,
  );
  const [row] = rows;
  return row === undefined ? null : { name: row.name, atMs: Number(row.at_ms), nowMs: Number(row.now_ms) };
}
