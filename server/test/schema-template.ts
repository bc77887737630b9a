import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { createDataSource, openDataSource } from '../database/data-source.js';
import { readMysqlUrl } from '../database/database-address.js';
import { mysqlSessionStatements } from '../database/session-settings.js';
import { Sqlite } from '../database/sqlite-driver.js';
import { entities, migrations } from '../entities.js';
import type { TestDatabase } from './each-database.js';
import { type Query, toInsert } from './insert-statement.js';

const compiledDatabase = join(import.meta.dirname, '../database');
const usualTemplates = join(import.meta.dirname, '../../test-schemas');
const keptMs = 86_400_000;

/**
 * Gives an empty database of a test the schema that the migrations make, by copying what they made once: a file of SQLite, or
 * the statements that MariaDB tells for it. Whoever opens it next finds nothing left to migrate. A database that is not empty
 * stays as it is. Suites about migrations have no use for this.
 *
 * The first test that needs a template makes it, in the folder of the compiled code; it is known by a hash of that code, so
 * that it is never older than the migrations, and on a server by its user, since what one may make another may not. On the server of
 * this run alone, a database that an earlier suite has left takes the place of this one, so read its address afterwards.
 */
export async function giveSchema(database: TestDatabase, templates = usualTemplates): Promise<void> {
  const { address } = database;
  if (address.kind === 'sqlite') {
    if (existsSync(address.file)) return;
    copyFileSync(await findSqliteTemplate(database, templates), address.file);
    return;
  }
  const { user, ...server } = readMysqlUrl(address.url);
  // All statements at once: each of them would otherwise wait for the answer to the one before.
  const connection = await createConnection({ user, ...server, charset: 'utf8mb4_bin', multipleStatements: true });
  try {
    const query: Query = async (sql) => (await connection.query<RowDataPacket[]>(sql))[0];
    // A trigger keeps the settings of the session that made it.
    await query(mysqlSessionStatements.join('; '));
    if ((await query('SHOW TABLES')).length > 0) return;
    if (await database.reuse?.takeSpare(database)) return;
    await giveMysqlSchema(query, database, templates);
  } finally {
    await connection.end();
  }
}

async function giveMysqlSchema(query: Query, database: TestDatabase, templates: string): Promise<void> {
  const [asked] = await query("SELECT CONCAT(VERSION(), ' ', CURRENT_USER()) AS server");
  const file = join(templates, `${hashMigrations(String(asked?.server))}.sql`);
  if (existsSync(file)) {
    await query(readFileSync(file, 'utf8'));
    await database.reuse?.noteSchema(database, query);
    return;
  }
  await migrate(database);
  keep(file, (await listSchemaStatements(query)).join(';\n'));
}

async function findSqliteTemplate(database: TestDatabase, templates: string): Promise<string> {
  const file = join(templates, `${hashMigrations('sqlite')}.db`);
  if (existsSync(file) || database.address.kind !== 'sqlite') return file;
  await migrate(database);
  const migrated = new Sqlite(database.address.file);
  // One file instead of two or three, and nothing that is still to be written.
  migrated.pragma('wal_checkpoint(TRUNCATE)');
  migrated.close();
  keep(file, readFileSync(database.address.file));
  for (const ending of ['', '-wal', '-shm']) rmSync(`${database.address.file}${ending}`, { force: true });
  return file;
}

async function migrate({ address }: TestDatabase): Promise<void> {
  const source = await openDataSource(createDataSource(address, { entities, migrations }));
  await source.destroy();
}

/** Several suites may make the same at once; each puts a whole file in place. Those of yesterday's code go. */
function keep(file: string, content: string | Buffer): void {
  const templates = dirname(file);
  mkdirSync(templates, { recursive: true });
  for (const name of readdirSync(templates)) {
    const other = join(templates, name);
    if (Date.now() - statSync(other).mtimeMs > keptMs) rmSync(other, { force: true });
  }
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, content);
  renameSync(unfinished, file);
}

/** Of each kind of server and user; the code does not change while it is tested. */
const hashes = new Map<string, string>();

function hashMigrations(server: string): string {
  const known = hashes.get(server) ?? hashCode(server);
  hashes.set(server, known);
  return known;
}

function hashCode(server: string): string {
  const hash = createHash('sha256').update(server);
  for (const name of (readdirSync(compiledDatabase, { recursive: true }) as string[]).toSorted()) {
    if (name.endsWith('.js') && !name.endsWith('.test.js')) hash.update(readFileSync(join(compiledDatabase, name)));
  }
  for (const name of ['../entities.js', 'schema-template.js'])
    hash.update(readFileSync(join(import.meta.dirname, name)));
  return hash.digest('hex').slice(0, 32);
}

/** What makes the same schema again on MariaDB or MySQL, with the rows that the migrations wrote. */
async function listSchemaStatements(query: Query): Promise<string[]> {
  const tables: string[] = [];
  const rows: string[] = [];
  for (const listed of await query('SHOW TABLES')) {
    const table = String(Object.values(listed)[0]);
    const [shown] = await query(`SHOW CREATE TABLE \`${table}\``);
    tables.push(String(shown?.['Create Table']));
    for (const row of await query(`SELECT * FROM \`${table}\``)) rows.push(toInsert(table, row));
  }
  const triggers: string[] = [];
  for (const { Trigger: name } of await query('SHOW TRIGGERS')) {
    const [shown] = await query(`SHOW CREATE TRIGGER \`${name}\``);
    triggers.push(String(shown?.['SQL Original Statement']));
  }
  // A table may refer to one that comes later, and triggers are for what is written after the migrations.
  return ['SET foreign_key_checks = 0', ...tables, ...rows, ...triggers, 'SET foreign_key_checks = 1'];
}
