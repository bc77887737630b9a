import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { createConnection } from 'mysql2/promise';
import { migrations } from '../../entities.js';
import { Secret } from '../../kernel/secret.js';
import { findRepositoryRoot } from '../../test/architecture/source-tree.js';
import { describeSchema } from '../../test/describe-schema.js';
import { adminUrlOf, describeOnEachDatabase, describeOnMysql, type TestDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { createDataSource, openDataSource, type TollgateDataSource } from '../data-source.js';
import type { DatabaseNews } from '../database-news.js';
import { findMissingTriggers } from './append-only.js';
import { beginExclusively, freeMigrationLock, MigrationLockTimeoutError, takeMigrationLock } from './migration-lock.js';

const parts = { entities: [], migrations };

const openServers = (database: TestDatabase, count: number): Promise<TollgateDataSource[]> =>
  Promise.all(Array.from({ length: count }, () => openDataSource(createDataSource(database.address, parts))));

/** A runner that holds the lock of the schema, and how to let go of it. */
async function holdLock(database: TestDatabase) {
  const source = await createDataSource(database.address, parts).initialize();
  const runner = source.createQueryRunner();
  const isSqlite = database.kind === 'sqlite';
  await (isSqlite ? beginExclusively(runner, () => {}) : takeMigrationLock(runner, () => {}));
  return async () => {
    await (isSqlite ? runner.query('COMMIT') : freeMigrationLock(runner));
    await runner.release();
    await source.destroy();
  };
}

describeOnEachDatabase('Servers that start together on an empty database', (openTestDatabase) => {
  it.each([2, 4])('all %i start, and one of them makes the schema', async (count) => {
    const alone = await openTestDatabase();
    const [only] = await openServers(alone, 1);
    const database = await openTestDatabase();
    const sources = await openServers(database, count);
    expect(sources).toHaveLength(count);
    expect(await describeSchema(sources[0] as TollgateDataSource)).toEqual(
      await describeSchema(only as TollgateDataSource),
    );
    for (const source of [...sources, only]) await source?.destroy();
  });

  it('wait for the one that changes the schema, say for whom, and then find nothing to do', async () => {
    const database = await openTestDatabase();
    const releaseLock = await holdLock(database);
    const news: [DatabaseNews, string][] = [];
    const waiting = new Promise<void>((resolve) => {
      const tell = (kind: DatabaseNews, words: string) => {
        news.push([kind, words]);
        if (kind === 'migration_awaited') resolve();
      };
      void openDataSource(createDataSource(database.address, parts), { tell }).then((source) => opened.push(source));
    });
    const opened: TollgateDataSource[] = [];
    await waiting;
    expect(opened).toEqual([]);
    await releaseLock();
    await eventually(() => opened.length > 0, 20);
    expect(news[0]).toEqual([
      'migration_awaited',
      database.kind === 'sqlite'
        ? 'Waits for another process, which writes to the same file.'
        : expect.stringMatching(
            /^Waits for connection \d+ from 127\.0\.0\.1:\d+, which brings the schema up to date\.$/,
          ),
    ]);
    await opened[0]?.destroy();
  });

  it('give up when their time is up, and say whom they waited for', async () => {
    const database = await openTestDatabase();
    const releaseLock = await holdLock(database);
    const source = await createDataSource(database.address, parts).initialize();
    const runner = source.createQueryRunner();
    const waitMsMax = 0;
    const take = database.kind === 'sqlite' ? beginExclusively : takeMigrationLock;
    await expect(take(runner, () => {}, waitMsMax)).rejects.toThrow(MigrationLockTimeoutError);
    await runner.release();
    await releaseLock();
    await source.destroy();
  });
});

describeOnMysql('A migration that takes long', (openTestDatabase) => {
  afterEach(() => mock.timers.reset());

  it('says each half minute that it is under way', async () => {
    const { address } = await openTestDatabase();
    const gate = { begin: () => {}, end: () => {} };
    const begun = new Promise<void>((resolve) => Object.assign(gate, { begin: resolve }));
    const ended = new Promise<void>((resolve) => Object.assign(gate, { end: resolve }));
    class SlowChange9999999999999 {
      async up(): Promise<void> {
        gate.begin();
        await ended;
      }
      async down(): Promise<void> {}
    }
    mock.timers.enable({ apis: ['setInterval'] });
    const told: [DatabaseNews, string][] = [];
    const withSlow = { ...parts, migrations: [...migrations, SlowChange9999999999999] };
    const opening = openDataSource(createDataSource(address, withSlow), { tell: (...news) => void told.push(news) });
    await begun;
    for (const _ of [1, 2]) mock.timers.tick(30_000);
    const line = expect.stringMatching(/^SlowChange9999999999999 has been under way for \d+ s/);
    expect(told.filter(([kind]) => kind === 'migration_runs')).toEqual(Array(2).fill(['migration_runs', line]));
    gate.end();
    await (await opening).destroy();
  }, 60_000);
});

describeOnMysql('A MySQL user', (openTestDatabase) => {
  let admin: Awaited<ReturnType<typeof createConnection>>;
  const users: string[] = [];

  afterAll(async () => {
    for (const user of users) await admin.query(`DROP USER ${user}`);
    await admin?.end();
  });

  /** The same database as a new user sees it, who has these rights on it and no others. */
  async function asUserWith(database: TestDatabase, rights: string): Promise<TestDatabase['address']> {
    const url = adminUrlOf(database);
    admin ??= await createConnection(url.href);
    const user = `u${users.length}_${url.pathname.slice(-12)}`;
    users.push(`'${user}'@'127.0.0.1'`);
    await admin.query(`CREATE USER ${users.at(-1)} IDENTIFIED BY 'app'`);
    await admin.query(`GRANT ${rights} ON \`${url.pathname.slice(1).replaceAll('_', '\\_')}\`.* TO ${users.at(-1)}`);
    [url.username, url.password] = [user, 'app'];
    return { kind: 'mysql', url: new Secret(url.href) };
  }

  it('with exactly the rights that docs/operations/databases.md grants brings the schema up to date', async () => {
    const database = await openTestDatabase();
    const source = await openDataSource(createDataSource(await asUserWith(database, readDocumentedRights()), parts));
    expect(await source.query('SELECT COUNT(*) AS count FROM migrations')).toEqual([
      { count: String(migrations.length) },
    ]);
    await source.undoLastMigration();
    await source.runMigrations();
    await source.destroy();
  });

  it.each(
    readDocumentedRights()
      .split(', ')
      .filter((right) => right !== 'TRIGGER'),
  )('without %s is told what to grant before anything is changed', async (right) => {
    const database = await openTestDatabase();
    const rights = readDocumentedRights()
      .split(', ')
      .filter((each) => each !== right)
      .join(', ');
    const address = await asUserWith(database, rights);
    const failure = await openDataSource(createDataSource(address, parts)).catch((error: Error) => error.message);
    // MariaDB asks for no right to name a parent table.
    if (right === 'REFERENCES' && typeof failure !== 'string') return await failure.destroy();
    expect(failure).toContain(right);
    expect(failure).toContain(`GRANT ${readDocumentedRights()} ON`);
    expect(failure).not.toContain('\n');
    expect(await listTables(database)).toEqual([]);
  });

  it('who may only read and write rows starts on a schema that is up to date', async () => {
    const database = await openTestDatabase();
    await (await openDataSource(createDataSource(database.address, parts))).destroy();
    const address = await asUserWith(database, 'SELECT, INSERT, UPDATE, DELETE');
    const source = await openDataSource(createDataSource(address, parts));
    expect(await source.query('SELECT id FROM account')).toEqual([]);
    await source.destroy();
  });

  it('who may make no triggers starts with one warning, and the triggers follow once the server allows them', async () => {
    const database = await openTestDatabase();
    const rights = readDocumentedRights().replace(', TRIGGER', '');
    const news: string[] = [];
    const tell = (kind: DatabaseNews, words: string) => news.push(`${kind}: ${words}`);
    const address = await asUserWith(database, rights);
    await (await openDataSource(createDataSource(address, parts), { tell })).destroy();
    expect(news).toEqual([expect.stringMatching(/^append_only_not_enforced: .* grant TRIGGER, then start again\.$/)]);

    const url = new Secret(adminUrlOf(database).href);
    const allowed = await openDataSource(createDataSource({ kind: 'mysql', url }, parts), { tell });
    expect(news).toHaveLength(1);
    expect(await findMissingTriggers(allowed)).toEqual([]);
    await allowed.destroy();
  });
});

describeOnMysql('A server that must not hold money', (openTestDatabase) => {
  it.each([
    [{ Variable_name: 'wsrep_on', Value: 'ON' }, /Galera .* Use a single MySQL or MariaDB primary/],
    [{ Variable_name: 'wsrep_cluster_size', Value: '3' }, /Galera/],
    [{ Variable_name: 'version', Value: '5.7.44-log' }, /It is MySQL 5\.7\.44-log; use MySQL 8\.4\.0 or later/],
    [{ Variable_name: 'version', Value: '10.5.2-MariaDB' }, /use MariaDB 10\.11\.0 or later/],
  ])('is refused in one line before anything is changed: %o', async (variable, words) => {
    const database = await openTestDatabase();
    const source = createDataSource(database.address, parts);
    const query = source.query.bind(source);
    source.query = async (sql: string, parameters?: unknown[]) => {
      const rows = await query(sql, parameters);
      return sql.startsWith('SHOW GLOBAL STATUS') ? [...rows, variable] : rows;
    };
    const failure = await openDataSource(source).catch((error: Error) => error.message);
    expect(failure).toMatch(words);
    expect(failure).toMatch(/^DATABASE_URL: [^\n]*$/);
    expect(await listTables(database)).toEqual([]);
  });
});

async function listTables(database: TestDatabase): Promise<unknown[]> {
  const source = await createDataSource(database.address, parts).initialize();
  const tables = await source.query('SHOW TABLES');
  await source.destroy();
  return tables;
}

function readDocumentedRights(): string {
  const text = readFileSync(join(findRepositoryRoot(import.meta.dirname), 'docs/operations/databases.md'), 'utf8');
  const [, rights] = /GRANT ([A-Z, ]+) ON `tollgate`\.\* TO/.exec(text) ?? [];
  if (rights === undefined) throw new Error('docs/operations/databases.md names no grants.');
  return rights;
}
