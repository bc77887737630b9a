import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { type Query, toInsert } from './insert-statement.js';

/** What a database has whose schema was just made. */
interface FreshSchema {
  readonly tables: readonly string[];
  /** Tables and triggers in the server's own words. */
  readonly words: string;
  /** The statements that write its rows. */
  readonly inserts: readonly string[];
}

/** As many as a suite seldom has at once. */
const sparesMax = 4;
const lockWaitSeconds = 5;
/** A busy server still knows a connection for a moment that was ended before. */
const leavingMs = 2_000;
const lookEveryMs = 20;
/** By the address of the server, which a process of tests has few of. */
const freshSchemas = new Map<string, Promise<FreshSchema>>();
const spares = new Map<string, string[]>();

/** Remembers what this server says of a database whose schema was just made. @param query Asks that database. */
export async function rememberFresh(serverUrl: string, query: Query): Promise<void> {
  if (!freshSchemas.has(serverUrl)) freshSchemas.set(serverUrl, readFresh(query));
  await freshSchemas.get(serverUrl);
}

/** Keeps a database whose suite has ended. @returns whether it does; else it is to be dropped. */
export function keepSpare(serverUrl: string, name: string): boolean {
  const kept = spares.get(serverUrl) ?? [];
  if (kept.length === 0) spares.set(serverUrl, kept);
  if (kept.length >= sparesMax) return false;
  kept.push(name);
  return true;
}

/**
 * A database that an earlier suite of this process has left, in everything like one whose schema was just made: on MySQL that takes
 * an eighth of what making takes. One that has another schema now, or somebody connected, is dropped.
 * @returns its name; null: there is none.
 */
export async function findSpare(serverUrl: string): Promise<string | null> {
  const fresh = await freshSchemas.get(serverUrl);
  const kept = spares.get(serverUrl);
  if (fresh === undefined || kept === undefined) return null;
  for (let name = kept.pop(); name !== undefined; name = kept.pop()) {
    if (await empty(serverUrl, name, fresh)) return name;
  }
  return null;
}

async function empty(serverUrl: string, name: string, fresh: FreshSchema): Promise<boolean> {
  const connection = await createConnection({ uri: `${serverUrl}/${name}`, multipleStatements: true });
  const query: Query = async (sql) => (await connection.query<RowDataPacket[]>(sql))[0];
  try {
    await query(`SET foreign_key_checks = 0, lock_wait_timeout = ${lockWaitSeconds}`);
    // Whatever is wrong with it, a new one is made.
    const isFresh = await makeFresh(query, fresh).catch(() => false);
    if (!isFresh) await query(`DROP DATABASE ${name}`);
    return isFresh;
  } finally {
    await connection.end();
  }
}

async function makeFresh(query: Query, fresh: FreshSchema): Promise<boolean> {
  if ((await isUsed(query)) || (await readWords(query, await listTables(query))) !== fresh.words) return false;
  const filled = await listFilled(query, fresh.tables);
  const statements = [...filled.map((table) => `TRUNCATE TABLE \`${table}\``), ...fresh.inserts];
  if (statements.length > 0) await query(statements.join(';\n'));
  return true;
}

async function readFresh(query: Query): Promise<FreshSchema> {
  const tables = await listTables(query);
  const inserts: string[] = [];
  for (const table of await listFilled(query, tables)) {
    for (const row of await query(`SELECT * FROM \`${table}\``)) inserts.push(toInsert(table, row));
  }
  return { tables, words: await readWords(query, tables), inserts };
}

async function listTables(query: Query): Promise<string[]> {
  return (await query('SHOW TABLES')).map((row) => String(Object.values(row)[0]));
}

async function isUsed(query: Query): Promise<boolean> {
  for (const untilMs = performance.now() + leavingMs; ; await sleep(lookEveryMs)) {
    const others = await query(
      'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()',
    );
    if (others.length === 0 || performance.now() > untilMs) return others.length > 0;
  }
}

// Of rows that are gone, a table may still count on.
async function readWords(query: Query, tables: readonly string[]): Promise<string> {
  const shown = await query(tables.map((table) => `SHOW CREATE TABLE \`${table}\``).join('; '));
  const triggers = (await query('SHOW TRIGGERS')).map(({ Created: _, ...trigger }) => trigger);
  return JSON.stringify([shown, triggers]).replaceAll(/ AUTO_INCREMENT=\d+/g, '');
}

async function listFilled(query: Query, tables: readonly string[]): Promise<string[]> {
  const looks = tables.map((table) => `SELECT '${table}' AS name FROM DUAL WHERE EXISTS (SELECT 1 FROM \`${table}\`)`);
  return (await query(looks.join(' UNION ALL '))).map(({ name }) => String(name));
}
