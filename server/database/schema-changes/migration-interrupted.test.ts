import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { migrations } from '../../entities.js';
import { FakeClock } from '../../kernel/clock.js';
import { productVersion } from '../../kernel/settings/product-version.js';
import { describeSchema } from '../../test/describe-schema.js';
import { adminUrlOf, describeOnEachDatabase, describeOnMysql, type TestDatabase } from '../../test/each-database.js';
import { CutError, MigrationCutter } from '../../test/interrupted-migrations.js';
import { sample, sampleInWords } from '../../test/sample.js';
import { createDataSource, openDataSource } from '../data-source.js';
import { parseDatabaseUrl } from '../database-address.js';
import { changeAppendOnlyRows } from './append-only.js';
import { createTable } from './create-table.js';
import { findHalfReverted, HalfRevertedError } from './migration-steps.js';

const timeoutMs = 180_000;
const clock = new FakeClock();
type Migrations = readonly (new () => MigrationInterface)[];

async function migrateUndisturbed(database: TestDatabase, run: Migrations = migrations) {
  const source = await openDataSource(createDataSource(database.address, { entities: [], migrations: run }), { clock });
  const schema = await describeSchema(source);
  await source.destroy();
  return schema;
}

/** Starts again and again, until a start is not interrupted. @returns how many were. */
async function migrateInterrupted(database: TestDatabase, cutter: MigrationCutter, run: Migrations = migrations) {
  for (let interrupted = 0; ; interrupted += 1) {
    const source = createDataSource(database.address, { entities: [], migrations: run });
    cutter.watch(source);
    try {
      await openDataSource(source, { clock });
      await source.destroy();
      return interrupted;
    } catch (error) {
      if (!(error instanceof CutError)) throw error;
    }
  }
}

async function revertUndisturbed({ address }: TestDatabase): Promise<void> {
  const source = await createDataSource(address, { entities: [], migrations }).initialize();
  await source.undoLastMigration({ transaction: 'each', clock });
  await source.destroy();
}

/** Takes the newest migration back, again and again, until it is not interrupted. @returns how often it was. */
async function revertInterrupted(database: TestDatabase, cutter: MigrationCutter, run: Migrations = migrations) {
  const countBefore = await countMigrations(database);
  for (let interrupted = 0; ; interrupted += 1) {
    const source = await createDataSource(database.address, { entities: [], migrations: run }).initialize();
    cutter.watch(source);
    try {
      await source.undoLastMigration({ transaction: 'each', clock });
      await source.destroy();
      return interrupted;
    } catch (error) {
      if (source.isInitialized) await source.destroy();
      if (!(error instanceof CutError)) throw error;
      if (database.kind === 'mysql') await expectNoStartBetween(database, run);
      // The last cut comes after the end.
      if ((await countMigrations(database)) < countBefore) return interrupted + 1;
    }
  }
}

async function countMigrations({ address }: TestDatabase): Promise<number> {
  const source = await createDataSource(address, { entities: [], migrations: [] }).initialize();
  const rows = await source.query('SELECT name FROM migrations');
  await source.destroy();
  return rows.length;
}

// Between two schemas no server may serve.
async function expectNoStartBetween({ address }: TestDatabase, run: Migrations): Promise<void> {
  const source = await createDataSource(address, { entities: [], migrations: run }).initialize();
  try {
    if ((await findHalfReverted(source)) === null) return;
    await expect(source.runMigrations({ clock })).rejects.toThrow(HalfRevertedError);
  } finally {
    await source.destroy();
  }
}

/** What the last release did: TypeORM's own way, one transaction a migration, which MySQL does not keep to. */
async function migrateAsFormerRelease(database: TestDatabase): Promise<void> {
  const source = await createDataSource(database.address, { entities: [], migrations }).initialize();
  await DataSource.prototype.runMigrations.call(source, { transaction: 'each' });
  await source.destroy();
}

describeOnEachDatabase(`Migrations that are interrupted (of reverts ${sampleInWords})`, (openTestDatabase) => {
  it(
    'end in the same schema when they are cut after every single statement',
    async () => {
      const expected = await migrateUndisturbed(await openTestDatabase());
      const database = await openTestDatabase();
      const cutter = new MigrationCutter();
      const interrupted = await migrateInterrupted(database, cutter);
      expect(interrupted).toBe(cutter.cutCount);
      expect(interrupted).toBeGreaterThan(100);
      expect(await migrateUndisturbed(database)).toEqual(expected);
    },
    timeoutMs,
  );

  it('change rows exactly once, also rows that are append-only', async () => {
    const run = [...migrations, AddNote1795800000000, DoubleAmounts1795900000000];
    const database = await openTestDatabase();
    const source = await openDataSource(createDataSource(database.address, { entities: [], migrations }));
    await insertTransfer(source);
    await source.destroy();
    await migrateInterrupted(database, new MigrationCutter(), run);

    const after = await openDataSource(createDataSource(database.address, { entities: [], migrations: run }));
    expect(await after.query('SELECT amount FROM ledger_transfer')).toMatchObject([{ amount: expect.anything() }]);
    const [{ amount }] = await after.query('SELECT amount FROM ledger_transfer');
    expect(Number(amount)).toBe(84);
    expect(await after.query('SELECT text FROM note')).toEqual([{ text: 'one' }]);
    await after.destroy();
  });

  it('leave databases of the last release as they are', async () => {
    const database = await openTestDatabase();
    await migrateAsFormerRelease(database);
    const expected = await migrateUndisturbed(await openTestDatabase());
    const { 'table migration_step': _, 'index sqlite_autoindex_migration_step_1': __, ...rest } = expected;
    expect(await migrateUndisturbed(database)).toEqual(rest);
    await migrateInterrupted(database, new MigrationCutter(), [...migrations, AddNote1795800000000]);
    expect(await migrateUndisturbed(database)).toMatchObject({ 'table note': expect.stringContaining('text') });
  });

  it(
    'are taken back, one after the other, to an empty database, though reverting is cut after every single statement',
    async () => {
      const undisturbed = await openTestDatabase();
      await migrateUndisturbed(undisturbed);
      const database = await openTestDatabase();
      const whole = await migrateUndisturbed(database);
      const cutter = new MigrationCutter();
      const cut = new Set(sample([...migrations.keys()], 4));
      // Without its first migration there is no table of accounts, which the description asks.
      const describe = async (source: DataSource, left: number) => (left === 0 ? {} : describeSchema(source));
      for (let left = migrations.length - 1; left >= 0; left -= 1) {
        const one = createDataSource(undisturbed.address, { entities: [], migrations });
        await one.initialize().then(() => one.undoLastMigration({ transaction: 'each' }));
        if (cut.has(left)) {
          const interrupted = await revertInterrupted(database, cutter);
          // SQLite's is one transaction, of which nothing is left.
          if (database.kind === 'mysql') expect(interrupted).toBeGreaterThan(0);
        } else await revertUndisturbed(database);
        const other = await createDataSource(database.address, { entities: [], migrations }).initialize();
        expect(await describe(other, left)).toEqual(await describe(one, left));
        expect(await other.query('SELECT name FROM migrations')).toEqual(
          await one.query('SELECT name FROM migrations'),
        );
        await one.destroy();
        await other.destroy();
      }
      // And up again, as if nothing had been.
      expect(await migrateUndisturbed(database)).toEqual(whole);
    },
    timeoutMs,
  );

  it('note the version of Tollgate that carried them out', async () => {
    const { address } = await openTestDatabase();
    const source = await openDataSource(createDataSource(address, { entities: [], migrations }), { clock });
    const rows = await source.query('SELECT DISTINCT migration, version FROM migration_step ORDER BY migration');
    expect(rows).toEqual(
      migrations
        .map(({ name }) => ({ migration: name, version: productVersion }))
        .sort((a, b) => (a.migration < b.migration ? -1 : 1)),
    );
    await source.destroy();
  });
});

describeOnMysql('Migrations on a server that commits each change of the schema', (openTestDatabase) => {
  it(
    'go on where a release that noted no steps was interrupted, after every single statement',
    async () => {
      const expected = await migrateUndisturbed(await openTestDatabase());
      const database = await openTestDatabase();
      const interrupted = await migrateInterrupted(database, new MigrationCutter(false));
      expect(interrupted).toBeGreaterThan(80);
      expect(await migrateUndisturbed(database)).toEqual(expected);
    },
    timeoutMs,
  );

  it('add the trigger that the last release did not come to', async () => {
    const expected = await migrateUndisturbed(await openTestDatabase());
    const database = await openTestDatabase();
    const cut = createDataSource(database.address, { entities: [], migrations: migrations.slice(0, 1) });
    await (await openDataSource(cut)).destroy();
    const address = parseDatabaseUrl(adminUrlOf(database).href);
    const admin = await createDataSource(address as never, { entities: [], migrations: [] }).initialize();
    await admin.query('DROP TABLE migration_step, migrations');
    await admin.query('DROP TRIGGER IF EXISTS ledger_transfer_refuses_delete');
    await admin.destroy();
    expect(await migrateUndisturbed(database)).toEqual(expected);
  });

  it('change rows exactly once when they are taken back, however often that is interrupted', async () => {
    const run = [...migrations, HalveAmounts1899000000000];
    const database = await openTestDatabase();
    const source = await openDataSource(createDataSource(database.address, { entities: [], migrations: run }));
    await insertTransfer(source);
    await source.destroy();
    expect(await revertInterrupted(database, new MigrationCutter(), run)).toBeGreaterThan(2);
    const after = await createDataSource(database.address, { entities: [], migrations }).initialize();
    const [{ amount }] = await after.query('SELECT amount FROM ledger_transfer');
    expect(Number(amount)).toBe(84);
    await after.destroy();
  });

  it('refuse a statement whose second run nobody has thought of, and a table that is not theirs', async () => {
    const database = await openTestDatabase();
    const open = (run: Migrations) =>
      openDataSource(createDataSource(database.address, { entities: [], migrations: run }));
    await expect(open([CallSomething1795800000000])).rejects.toThrow(/cannot be a step: CALL something/);
    const source = await createDataSource(database.address, { entities: [], migrations: [] }).initialize();
    await source.query('CREATE TABLE note (id int, author int)');
    await source.destroy();
    await expect(open([AddNote1795800000000])).rejects.toThrow(
      "DATABASE_URL: The table note is there, and not Tollgate's: it has author. Give Tollgate a database of its own.",
    );
  });
});

class AddNote1795800000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, {
      name: 'note',
      columns: { id: { type: 'varchar', length: 40 }, text: { type: 'text' } },
      primaryKey: ['id'],
      checks: { ck_note_id: "id <> ''" },
    });
    await queryRunner.query("INSERT INTO note (id, text) VALUES ('1', 'one')");
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('note');
  }
}

/** Done twice, it would show. */
class DoubleAmounts1795900000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await changeAppendOnlyRows(queryRunner, 'ledger_transfer', async () => {
      await queryRunner.query('UPDATE ledger_transfer SET amount = amount * 2');
    });
  }

  async down(): Promise<void> {}
}

/** Taken back twice, it would show. */
class HalveAmounts1899000000000 implements MigrationInterface {
  async up(): Promise<void> {}

  async down(queryRunner: QueryRunner): Promise<void> {
    await changeAppendOnlyRows(queryRunner, 'ledger_transfer', async () => {
      await queryRunner.query('UPDATE ledger_transfer SET amount = amount * 2');
    });
  }
}

class CallSomething1795800000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CALL something()');
  }

  async down(): Promise<void> {}
}

async function insertTransfer(source: DataSource): Promise<void> {
  await source.query(
    "INSERT INTO ledger_account (id, kind, state, credits_posted, debits_posted, debits_pending, debt, seq) VALUES ('acct_1', 'wallet', 'open', 42, 0, 0, 0, 1)",
  );
  await source.query(
    "INSERT INTO ledger_transfer (wallet, wallet_seq, id, type, debit_account, credit_account, amount, available_after, posted_after, at_ms) VALUES ('acct_1', 1, 't1', 'grant', 'sys:sales', 'acct_1', 42, 42, 42, 0)",
  );
}
