import type { DataSource, EntityManager } from 'typeorm';
import { entities, migrations } from '../../entities.js';
import { findLedgerViolations } from '../../ledger/checks/check-ledger.js';
import { insertBulkCalls } from '../../test/bulk-calls.js';
import { describeOnEachDatabase, type TestDatabase } from '../../test/each-database.js';
import { CutError, MigrationCutter } from '../../test/interrupted-migrations.js';
import { createDataSource, openDataSource } from '../data-source.js';
import { WalletLeases1796342400000 } from '../migrations/0015-wallet-leases.js';

/** MIGRATION_CALLS=1000000 for a long run. */
const callCount = Number(process.env.MIGRATION_CALLS ?? 2_000);
const isLong = callCount > 10_000;
/** A statement that goes through a million rows is a thousand steps, each of which would be a start. */
const firstSteps = 5;
const timeoutMs = isLong ? 3_600_000 : 180_000;
const openHolds = 5;
const heldEach = 1_000;
const given = callCount * 1_000;

/** The tables of the ledger that booked each call by a hold and two journal rows. */
const tables = ['ledger_account', 'ledger_transfer', 'ledger_hold', 'call_record', 'usage_hour'];
/** What changes none of them is cut in `migration-interrupted.test.ts`, and here in a long run only, where of the steps of one statement the first are. */
const seen = new Map<string, number>();
const touchesLedger = (sql: string) => {
  if (!isLong) return tables.some((table) => sql.includes(table));
  seen.set(sql, (seen.get(sql) ?? 0) + 1);
  return Number(seen.get(sql)) <= firstSteps;
};
const firstLedger = migrations.slice(0, migrations.indexOf(WalletLeases1796342400000));

const timed = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
  const startedMs = performance.now();
  const result = await work();
  if (callCount > 10_000)
    console.info(`${callCount} calls: ${what} in ${Math.round(performance.now() - startedMs)} ms`);
  return result;
};

describeOnEachDatabase('A database of calls from before there were leases', (openTestDatabase) => {
  it(
    'is brought to the tables of now, cut after every statement that touches it and begun again, with each balance and each sum as before',
    async () => {
      const database = await openTestDatabase();
      const before = await timed('filled', () => fill(database));
      const cutter = new MigrationCutter(true, touchesLedger);
      const interrupted = await timed('migrated, cut after every statement,', () =>
        migrateInterrupted(database, cutter),
      );
      expect(interrupted).toBe(cutter.cutCount);
      expect(interrupted).toBeGreaterThan(isLong ? 80 : 10);
      await expectAsBefore(database, before);
    },
    timeoutMs,
  );

  it(
    'is brought there undisturbed with the same outcome',
    async () => {
      const database = await openTestDatabase();
      const before = await fill(database);
      await timed('migrated undisturbed', () => open(database).then((source) => source.destroy()));
      await expectAsBefore(database, before);
    },
    timeoutMs,
  );
});

const open = (database: TestDatabase, run = migrations) =>
  openDataSource(createDataSource(database.address, { entities: [], migrations: run }));

/** An account with many calls that have ended, and some that run, as the first ledger wrote them. @returns all columns' sums. */
async function fill(database: TestDatabase) {
  const source = await open(database, firstLedger);
  await source.query(
    `INSERT INTO ledger_account (id, kind, state, credits_posted, debits_posted, debits_pending, debt, seq) VALUES ('acct_1', 'wallet', 'open', ${given}, 0, 0, 0, 1)`,
  );
  await source.query(
    `INSERT INTO ledger_transfer (wallet, wallet_seq, id, type, debit_account, credit_account, amount, available_after, posted_after, at_ms) VALUES ('acct_1', 1, 'grant:test:1', 'grant', 'sys:grants', 'acct_1', ${given}, ${given}, ${given}, 0)`,
  );
  const time = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 5, 1) };
  const cost = await insertBulkCalls(source, {
    ...{ accountId: 'acct_1', keyId: 'key_1', count: callCount, hasJournal: true },
    ...time,
  });
  for (let n = 1; n <= openHolds; n += 1) await insertOpenHold(source, n, given - cost);
  expect(await sumUp(source.manager)).toMatchObject({ call_record: { rows: String(callCount) } });
  const sums = await sumUp(source.manager);
  await source.destroy();
  return sums;
}

async function insertOpenHold(source: DataSource, n: number, posted: number): Promise<void> {
  await source.query(
    `INSERT INTO ledger_hold (id, wallet, key_id, amount, state, posted, progress_prompt_tokens, progress_completion_tokens, lease_until_ms, instance, model, provider, tier, millicredits_per_token, is_streamed, started_at_ms) VALUES ('call_open${n}', 'acct_1', 'key_1', ${heldEach}, 'open', 0, 0, 0, 0, 'gone', 'm', 'p', 'lower', 1, 0, 0)`,
  );
  await source.query(
    `INSERT INTO ledger_transfer (wallet, wallet_seq, id, type, debit_account, credit_account, amount, available_after, posted_after, hold_id, at_ms)
     SELECT id, seq + 1, 'call_open${n}', 'hold', id, 'sys:usage', ${heldEach}, ${posted - n * heldEach}, ${posted}, 'call_open${n}', 0 FROM ledger_account WHERE id = 'acct_1'`,
  );
  await source.query(
    `UPDATE ledger_account SET seq = seq + 1, debits_pending = debits_pending + ${heldEach} WHERE id = 'acct_1'`,
  );
}

/** Starts again and again, until a start is not interrupted. @returns how many were. */
async function migrateInterrupted(database: TestDatabase, cutter: MigrationCutter): Promise<number> {
  for (let interrupted = 0; ; interrupted += 1) {
    const source = createDataSource(database.address, { entities: [], migrations });
    cutter.watch(source);
    try {
      await openDataSource(source);
      await source.destroy();
      return interrupted;
    } catch (error) {
      if (!(error instanceof CutError)) throw error;
    }
  }
}

/** Of each table how many rows it has, the sum of each column of numbers, and how many of any other one are there. */
async function sumUp(manager: EntityManager): Promise<Record<string, Record<string, string>>> {
  const sums: Record<string, Record<string, string>> = {};
  const isSqlite = manager.connection.options.type === 'better-sqlite3';
  for (const table of tables) {
    const columns: { name: string; type: string }[] = await manager.query(
      isSqlite
        ? `SELECT name, type FROM pragma_table_info('${table}')`
        : `SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = '${table}'`,
    );
    const parts = columns.map(({ name, type }) => `${/int/i.test(type) ? 'SUM' : 'COUNT'}(${name}) AS ${name}`);
    const [row] = await manager.query(`SELECT COUNT(*) AS \`rows\`, ${parts.join(', ')} FROM ${table}`);
    sums[table] = Object.fromEntries(Object.entries(row as object).map(([name, sum]) => [name, String(sum)]));
  }
  return sums;
}

async function expectAsBefore(database: TestDatabase, before: Awaited<ReturnType<typeof fill>>): Promise<void> {
  const source = await createDataSource(database.address, { entities, migrations }).initialize();
  const after = await timed('summed up', () => sumUp(source.manager));
  // Columns that are new have no sums before.
  expect(after).toMatchObject(before);
  expect(await timed('proved', () => findLedgerViolations(source.manager))).toEqual([]);
  await source.destroy();
}
