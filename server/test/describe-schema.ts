import type { DataSource } from 'typeorm';

/**
 * All that migrations make, as text that can be compared: each table and trigger in the database's own words, our
 * accounts, the migrations that are noted. The notes of single steps are left out.
 */
export async function describeSchema(source: DataSource): Promise<Readonly<Record<string, string>>> {
  const isSqlite = source.options.type === 'better-sqlite3';
  const objects = isSqlite ? await describeSqlite(source) : await describeMysql(source);
  const rows = {
    'rows of ledger_account': await source.query('SELECT * FROM ledger_account ORDER BY id'),
    'rows of migrations': await source.query('SELECT name FROM migrations ORDER BY name'),
  };
  return {
    ...objects,
    ...Object.fromEntries(Object.entries(rows).map(([name, found]) => [name, JSON.stringify(found)])),
  };
}

async function describeSqlite(source: DataSource): Promise<Record<string, string>> {
  const rows: { type: string; name: string; sql: string }[] = await source.query(
    'SELECT type, name, sql FROM sqlite_master ORDER BY type, name',
  );
  return Object.fromEntries(rows.map(({ type, name, sql }) => [`${type} ${name}`, sql]));
}

async function describeMysql(source: DataSource): Promise<Record<string, string>> {
  const tables: { name: string }[] = await source.query(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name',
  );
  const described: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await source.query(`SHOW CREATE TABLE ${name}`);
    described[`table ${name}`] = String(row['Create Table']).replace(/ AUTO_INCREMENT=\d+/, '');
  }
  const triggers: Record<string, string>[] = await source.query('SHOW TRIGGERS');
  for (const { Trigger, Event, Table, Statement } of triggers) {
    described[`trigger ${Trigger}`] = `${Event} ON ${Table}: ${Statement}`;
  }
  return described;
}
