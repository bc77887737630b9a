import { FakeClock } from '../kernel/clock.js';
import { openSqliteDatabase } from '../test/each-database.js';
import { createDataSource } from './data-source.js';
import { ServingCheck } from './serving-check.js';
import { UnitOfWork } from './unit-of-work.js';

describe('A SQLite file', () => {
  it('that takes no writes any more does not serve, though it answers questions; asked again in five seconds, it is tried again', async () => {
    const database = await openSqliteDatabase();
    const source = await createDataSource(database.address, { entities: [], migrations: [] }).initialize();
    const clock = new FakeClock();
    const check = new ServingCheck(source, new UnitOfWork(source), clock);
    await expect(check.assertServes()).resolves.toBeUndefined();
    await source.query('PRAGMA query_only = ON');
    await expect(source.query('SELECT 1')).resolves.toHaveLength(1);
    clock.advanceMs(5_000);
    await expect(check.assertServes()).rejects.toMatchObject({ code: 'SQLITE_READONLY' });
    await source.query('PRAGMA query_only = OFF');
    await expect(check.assertServes()).rejects.toMatchObject({ code: 'SQLITE_READONLY' });
    clock.advanceMs(5_000);
    await expect(check.assertServes()).resolves.toBeUndefined();
    await source.destroy();
    await database.drop();
  });

  it('is written by the check once in five seconds, however many ask', async () => {
    const database = await openSqliteDatabase();
    const source = await createDataSource(database.address, { entities: [], migrations: [] }).initialize();
    const check = new ServingCheck(source, new UnitOfWork(source), new FakeClock());
    const answers = new Set(Array.from({ length: 100 }, () => check.assertServes()));
    expect(answers.size).toBe(1);
    await Promise.all(answers);
    await source.destroy();
    await database.drop();
  });
});
