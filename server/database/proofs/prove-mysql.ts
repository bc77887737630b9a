import { randomBytes } from 'node:crypto';
import type { DataSource, QueryRunner } from 'typeorm';
import { isConstraintRefusal, isRowLocked, isUniqueViolation } from '../database-errors.js';
import { UnfitServerError } from './check-mysql-server.js';

/** Rows that a killed proof has left are cleared away after this time by the next one. */
const leftRowsMs = 3_600_000;
const proofPrefix = 'start_proof_';

const insertRow = "INSERT INTO request_minute (account_id, moments) VALUES (?, '')";
const findRow = 'SELECT account_id FROM request_minute WHERE account_id = ?';
const lockRow = `${findRow} FOR UPDATE NOWAIT`;
const deleteRows = 'DELETE FROM request_minute WHERE account_id IN (?, ?)';
// Spends what is not there: `ck_ledger_account_overspend`.
const overspend =
  "INSERT INTO ledger_account (id, kind, state, credits_posted, debits_posted, debits_pending, debt, seq) VALUES (?, 'wallet', 'open', 0, 1, 0, 0, 0)";

/** Two connections to the server, and the keys of rows that no account has. */
interface Trial {
  readonly one: QueryRunner;
  readonly other: QueryRunner;
  readonly row: string;
  /** Of the constraints alone: a server without ROLLBACK keeps it. */
  readonly twin: string;
}

/**
 * Tries out what the ledger's promises rest on: that a CHECK and a unique key are enforced, that ROLLBACK undoes and an open
 * transaction is seen by nobody, that a commit is seen at once, and that a row which is locked is kept from others. By trying,
 * since an engine that speaks MySQL may call itself anything.
 *
 * Any number of servers may do so at once, beside others that work: the one row that is written for a moment is nobody's, in a
 * table of counters. Needs no more than the grants of every day. Each statement is bounded by the connection.
 * @throws UnfitServerError with all that does not hold, or the driver's error.
 */
export async function proveMysqlServer(source: DataSource, nowMs: number): Promise<void> {
  const row = `${proofPrefix}${toText(nowMs)}_${randomBytes(6).toString('hex')}`;
  const one = source.createQueryRunner();
  const other = source.createQueryRunner();
  const trial = { one, other, row, twin: `${row}_2` };
  try {
    await one.query('DELETE FROM request_minute WHERE account_id > ? AND account_id < ?', [
      proofPrefix,
      `${proofPrefix}${toText(nowMs - leftRowsMs)}`,
    ]);
    const broken = [...(await tryConstraints(trial)), ...(await tryRollback(trial)), ...(await tryLocks(trial))];
    if (broken.length > 0) throw new UnfitServerError([...broken, remedy]);
  } finally {
    await endTrial(trial);
  }
}

const remedy = 'Use a MySQL or MariaDB server with InnoDB; docs/scaling.md lists what it must do.';

async function tryConstraints({ one, twin }: Trial): Promise<string[]> {
  await one.query('START TRANSACTION');
  const isCheckKept = await isRefused(one, overspend, twin, isConstraintRefusal);
  await one.query('ROLLBACK');
  await one.query('START TRANSACTION');
  await one.query(insertRow, [twin]);
  const isKeyKept = await isRefused(one, insertRow, twin, isUniqueViolation);
  await one.query('ROLLBACK');
  return [
    ...(isCheckKept ? [] : ['It took a row that a CHECK constraint forbids (ck_ledger_account_overspend).']),
    ...(isKeyKept ? [] : ['It took a second row with the same primary key (request_minute).']),
  ];
}

async function tryRollback({ one, other, row, twin }: Trial): Promise<string[]> {
  await one.query('START TRANSACTION');
  await one.query(insertRow, [row]);
  const isSeenEarly = await isFound(other, row);
  const isKept = await isRefused(other, lockRow, row, isRowLocked);
  await one.query('ROLLBACK');
  const isUndone = !(await isFound(one, row));
  await one.query(deleteRows, [row, twin]);
  return [
    ...(isSeenEarly ? ['It shows rows that are not committed.'] : []),
    ...(isKept ? [] : ['It does not keep a row that a transaction has written from others.']),
    ...(isUndone ? [] : ['ROLLBACK does not undo.']),
  ];
}

async function tryLocks({ one, other, row }: Trial): Promise<string[]> {
  await other.query('START TRANSACTION');
  await isFound(other, row);
  await one.query(insertRow, [row]);
  // MariaDB from 11.6 on would refuse to lock what it does not show.
  if (!(await isFound(other, row)))
    return ['A transaction does not see what others have committed: the isolation is not READ COMMITTED.'];
  await other.query(`${findRow} FOR UPDATE`, [row]);
  const isKept = await isRefused(one, lockRow, row, isRowLocked);
  await other.query('COMMIT');
  return isKept ? [] : ['SELECT … FOR UPDATE does not lock the row.'];
}

async function isRefused(
  runner: QueryRunner,
  sql: string,
  row: string,
  isExpected: (error: unknown) => boolean,
): Promise<boolean> {
  try {
    await runner.query(sql, [row]);
    return false;
  } catch (error) {
    if (isExpected(error)) return true;
    throw error;
  }
}

async function isFound(runner: QueryRunner, row: string): Promise<boolean> {
  return ((await runner.query(findRow, [row])) as unknown[]).length > 0;
}

// Whatever went wrong before is what counts.
async function endTrial({ one, other, row, twin }: Trial): Promise<void> {
  for (const runner of [one, other]) await runner.query('ROLLBACK').catch(() => undefined);
  await one.query(deleteRows, [row, twin]).catch(() => undefined);
  for (const runner of [one, other]) await runner.release();
}

// Of one length, so that the texts sort as the times do.
function toText(ms: number): string {
  return Math.max(0, ms).toString(36).padStart(9, '0');
}
