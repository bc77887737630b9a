import { DataSource } from 'typeorm';
import { createDataSource, openDataSource } from './database/data-source.js';
import { entities, migrations } from './entities.js';
import { describeOnEachDatabase } from './test/each-database.js';

describeOnEachDatabase('entities and migrations', (openTestDatabase) => {
  let source: DataSource;

  beforeEach(async () => {
    const { address } = await openTestDatabase();
    source = await openDataSource(createDataSource(address, { entities, migrations }));
  });

  afterEach(() => source.destroy());

  it('describe the same schema', async () => {
    expect(await findDrift(source)).toEqual([]);
  });

  it('go down to nothing, and up again to the same schema', async () => {
    for (const _ of migrations) await source.undoLastMigration();
    for (const { tableName } of source.entityMetadatas) {
      await expect(source.query(`SELECT 1 FROM ${tableName}`)).rejects.toThrow(tableName);
    }
    await source.runMigrations();
    expect(await findDrift(source)).toEqual([]);
  });
});

describe('the list of migrations', () => {
  // By a mistake of the past. Neither asks for the other.
  const swapped = ['OperatorTokens1799798400000', 'AccountRiskMarks1799712000000'];

  it('is in the order in which they run, by the time in their names, so that an old database gets what a new one got', () => {
    const names = migrations.map(({ name }) => name).filter((name) => !swapped.includes(name));
    const timeOf = (name: string) => Number(/\d{13}$/.exec(name)?.[0]);
    expect([...names].sort((a, b) => timeOf(a) - timeOf(b))).toEqual(names);
    expect(Math.max(...swapped.map(timeOf))).toBeLessThan(timeOf(String(names.at(-1))));
  });
});

/** The statements that TypeORM would run to make the schema match the entities. */
async function findDrift(source: DataSource): Promise<string[]> {
  if (source.options.type !== 'mysql') return readDrift(source);
  // MariaDB reports the absent default of a nullable column as the word NULL. Only TypeORM's name for MariaDB knows that.
  const mariadb = await new DataSource({ ...source.options, type: 'mariadb' }).initialize();
  const drift = await readDrift(mariadb);
  await mariadb.destroy();
  return drift;
}

async function readDrift(source: DataSource): Promise<string[]> {
  const { upQueries } = await source.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
}
