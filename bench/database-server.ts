import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type { DatabaseAddress } from '../server/database/database-address.js';
import { Secret } from '../server/kernel/secret.js';

/** A database of its own on this server. */
export async function createDatabase(serverUrl: string): Promise<DatabaseAddress> {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  const connection = await createConnection(serverUrl);
  await connection.query(`CREATE DATABASE ${name}`);
  await connection.end();
  return { kind: 'mysql', url: new Secret(`${serverUrl}/${name}`) };
}

/** What the figures call the server at this address. */
export async function readProduct(serverUrl: string): Promise<'MariaDB' | 'MySQL'> {
  const connection = await createConnection(serverUrl);
  const [rows] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version');
  await connection.end();
  return String(rows[0]?.version).includes('MariaDB') ? 'MariaDB' : 'MySQL';
}

/** The process of the server that holds this database; null where it runs elsewhere, or there is none. */
export async function findServerPid(database: DatabaseAddress): Promise<number | null> {
  if (database.kind !== 'mysql') return null;
  const { file, folder } = await askServer(database, 'SELECT @@pid_file AS file, @@datadir AS folder');
  const path = file?.startsWith('/') ? file : join(folder ?? '', file ?? '');
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** What the files of a database have on this machine's disk, logs of the server aside; of SQLite once nobody has it open. */
export async function measureBytesOnDisk(database: DatabaseAddress): Promise<number> {
  if (database.kind !== 'mysql') return statSync(database.file).size;
  const { folder } = await askServer(database, "SELECT CONCAT(@@datadir, '/', DATABASE()) AS folder");
  const files = readdirSync(folder ?? '').map((file) => join(folder ?? '', file));
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

async function askServer(
  database: Extract<DatabaseAddress, { kind: 'mysql' }>,
  question: string,
): Promise<Readonly<Record<string, string>>> {
  const connection = await createConnection(database.url.reveal());
  const [rows] = await connection.query<RowDataPacket[]>(question);
  await connection.end();
  return rows[0] ?? {};
}
