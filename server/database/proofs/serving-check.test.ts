import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { FakeClock } from '../../kernel/clock.js';
import { adminUrlOf, describeOnOwnMysql, openSqliteDatabase } from '../../test/each-database.js';
import { giveSchema } from '../../test/schema-template.js';
import { createDataSource } from '../data-source.js';
import { UnitOfWork } from '../unit-of-work.js';
import { ServingCheck } from './serving-check.js';

describe('A SQLite file', () => {
  it('that takes no writes any more does not serve, though it answers questions; asked again in five seconds, it is tried again', async () => {
    const database = await openSqliteDatabase();
    const source = await createDataSource(database.address, { entities: [], migrations: [] }).initialize();
    const clock = new FakeClock();
    const check = new ServingCheck({ source, unitOfWork: new UnitOfWork(source), clock });
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
    const check = new ServingCheck({ source, unitOfWork: new UnitOfWork(source), clock: new FakeClock() });
    const answers = new Set(Array.from({ length: 100 }, () => check.assertServes()));
    expect(answers.size).toBe(1);
    await Promise.all(answers);
    await source.destroy();
    await database.drop();
  });
});

describeOnOwnMysql('A MySQL server', (openTestDatabase) => {
  it('that takes statements and never ends them does not serve, is not asked again meanwhile, and serves when it goes on', async () => {
    const database = await openTestDatabase();
    await giveSchema(database);
    const source = await createDataSource(database.address, { entities: [], migrations: [] }).initialize();
    const clock = new FakeClock();
    const parts = { source, unitOfWork: new UnitOfWork(source), clock };
    await expect(new ServingCheck(parts).assertServes()).resolves.toBeUndefined();
    const check = new ServingCheck({ ...parts, timeoutMs: 50 });
    const admin = await createConnection(adminUrlOf(database).href);
    // As in a group without a majority: questions are answered, a transaction without a change too, and a written row waits.
    await admin.query('BEGIN');
    await admin.query('SELECT * FROM attempt_count FOR UPDATE');
    for (let asked = 0; asked < 5; asked += 1) {
      clock.advanceMs(1_000);
      await expect(source.query('SELECT 1')).resolves.toHaveLength(1);
      await expect(source.query('DELETE FROM attempt_count WHERE 1 = 0')).resolves.toBeDefined();
      await expect(check.assertServes()).rejects.toThrow('takes too long to write');
    }
    const [waiting] = await admin.query(
      "SELECT * FROM information_schema.processlist WHERE info LIKE '%serving check%' AND info NOT LIKE '%processlist%'",
    );
    expect(waiting).toHaveLength(1);
    await admin.query('ROLLBACK');
    let isServing = false;
    while (!isServing) {
      await sleep(10);
      clock.advanceMs(1_000);
      isServing = await check.assertServes().then(
        () => true,
        () => false,
      );
    }
    await admin.end();
    await source.destroy();
  });
});
