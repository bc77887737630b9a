import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { Sqlite } from '../database/sqlite-driver.js';
import { findRepositoryRoot, readSourceTree } from './architecture/source-tree.js';
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

describe('a server that suites share', () => {
  it('keeps its settings: whoever changes them for everybody has a server of its own', () => {
    const tree = readSourceTree(findRepositoryRoot(import.meta.dirname));
    const tests = [...tree].filter(([path]) => path.endsWith('.test.ts') && path !== thisFile);
    expect(tests.some(([, text]) => text.includes('SET GLOBAL'))).toBe(true);
    expect(tests.filter(([, text]) => changesSharedServer(text)).map(([path]) => path)).toEqual([]);
  });

  it.each([
    ["describeOnMysql('a', () => {\n  query('SET GLOBAL wait_timeout = 1')", true],
    [
      "describeOnOwnMysql('a', () => {});\ndescribeOnEachDatabase('b', () => {\n  query('set global read_only = 1')",
      true,
    ],
    ["const set = 'SET GLOBAL a = 1';\ndescribeOnMysql('a', () => {", true],
    ["const set = 'SET GLOBAL a = 1';\ndescribeOnOwnMysql('a', () => {", false],
    ["describeOnMysql('a', () => {});\ndescribeOnOwnMysql('b', () => {\n  query('SET GLOBAL a = 1')", false],
  ])('is seen to be changed by %j: %s', (text, isChanged) => {
    expect(changesSharedServer(text)).toBe(isChanged);
  });
});

const thisFile = 'server/test/each-database.test.ts';

/** Whether a suite's text sets what holds for all sessions of a server, elsewhere than in a block with its own server. */
function changesSharedServer(text: string): boolean {
  const blocks = text.split(/^(?=describe)/m);
  const isShared = (block: string) => /^describe(?!OnOwnMysql\(|OnGalera\()/.test(block);
  return blocks.some((block, place) => {
    if (!/\bSET (GLOBAL|PERSIST)\b/i.test(block)) return false;
    // What stands above all blocks is for each of them.
    return place === 0 && !block.startsWith('describe') ? blocks.slice(1).some(isShared) : isShared(block);
  });
}

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
