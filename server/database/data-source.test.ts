import { chmodSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { describeOnEachDatabase, describeOnMysql, type TestDatabase } from '../test/each-database.js';
import { makeTestFolder } from '../test/test-folder.js';
import { createDataSource, openDataSource } from './data-source.js';
import { judgeMysqlVariables } from './proofs/check-mysql-server.js';
import { walBytesKept } from './session-settings.js';

const noTables = { entities: [], migrations: [] };

async function runOnServer(database: TestDatabase, sql: string): Promise<void> {
  if (database.address.kind !== 'mysql') throw new Error('This is for MySQL.');
  const connection = await createConnection(database.address.url.reveal());
  await connection.query(sql);
  await connection.end();
}

describeOnEachDatabase('openDataSource', (openTestDatabase) => {
  it('opens sessions whose commits are durable and whose keys are enforced', async () => {
    const database = await openTestDatabase();
    const warnings: string[] = [];
    const source = await openDataSource(createDataSource(database.address, noTables), {
      tell: (_news, warning) => warnings.push(warning),
    });
    expect(warnings).toEqual([]);
    if (database.kind === 'sqlite') {
      expect(await source.query('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
      expect(await source.query('PRAGMA foreign_keys')).toEqual([{ foreign_keys: 1 }]);
    } else {
      const [row] = await source.query('SELECT @@session.sql_mode AS mode, @@session.time_zone AS zone');
      expect(row.mode).toContain('STRICT_ALL_TABLES');
      expect(row.zone).toBe('+00:00');
    }
    await source.destroy();
  });
});

describe('A SQLite file', () => {
  it('gives the room of its log back that grew while a reader stayed open, once it is gone', async () => {
    const file = join(makeTestFolder('wal'), 'x.db');
    const open = () => openDataSource(createDataSource({ kind: 'sqlite', file }, noTables));
    const [writer, reader] = [await open(), await open()];
    await writer.query('CREATE TABLE t (id INT, filling BLOB)');
    await reader.query('BEGIN');
    await reader.query('SELECT COUNT(*) FROM t');
    const write = (bytes: number) => writer.query(`INSERT INTO t VALUES (1, zeroblob(${bytes}))`);
    await write(walBytesKept);
    await write(1_000_000);
    const sizes = [statSync(`${file}-wal`).size];
    await reader.query('COMMIT');
    // The first one is written back with all before it, and the next begins the log anew.
    for (let commit = 0; commit < 3; commit += 1) await write(1_000);
    sizes.push(statSync(`${file}-wal`).size);
    expect(sizes.map((bytes) => bytes <= walBytesKept)).toEqual([false, true]);
    await writer.destroy();
    await reader.destroy();
  });

  const openAt = async (file: string) => {
    const source = await openDataSource(createDataSource({ kind: 'sqlite', file }, noTables));
    await source.query('CREATE TABLE IF NOT EXISTS t (id INT)');
    await source.query('INSERT INTO t VALUES (1)');
    const modes = ['', '-wal', '-shm'].map((suffix) => statSync(file + suffix).mode & 0o777);
    await source.destroy();
    return modes;
  };

  it('is for its owner alone where it is made, also by a link, and stays as its operator has set it', async () => {
    const folder = makeTestFolder('data-source');
    const file = join(folder, 'tollgate.db');
    expect(await openAt(file)).toEqual([0o600, 0o600, 0o600]);
    chmodSync(file, 0o640);
    expect(await openAt(file)).toEqual([0o640, 0o640, 0o640]);
    symlinkSync('real.db', join(folder, 'link.db'));
    await openDataSource(createDataSource({ kind: 'sqlite', file: join(folder, 'link.db') }, noTables)).then((source) =>
      source.destroy(),
    );
    expect(statSync(join(folder, 'real.db')).mode & 0o777).toBe(0o600);
  });
});

describeOnMysql('openDataSource on a server that is set up badly', (openTestDatabase) => {
  it('refuses a table that knows no transactions', async () => {
    const database = await openTestDatabase();
    await runOnServer(database, 'CREATE TABLE loose (id INT) ENGINE = MyISAM');
    await expect(openDataSource(createDataSource(database.address, noTables))).rejects.toThrow(/loose is MyISAM/);
  });
});

describe('judgeMysqlVariables', () => {
  const sound = new Map([
    ['sql_mode', 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'],
    ['time_zone', '+00:00'],
    ['character_set_client', 'utf8mb4'],
    ['character_set_connection', 'utf8mb4'],
    ['character_set_results', 'utf8mb4'],
    ['innodb_flush_log_at_trx_commit', '1'],
    ['log_bin', 'ON'],
    ['sync_binlog', '1'],
    ['wsrep_on', 'OFF'],
    ['version', '10.11.6-MariaDB-log'],
  ]);
  const judge = (name: string, value: string) => judgeMysqlVariables(new Map([...sound, [name, value]]));

  it('finds nothing wrong with a durable, strict server', () => {
    expect(judgeMysqlVariables(sound)).toEqual({ refusals: [], warnings: [] });
  });

  it.each([
    ['wsrep_on', 'ON', /Galera/],
    ['sql_mode', '', /strict/],
    ['time_zone', 'SYSTEM', /UTC/],
    ['character_set_client', 'latin1', /character_set_client is latin1, not utf8mb4/],
    ['character_set_connection', 'utf8mb3', /character_set_connection is utf8mb3/],
    ['character_set_results', '', /character_set_results is , not/],
    ['innodb_page_size', '8192', /innodb_page_size is 8192, .* Use one that was initialised with 16384/],
  ])('refuses %s = %s', (name, value, reason) => {
    expect(judge(name, value).refusals).toEqual([expect.stringMatching(reason)]);
  });

  it.each(['16384', '32768', '65536'])('has nothing against innodb_page_size = %s', (bytes) => {
    expect(judge('innodb_page_size', bytes).refusals).toEqual([]);
  });

  it.each([
    ['8.0.15', 'refusals'],
    ['8.0.16', 'warnings'],
    ['8.3.9', 'warnings'],
    ['10.5.28-MariaDB', 'refusals'],
    ['10.6.0-MariaDB', 'warnings'],
    ['5.5.5-10.10.2-MariaDB', 'warnings'],
    ['8.0.mysql_aurora.3', 'warnings'],
  ] as const)('looks at the version: %s is among the %s', (version, where) => {
    expect(judge('version', version)[where]).toEqual([expect.stringContaining(`${version}; use `)]);
  });

  it.each(['8.4.0', '9.7.4-2', '10.11.0-MariaDB', '5.5.5-10.11.6-MariaDB-log', '12.0.1-MariaDB'])(
    'has nothing against version %s',
    (version) => expect(judge('version', version)).toEqual({ refusals: [], warnings: [] }),
  );

  it.each([
    ['innodb_flush_log_at_trx_commit', '2'],
    ['sync_binlog', '0'],
  ])('warns of %s = %s, by which a crash loses commits', (name, value) => {
    expect(judge(name, value)).toMatchObject({ refusals: [], warnings: [expect.stringContaining(name)] });
  });
});
