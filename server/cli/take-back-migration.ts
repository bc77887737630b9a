import { type DataSource, type Migration, MigrationExecutor } from 'typeorm';
import { lockSqliteFile } from '../database/claim-sqlite-file.js';
import type { TollgateDataSource } from '../database/data-source.js';
import type { DatabaseAddress } from '../database/database-address.js';
import { PlainFailure } from '../kernel/settings/plain-failure.js';
import { countLivingInstances } from '../keys/changes/key-change-log.js';

/** A server on MySQL that has given no sign of life for this long has ended. */
const serverSilentMs = 30_000;
const tablesNamedMax = 5;

/** What migrations themselves put rows into. A wallet in the ledger never comes without its account. */
const filledByMigrations: ReadonlySet<string> = new Set([
  ...['migrations', 'migration_step', 'sqlite_sequence', 'ledger_account', 'key_change_count'],
]);

/**
 * Takes the newest migration back, with what it made and all that is in it.
 * @param named The migration that is meant, such as `0068-receipt-retention`; null: whichever it is, in a database that nobody has used.
 * @returns the name of what was taken back; null: there was nothing.
 * @throws PlainFailure, with nothing changed, while a server works on the database, where the newest is another one, and where the database
 *   has rows and no migration was named.
 */
export async function takeBackMigration(
  source: TollgateDataSource,
  address: DatabaseAddress,
  named: string | null,
): Promise<string | null> {
  // No server starts until it is done: on MySQL a migration that is half taken back keeps them out.
  const lock = address.kind === 'sqlite' ? lockSqliteFile(address.file) : null;
  try {
    const tables = await listTables(source);
    if (address.kind === 'mysql' && tables.includes('running_instance')) await refuseBesideServers(source);
    const newest = await findNewest(source);
    if (newest === null) return null;
    const name = toFileWords(newest.name);
    if (named === null) await refuseToLoseRows(source, tables, name);
    else if (![name, newest.name].includes(named.replace(/^\d{4}-/, '')))
      throw new PlainFailure(`Nothing was changed: the newest migration of this database is ${name}.`);
    await source.undoLastMigration({ transaction: 'each' });
    return name;
  } finally {
    lock?.release('keep');
  }
}

async function refuseBesideServers(source: DataSource): Promise<void> {
  const count = await countLivingInstances(source.manager, serverSilentMs);
  if (count === 0) return;
  const words = `Nothing was changed: ${count} server${count === 1 ? '' : 's'} of this database gave a sign of life in the last ${serverSilentMs / 1_000} seconds, and would lose tables beneath the calls. Stop them first.`;
  throw new PlainFailure(words);
}

async function refuseToLoseRows(source: DataSource, tables: readonly string[], name: string): Promise<void> {
  const used: string[] = [];
  for (const table of tables) {
    if (filledByMigrations.has(table)) continue;
    const rows = await source.query(`SELECT 1 FROM ${source.driver.escape(table)} LIMIT 1`);
    if (rows.length > 0) used.push(table);
  }
  if (used.length === 0) return;
  const more = used.length > tablesNamedMax ? ` and ${used.length - tablesNamedMax} more` : '';
  const words = `Nothing was changed: this database is in use (there are rows in ${used.slice(0, tablesNamedMax).join(', ')}${more}), and what ${name} made would be dropped with all that is in it. Take a backup; if you mean it, name it: npm run migration:revert -- ${name}`;
  throw new PlainFailure(words);
}

async function listTables(source: DataSource): Promise<string[]> {
  const sql =
    source.options.type === 'mysql'
      ? "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'"
      : "SELECT name FROM sqlite_master WHERE type = 'table'";
  const rows: { name: string }[] = await source.query(sql);
  return rows.map(({ name }) => name).sort();
}

/** The one that `undoLastMigration` takes: on MySQL by its date, on SQLite by when it was run. */
async function findNewest(source: DataSource): Promise<Migration | null> {
  const done = await new MigrationExecutor(source).getExecutedMigrations();
  const rank = ({ id = 0, timestamp }: Migration) => (source.options.type === 'mysql' ? timestamp : id);
  return done.sort((a, b) => rank(b) - rank(a))[0] ?? null;
}

/** As its file is called, without the number: `ReceiptRetention1800921600000` is `receipt-retention`. */
function toFileWords(name: string): string {
  return name
    .replace(/\d+$/, '')
    .replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase();
}
