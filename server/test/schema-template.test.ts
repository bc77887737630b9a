import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDataSource, openDataSource } from '../database/data-source.js';
import { entities, migrations } from '../entities.js';
import { Secret } from '../kernel/secret.js';
import {
  adminUrlOf,
  databaseUrlOf,
  describeOnEachDatabase,
  describeOnMysql,
  type TestDatabase,
} from './each-database.js';
import { giveSchema } from './schema-template.js';
import { makeTestFolder } from './test-folder.js';

/** Every table, index, constraint, trigger and row, as the database itself tells them. */
async function readEverything({ address, kind }: TestDatabase): Promise<unknown> {
  const source = await createDataSource(address, { entities: [], migrations: [] }).initialize();
  const query = (sql: string): Promise<Record<string, unknown>[]> => source.query(sql);
  try {
    const named =
      kind === 'sqlite'
        ? await query(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name",
          )
        : [...(await query('SHOW TRIGGERS'))].map(({ Created: _, ...trigger }) => trigger);
    const tables =
      kind === 'sqlite'
        ? named.filter(({ type }) => type === 'table').map(({ name }) => String(name))
        : (await query('SHOW TABLES')).map((row) => String(Object.values(row)[0]));
    const contents: unknown[] = [];
    for (const table of tables) {
      if (kind === 'mysql') contents.push(toOneWording(await query(`SHOW CREATE TABLE \`${table}\``)));
      const rows = await query(`SELECT * FROM \`${table}\``);
      // Steps are noted with their time and, where TypeORM names it, their database.
      contents.push([table, table === 'migration_step' ? rows.length : rows]);
    }
    return { named, contents };
  } finally {
    await source.destroy();
  }
}

/** MySQL says the character set of a column again where the statement that made it did; it is the same column. */
function toOneWording(shown: readonly Record<string, unknown>[]): string {
  return JSON.stringify(shown).replaceAll(' CHARACTER SET utf8mb4 COLLATE', ' COLLATE');
}

async function migrate({ address }: TestDatabase): Promise<number> {
  const source = createDataSource(address, { entities, migrations });
  let applied = 0;
  await openDataSource(source);
  applied = (await source.query('SELECT name FROM migrations')).length;
  await source.destroy();
  return applied;
}

describeOnEachDatabase('a database that was given the schema', (openTestDatabase) => {
  it('is in everything the one that the migrations make, and leaves them nothing to do', async () => {
    const [migrated, first, second] = [await openTestDatabase(), await openTestDatabase(), await openTestDatabase()];
    expect(await migrate(migrated)).toBe(migrations.length);
    await giveSchema(first);
    await giveSchema(second);
    const expected = await readEverything(migrated);
    expect(JSON.stringify(expected)).toContain('ledger_transfer');
    expect(await readEverything(first)).toEqual(expected);
    expect(await readEverything(second)).toEqual(expected);
    expect(await migrate(second)).toBe(migrations.length);
    expect(await readEverything(second)).toEqual(expected);
  });

  it('keeps what it had, if it was not empty', async () => {
    const database = await openTestDatabase();
    const source = await createDataSource(database.address, { entities: [], migrations: [] }).initialize();
    await source.query('CREATE TABLE mine (id INTEGER)');
    await giveSchema(database);
    expect(await source.query('SELECT * FROM mine')).toEqual([]);
    await expect(source.query('SELECT * FROM ledger_transfer')).rejects.toThrow('ledger_transfer');
    await source.destroy();
  });
});

describeOnMysql('a template of the schema', (openTestDatabase) => {
  it("that a privileged user has made is in nobody else's way", async () => {
    const templates = makeTestFolder('templates');
    const [given, ofAdmin, migrated] = [await openTestDatabase(), await openTestDatabase(), await openTestDatabase()];
    await giveSchema({ ...ofAdmin, address: { kind: 'mysql', url: new Secret(adminUrlOf(ofAdmin).href) } }, templates);
    await giveSchema(given, templates);
    await migrate(migrated);
    expect(await readEverything(given)).toEqual(await readEverything(migrated));
    rmSync(templates, { recursive: true, force: true });
  });
});

// A server that was given is left as it was found.
if (process.env.TEST_MYSQL_OWN_URL !== undefined) {
  describeOnMysql('the database of a suite that has ended', (openTestDatabase) => {
    const openWithSchema = async () => {
      const database = await openTestDatabase();
      await giveSchema(database);
      return database;
    };
    const run = async ({ address }: TestDatabase, statements: readonly string[]) => {
      const source = await createDataSource(address, { entities: [], migrations: [] }).initialize();
      for (const statement of statements) await source.query(statement);
      return source;
    };
    const urlOf = (database: TestDatabase) => databaseUrlOf(database.address);
    // What earlier suites have left is used up first.
    beforeAll(async () => {
      for (let left = 0; left < 4; left += 1) await openWithSchema();
    });

    it('is given to another one, in everything as if its schema was just made', async () => {
      const [migrated, used, another] = [await openTestDatabase(), await openWithSchema(), await openTestDatabase()];
      await migrate(migrated);
      const writes = [
        "INSERT INTO account (id, email, email_normalised, name, password_hash, key_revision, created_at_ms) VALUES ('a', 'a', 'a', 'a', 'x', 0, 0)",
        "INSERT INTO ledger_account (id, kind, state, credits_posted, debits_posted, debits_pending, debt, seq) VALUES ('w', 'wallet', 'open', 0, 0, 0, 0, 0)",
        'DELETE FROM migration_step',
      ];
      await (await run(used, writes)).destroy();
      const url = urlOf(used);
      await used.drop();
      await giveSchema(another);
      expect(urlOf(another)).toBe(url);
      expect(await readEverything(another)).toEqual(await readEverything(migrated));
    });

    it.each([
      ['has another column', 'ALTER TABLE account ADD COLUMN mine INT'],
      ['has a table more', 'CREATE TABLE mine (id INT)'],
      ['has lost a constraint', 'ALTER TABLE ledger_account DROP CONSTRAINT ck_ledger_account_overspend'],
    ])('is dropped where it %s', async (_, statement) => {
      const used = await openWithSchema();
      await (await run(used, [statement])).destroy();
      await used.drop();
      expect(urlOf(await openWithSchema())).not.toBe(urlOf(used));
      await expect(run(used, [])).rejects.toThrow('Unknown database');
    });

    it('is dropped where somebody is still connected to it, who may write there later', async () => {
      const used = await openWithSchema();
      const source = await run(used, ['SELECT 1']);
      await used.drop();
      expect(urlOf(await openWithSchema())).not.toBe(urlOf(used));
      await source.destroy();
    });

    it('is given to another one where who is still connected leaves at once, as a busy server tells it late', async () => {
      const used = await openWithSchema();
      const source = await run(used, []);
      await used.drop();
      const [another] = await Promise.all([openWithSchema(), sleep(100).then(() => source.destroy())]);
      expect(urlOf(another)).toBe(urlOf(used));
    });

    it('does not take the place of one that is known by a copy, or is not empty', async () => {
      const used = await openWithSchema();
      await used.drop();
      const [copied, filled] = [await openTestDatabase(), await openTestDatabase()];
      const copy = { ...copied, drop: async () => {} };
      await giveSchema(copy);
      expect(urlOf(copied)).toBe(urlOf(copy));
      await (await run(filled, ['CREATE TABLE mine (id INT)'])).destroy();
      await giveSchema(filled);
      expect(urlOf(filled)).not.toBe(urlOf(used));
      expect(urlOf(await openWithSchema())).toBe(urlOf(used));
    });
  });
}
