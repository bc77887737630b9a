import { rmSync } from 'node:fs';
import { createDataSource, openDataSource } from '../database/data-source.js';
import { entities, migrations } from '../entities.js';
import { Secret } from '../kernel/secret.js';
import { adminUrlOf, describeOnEachDatabase, describeOnMysql, type TestDatabase } from './each-database.js';
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
