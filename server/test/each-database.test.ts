import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { Sqlite } from '../database/sqlite-driver.js';
import { describeOnEachDatabase, type TestDatabase } from './each-database.js';

describeOnEachDatabase('describeOnEachDatabase', (openTestDatabase) => {
  it('opens each database empty and apart from the others', async () => {
    const [first, second] = [await openTestDatabase(), await openTestDatabase()];
    await query(first, 'CREATE TABLE note (id int)');
    await query(second, 'CREATE TABLE note (id int)');
    await query(first, 'INSERT INTO note VALUES (1)');
    expect(await query(second, 'SELECT id FROM note')).toEqual([]);
  });

  it('keeps what one connection wrote for the next one', async () => {
    const database = await openTestDatabase();
    await query(database, 'CREATE TABLE note (id int)');
    await query(database, 'INSERT INTO note VALUES (7)');
    expect(await query(database, 'SELECT id FROM note')).toEqual([{ id: 7 }]);
  });

  it('leaves nothing behind after drop, which may be called twice', async () => {
    const database = await openTestDatabase();
    await query(database, 'CREATE TABLE note (id int)');
    await database.drop();
    await database.drop();
    expect(await isThere(database)).toBe(false);
  });

  it('commits as durably as in production', async () => {
    const database = await openTestDatabase();
    const isSqlite = database.kind === 'sqlite';
    const setting = isSqlite ? 'PRAGMA synchronous' : 'SELECT @@innodb_flush_log_at_trx_commit AS flush';
    expect(await query(database, setting)).toEqual(isSqlite ? [{ synchronous: 2 }] : [{ flush: 1 }]);
  });
});

// Each query has a connection of its own.
async function query({ address }: TestDatabase, sql: string): Promise<unknown> {
  if (address.kind === 'sqlite') {
    const connection = new Sqlite(address.file);
    try {
      const statement = connection.prepare(sql);
      return statement.reader ? statement.all() : statement.run();
    } finally {
      connection.close();
    }
  }
  const connection = await createConnection(address.url.reveal());
  try {
    const [rows] = await connection.query(sql);
    return rows;
  } finally {
    await connection.end();
  }
}

async function isThere({ address }: TestDatabase): Promise<boolean> {
  if (address.kind === 'sqlite') return existsSync(dirname(address.file));
  const connection = await createConnection(address.url.reveal()).catch((error: { code: string }) => error.code);
  if (typeof connection === 'string') return connection !== 'ER_BAD_DB_ERROR';
  await connection.end();
  return true;
}
