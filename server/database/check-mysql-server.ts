import type { DataSource } from 'typeorm';

/** What a MySQL server is set to that endangers money. */
export interface MysqlServerFaults {
  /** With these the server is not used at all. */
  readonly refusals: readonly string[];
  /** With these a crash of its machine may lose commits that were acknowledged. */
  readonly warnings: readonly string[];
}

type Variables = ReadonlyMap<string, string>;

/**
 * Looks at the settings that the ledger's promises rest on: those of our own sessions, which must have been pinned, and those
 * of the server, which only its operator can change.
 */
export async function findMysqlServerFaults(source: DataSource): Promise<MysqlServerFaults> {
  const { refusals, warnings } = judgeMysqlVariables(await readVariables(source));
  return { refusals: [...refusals, ...(await findForeignEngines(source))], warnings };
}

/** What these variables of a session and its server endanger. */
export function judgeMysqlVariables(variables: Variables): MysqlServerFaults {
  const is = (name: string, ...values: string[]) => values.includes((variables.get(name) ?? '').toUpperCase());
  const refusals = [
    ...(is('wsrep_on', 'ON', '1') ? ['Galera (wsrep_on) can lose committed writes; use a plain primary.'] : []),
    ...(variables.get('sql_mode')?.includes('STRICT_ALL_TABLES') ? [] : ['sql_mode is not strict in our sessions.']),
    ...(is('time_zone', '+00:00') ? [] : ['time_zone is not UTC in our sessions.']),
  ];
  const warnings = [
    ...(is('innodb_flush_log_at_trx_commit', '1') ? [] : ['innodb_flush_log_at_trx_commit is not 1.']),
    ...(is('log_bin', 'ON', '1') && !is('sync_binlog', '1') ? ['The binary log is on, and sync_binlog is not 1.'] : []),
  ];
  return { refusals, warnings };
}

async function readVariables(source: DataSource): Promise<Variables> {
  const names = ['wsrep_on', 'sql_mode', 'time_zone', 'innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog'];
  const list = names.map((name) => `'${name}'`).join(', ');
  const rows: { Variable_name: string; Value: string }[] = await source.query(
    `SHOW SESSION VARIABLES WHERE Variable_name IN (${list})`,
  );
  return new Map(rows.map((row) => [row.Variable_name.toLowerCase(), row.Value]));
}

// A table without transactions would keep half of what is rolled back.
async function findForeignEngines(source: DataSource): Promise<string[]> {
  const rows: { name: string; engine: string }[] = await source.query(
    "SELECT table_name AS name, engine AS engine FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' AND engine <> 'InnoDB'",
  );
  return rows.map(({ name, engine }) => `Table ${name} is ${engine}, not InnoDB.`);
}
