import type { DataSource, QueryRunner } from 'typeorm';
import { FakeClock, systemClock } from '../../kernel/clock.js';
import {
  adminUrlOf,
  describeOnEachDatabase,
  describeOnMysql,
  openSqliteDatabase,
  type TestDatabase,
} from '../../test/each-database.js';
import { giveSchema } from '../../test/schema-template.js';
import { createDataSource } from '../data-source.js';
import { parseDatabaseUrl } from '../database-address.js';
import { proveDatabase } from './prove-database.js';
import { proveMysqlServer } from './prove-mysql.js';

const noTables = { entities: [], migrations: [] };
const open: DataSource[] = [];

async function openWithSchema(database: TestDatabase): Promise<DataSource> {
  await giveSchema(database);
  const source = await createDataSource(database.address, noTables).initialize();
  open.push(source);
  return source;
}

async function runAsAdmin(database: TestDatabase, ...statements: readonly string[]): Promise<void> {
  const address = parseDatabaseUrl(adminUrlOf(database).href);
  const admin = await createDataSource(address, noTables).initialize();
  for (const statement of statements) await admin.query(statement);
  await admin.destroy();
}

/** A server that changes what it is told, which no real one could be made to do. */
function changeStatements(source: DataSource, change: (sql: string) => string): void {
  const create = source.createQueryRunner.bind(source);
  source.createQueryRunner = (mode) => {
    const runner = create(mode);
    const query = runner.query.bind(runner) as QueryRunner['query'];
    runner.query = ((sql: string, parameters?: unknown[]) => query(change(sql), parameters)) as QueryRunner['query'];
    return runner;
  };
}

const prove = (source: DataSource) => proveMysqlServer(source, systemClock.nowMs());

afterEach(async () => {
  for (const source of open.splice(0)) await source.destroy();
});

describeOnEachDatabase('A database at the start of a server', (openTestDatabase) => {
  it('is proven without leaving anything, by any number of servers at once', async () => {
    const database = await openTestDatabase();
    const source = await openWithSchema(database);
    const others = await Promise.all([1, 2, 3].map(() => openWithSchema(database)));
    const news: string[] = [];
    const proof = { clock: systemClock, tell: (code: string) => void news.push(code), clockSkewMsMax: 30_000 };
    await Promise.all([source, ...others].map((one) => proveDatabase(one, proof)));
    expect(news).toEqual([]);
    expect(await source.query('SELECT * FROM request_minute')).toEqual([]);
    expect(await source.query("SELECT * FROM ledger_account WHERE kind = 'wallet'")).toEqual([]);
  });
});

describe('A SQLite file whose settings are not what they were set to', () => {
  it('is refused with the settings', async () => {
    const database = await openSqliteDatabase();
    const source = await openWithSchema(database);
    await source.query('PRAGMA synchronous = NORMAL');
    await source.query('PRAGMA ignore_check_constraints = 1');
    const proof = { clock: systemClock, tell: () => {}, clockSkewMsMax: 30_000 };
    await expect(proveDatabase(source, proof)).rejects.toThrow(
      'DATABASE_URL: SQLite does not apply its settings: synchronous is 1 and not 2, ignore_check_constraints is 1 and not 0.',
    );
    await source.destroy();
    open.length = 0;
    await database.drop();
  });
});

describeOnMysql('A server that does not do what the ledger rests on', (openTestDatabase) => {
  it('is refused where a CHECK of the ledger is not enforced', async () => {
    const database = await openTestDatabase();
    const source = await openWithSchema(database);
    await runAsAdmin(database, 'ALTER TABLE ledger_account DROP CONSTRAINT ck_ledger_account_overspend');
    await expect(prove(source)).rejects.toThrow(/took a row that a CHECK constraint forbids/);
  });

  it('is refused where a primary key takes the same row twice', async () => {
    const database = await openTestDatabase();
    const source = await openWithSchema(database);
    await runAsAdmin(database, 'ALTER TABLE request_minute DROP PRIMARY KEY, ADD INDEX (account_id)');
    await expect(prove(source)).rejects.toThrow(/took a second row with the same primary key/);
  });

  it('is refused where a table knows no transactions', async () => {
    const database = await openTestDatabase();
    const source = await openWithSchema(database);
    await runAsAdmin(database, 'ALTER TABLE request_minute ENGINE = MyISAM');
    await expect(prove(source)).rejects.toThrow(
      /shows rows that are not committed.*does not keep a row.*ROLLBACK does not undo/,
    );
  });

  it.each([
    ['READ UNCOMMITTED', /shows rows that are not committed/],
    ['REPEATABLE READ', /does not see what others have committed: the isolation is not READ COMMITTED/],
  ])('is refused where its isolation is %s', async (isolation, words) => {
    const source = await openWithSchema(await openTestDatabase());
    const create = source.createQueryRunner.bind(source);
    source.createQueryRunner = (mode) => {
      const runner = create(mode);
      const set = runner.query(`SET SESSION TRANSACTION ISOLATION LEVEL ${isolation}`);
      const query = runner.query.bind(runner) as QueryRunner['query'];
      runner.query = (async (sql: string, parameters?: unknown[]) => {
        await set;
        return query(sql, parameters);
      }) as QueryRunner['query'];
      return runner;
    };
    await expect(prove(source)).rejects.toThrow(words);
  });

  it('is refused where FOR UPDATE locks nothing', async () => {
    const source = await openWithSchema(await openTestDatabase());
    changeStatements(source, (sql) => sql.replace(/ FOR UPDATE$/, ''));
    await expect(prove(source)).rejects.toThrow(/SELECT … FOR UPDATE does not lock the row/);
    const another = await openWithSchema(await openTestDatabase());
    changeStatements(another, (sql) => sql.replace(/ FOR UPDATE NOWAIT$/, ''));
    await expect(prove(another)).rejects.toThrow(/does not keep a row that a transaction has written from others/);
  });

  it('is proven by a user with the grants of every day', async () => {
    const database = await openTestDatabase();
    await giveSchema(database);
    const url = adminUrlOf(database);
    const name = url.pathname.slice(1);
    const user = `d${name.slice(-12)}`;
    await runAsAdmin(
      database,
      `CREATE USER ${user}@'127.0.0.1' IDENTIFIED BY 'every day'`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ${name}.* TO ${user}@'127.0.0.1'`,
    );
    url.username = user;
    url.password = 'every day';
    const source = await createDataSource(parseDatabaseUrl(url.href), noTables).initialize();
    await expect(prove(source)).resolves.toBeUndefined();
    await source.destroy();
    await runAsAdmin(database, `DROP USER ${user}@'127.0.0.1'`);
  });

  it('clears away what a killed proof has left, and not what one that runs needs', async () => {
    const source = await openWithSchema(await openTestDatabase());
    const nowMs = systemClock.nowMs();
    const left = (ms: number) => `start_proof_${ms.toString(36).padStart(9, '0')}_x`;
    for (const row of [left(nowMs - 7_200_000), left(nowMs - 60_000), 'acct_of_somebody']) {
      await source.query("INSERT INTO request_minute (account_id, moments) VALUES (?, '')", [row]);
    }
    await prove(source);
    const rows = await source.query('SELECT account_id FROM request_minute ORDER BY account_id');
    expect(rows.map((row: { account_id: string }) => row.account_id)).toEqual([
      'acct_of_somebody',
      left(nowMs - 60_000),
    ]);
  });

  it.each([
    ['behind', -40_000],
    ['ahead', 40_000],
  ])('is refused where the clocks are further apart than half a lease, this one %s', async (_, byMs) => {
    const source = await openWithSchema(await openTestDatabase());
    const clock = new FakeClock(systemClock.nowMs() + byMs);
    await expect(proveDatabase(source, { clock, tell: () => {}, clockSkewMsMax: 30_000 })).rejects.toThrow(
      /^DATABASE_URL: The clocks of this machine and of the database are \d+(\.\d)? s apart\. At most 30 s are allowed/,
    );
  });

  it('is told of where the clocks are some seconds apart', async () => {
    const source = await openWithSchema(await openTestDatabase());
    const news: string[] = [];
    const proof = { tell: (code: string) => void news.push(code), clockSkewMsMax: 3_600_000 };
    await proveDatabase(source, { ...proof, clock: new FakeClock(systemClock.nowMs() + 300_000) });
    expect(news).toEqual(['database_clock_differs']);
  });
});
