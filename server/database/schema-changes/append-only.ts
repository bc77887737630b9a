import type { DataSource, QueryRunner } from 'typeorm';
import { isSqliteRunner } from './create-table.js';

/**
 * The tables whose rows are written once. Add the name here before a migration calls `makeAppendOnly` with it: on MySQL the
 * triggers are made from this list.
 */
const appendOnlyTables = ['ledger_transfer'] as const;
export type AppendOnlyTable = (typeof appendOnlyTables)[number];

interface Trigger {
  readonly name: string;
  readonly table: AppendOnlyTable;
  readonly head: string;
}

/** 1419: binary log without the right to make triggers; 1142, 1227, 1044, 1370: a right that the user does not have. */
const refusals = new Set([1419, 1142, 1227, 1044, 1370]);

/**
 * Makes the database itself refuse to change or delete a row of this table, whoever asks. On MySQL the triggers are not
 * made by the migration but by `standGuard` after all of them, since many servers do not let an ordinary user make any.
 */
export async function makeAppendOnly(queryRunner: QueryRunner, table: AppendOnlyTable): Promise<void> {
  if (!isSqliteRunner(queryRunner)) return;
  for (const { head } of triggersOf(table)) await queryRunner.query(`${head} ${refusalOf(table, { isSqlite: true })}`);
}

/**
 * For a migration that must change rows of an append-only table: runs `change` while the triggers are away. On SQLite they
 * are back before the transaction ends; on MySQL `standGuard` brings them back once the migrations are done, also when
 * this one was interrupted.
 */
export async function changeAppendOnlyRows(
  queryRunner: QueryRunner,
  table: AppendOnlyTable,
  change: () => Promise<void>,
): Promise<void> {
  for (const { name } of triggersOf(table)) await queryRunner.query(`DROP TRIGGER IF EXISTS ${name}`);
  await change();
  await makeAppendOnly(queryRunner, table);
}

/** The names of the triggers that should stand in this database and do not. Tables that are not there yet need none. */
export async function findMissingTriggers(source: DataSource | QueryRunner): Promise<string[]> {
  const isSqlite = ('options' in source ? source : source.connection).options.type === 'better-sqlite3';
  const rows: { kind: string; name: string }[] = await source.query(
    isSqlite
      ? "SELECT type AS kind, name AS name FROM sqlite_master WHERE type IN ('table', 'trigger')"
      : "SELECT 'table' AS kind, table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() UNION ALL SELECT 'trigger', trigger_name FROM information_schema.triggers WHERE trigger_schema = DATABASE()",
  );
  const isThere = (kind: string, name: string) => rows.some((row) => row.kind === kind && row.name === name);
  return appendOnlyTables
    .filter((table) => isThere('table', table))
    .flatMap((table) => triggersOf(table))
    .filter(({ name }) => !isThere('trigger', name))
    .map(({ name }) => name);
}

/**
 * Makes the triggers that are missing.
 * @returns the server's own words when it refuses this user; null when all of them stand.
 */
export async function standGuard(runner: QueryRunner): Promise<string | null> {
  const missing = new Set(await findMissingTriggers(runner));
  for (const { name, table, head } of appendOnlyTables.flatMap((table) => triggersOf(table))) {
    if (!missing.has(name)) continue;
    try {
      await runner.query(`${head} ${refusalOf(table, { isSqlite: isSqliteRunner(runner) })}`);
    } catch (error) {
      const { errno, message } = error as { errno?: unknown; message: string };
      if (!refusals.has(Number(errno))) throw error;
      return message;
    }
  }
  return null;
}

/** What an operator is told when the server refuses the triggers. */
export function explainMissingGuard(words: string): string {
  return `The server does not let this user make the triggers that keep ${appendOnlyTables.join(', ')} append-only (${words}). Nothing but those triggers is missing: Tollgate itself never changes such a row, and the auditor finds whoever does. To have them, set log_bin_trust_function_creators=1 and grant TRIGGER, then start again.`;
}

/** One line for whoever verifies the books: whether the database itself keeps the journal append-only. */
export function describeGuard(missing: readonly string[]): string {
  return missing.length === 0
    ? `The database itself refuses to change or delete a row of ${appendOnlyTables.join(', ')}.`
    : `The database does not refuse to change or delete rows of ${appendOnlyTables.join(', ')}, or this user may not see that it does: ${missing.join(', ')} missing. docs/operations/databases.md says what to do.`;
}

function triggersOf(table: AppendOnlyTable): Trigger[] {
  return ['UPDATE', 'DELETE'].map((verb) => {
    const name = `${table}_refuses_${verb.toLowerCase()}`;
    return { name, table, head: `CREATE TRIGGER ${name} BEFORE ${verb} ON ${table} FOR EACH ROW` };
  });
}

function refusalOf(table: AppendOnlyTable, { isSqlite }: { readonly isSqlite: boolean }): string {
  const words = `${table} is append-only`;
  return isSqlite
    ? `BEGIN SELECT RAISE(ABORT, '${words}'); END`
    : `SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '${words}'`;
}
