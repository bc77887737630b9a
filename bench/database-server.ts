import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
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

/** The process of the server that holds this database; null where it runs elsewhere, or there is none. */
export async function findServerPid(database: DatabaseAddress): Promise<number | null> {
  if (database.kind !== 'mysql') return null;
  const connection = await createConnection(database.url.reveal());
  const [rows] = await connection.query<RowDataPacket[]>('SELECT @@pid_file AS file, @@datadir AS folder');
  await connection.end();
  const file = String(rows[0]?.file);
  const path = file.startsWith('/') ? file : join(String(rows[0]?.folder), file);
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
