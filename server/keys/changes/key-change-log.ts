import type { EntityManager } from 'typeorm';
import type { ChangedKey } from './current-keys.js';

const nowMs = 'CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000 AS UNSIGNED)';
/** What the instances on one database have told each other: it means nothing on another one. */
export const tablesOfInstances = ['key_change_count', 'key_change', 'running_instance'] as const;
/** Read at once; whoever has missed more forgets everything instead. */
const changesAtOnceMax = 1_000;

/** One look at who runs, and at how many changes there were. */
export interface ChangeStanding {
  /** Of the latest change. */
  readonly number: number;
  /** Whether every instance on this database notes its changes. */
  readonly isComplete: boolean;
  readonly instances: readonly InstanceStanding[];
}

export interface InstanceStanding {
  readonly id: string;
  readonly beats: number;
  readonly changeRead: number;
}

/**
 * Notes a change, as the last statement of the transaction that makes it: changes of all accounts wait for each other from
 * here to the commit, so that a number is seen only when all before it are.
 * @returns its number.
 */
export async function noteChange(transaction: EntityManager, { accountId, keyId }: ChangedKey): Promise<number> {
  const raise = 'UPDATE key_change_count SET number = LAST_INSERT_ID(number + 1) WHERE id = 1';
  let raised = await transaction.query(raise);
  if (raised.affectedRows === 0) {
    await makeCount(transaction);
    raised = await transaction.query(raise);
  }
  const number = Number(raised.insertId);
  const row = [number, accountId, keyId];
  await transaction.query(`INSERT INTO key_change (number, account_id, key_id, at_ms) VALUES (?, ?, ?, ${nowMs})`, row);
  return number;
}

/**
 * Makes the row of numbers where there is none yet. On a database without any account no instance of a release that notes
 * nothing can be running; on any other one an operator says when the last of them is gone.
 */
export async function makeCount(manager: EntityManager): Promise<void> {
  await manager.query(
    'INSERT IGNORE INTO key_change_count (id, number, is_complete) SELECT 1, 0, NOT EXISTS (SELECT 1 FROM account)',
  );
}

/** Says whether every instance that runs on this database notes its changes. */
export async function setComplete(manager: EntityManager, isComplete: boolean): Promise<void> {
  await makeCount(manager);
  await manager.query('UPDATE key_change_count SET is_complete = ? WHERE id = 1', [isComplete ? 1 : 0]);
}

/** Registers an instance that has read no change yet. */
export async function registerInstance(manager: EntityManager, id: string): Promise<void> {
  // It may be there: the answer of an earlier attempt was lost.
  const sql = `INSERT INTO running_instance (id, beats, change_read, seen_at_ms) VALUES (?, 0, 0, ${nowMs}) ON DUPLICATE KEY UPDATE beats = beats + 1, change_read = 0`;
  await manager.query(sql, [id]);
}

/** An instance's sign of life, committed by itself. @returns false: the instance is not registered any more. */
export async function writeBeat(manager: EntityManager, id: string, changeRead: number): Promise<boolean> {
  const sql = `UPDATE running_instance SET beats = beats + 1, change_read = ?, seen_at_ms = ${nowMs} WHERE id = ?`;
  const { affectedRows } = await manager.query(sql, [changeRead, id]);
  return affectedRows === 1;
}

/** Removes an instance. @param beats Only if it has given no sign of life since; null: in any case. */
export async function removeInstance(manager: EntityManager, id: string, beats: number | null): Promise<void> {
  await manager.query('DELETE FROM running_instance WHERE id = ? AND beats = COALESCE(?, beats)', [id, beats]);
}

/** How many instances gave a sign of life in the last `withinMs` milliseconds, by the database's clock. */
export async function countLivingInstances(manager: EntityManager, withinMs: number): Promise<number> {
  const sql = `SELECT COUNT(*) AS living FROM running_instance WHERE seen_at_ms > ${nowMs} - ?`;
  const [row] = await manager.query(sql, [withinMs]);
  return Number(row.living);
}

/** Looks at everything at one moment. */
export async function readStanding(manager: EntityManager): Promise<ChangeStanding> {
  const rows: StandingRow[] = await manager.query(
    'SELECT c.number, c.is_complete, i.id, i.beats, i.change_read FROM key_change_count c LEFT JOIN running_instance i ON TRUE WHERE c.id = 1',
  );
  const [first] = rows;
  return {
    number: Number(first?.number ?? 0),
    isComplete: Number(first?.is_complete ?? 0) === 1,
    instances: rows.flatMap(({ id, beats, change_read }) =>
      id === null ? [] : [{ id, beats: Number(beats), changeRead: Number(change_read) }],
    ),
  };
}

/** The changes behind `after` up to `upTo`; null: not all of them are there to be read. */
export async function findChanges(
  manager: EntityManager,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<readonly ChangedKey[] | null> {
  // Numbers that go back: the database has lost what was committed.
  if (upTo < after || upTo - after > changesAtOnceMax) return null;
  const rows: { account_id: string; key_id: string | null }[] = await manager.query(
    'SELECT account_id, key_id FROM key_change WHERE number > ? AND number <= ? ORDER BY number',
    [after, upTo],
  );
  if (rows.length !== upTo - after) return null;
  return rows.map(({ account_id, key_id }) => ({ accountId: account_id, keyId: key_id }));
}

/** Removes changes that every instance has taken over, a bounded number of them. */
export async function removeChanges(manager: EntityManager, upTo: number): Promise<void> {
  await manager.query(`DELETE FROM key_change WHERE number <= ? LIMIT ${changesAtOnceMax}`, [upTo]);
}

interface StandingRow {
  readonly number: string;
  readonly is_complete: number | string;
  readonly id: string | null;
  readonly beats: string | null;
  readonly change_read: string | null;
}
