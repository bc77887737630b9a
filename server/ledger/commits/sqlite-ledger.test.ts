import { Sqlite } from '../../database/sqlite-driver.js';
import { openSqliteDatabase } from '../../test/each-database.js';
import { holdOf, LedgerFixture } from '../../test/ledger-fixture.js';
import type { LedgerOperation } from '../tables/ledger-rows.js';
import { SqliteLedger } from './sqlite-ledger.js';
import { SqliteLedgerStore } from './sqlite-ledger-store.js';

const times = { leaseMs: 60_000, graceMs: 30_000 };

describe('A disk that is full (SQLite)', () => {
  const fixture = LedgerFixture.forEach(openSqliteDatabase);

  it('takes back the whole batch, and the same batch is booked once there is room', async () => {
    const account = await fixture.createFundedAccount(1_000_000);
    const database = new Sqlite(fileOf(fixture));
    const ledger = new SqliteLedger(database, times);
    const batch = Array.from({ length: 100 }, (): LedgerOperation => {
      return { kind: 'hold', input: holdOf(account, 10), instance: 'test' };
    });
    database.pragma(`max_page_count = ${database.pragma('page_count', { simple: true })}`);
    const refusal = catchError(() => ledger.commitBatch(batch));
    expect(refusal).toMatchObject({ cause: { code: 'SQLITE_FULL' } });
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 1_000_000, pending: 0 });

    database.pragma('max_page_count = 1000000');
    expect(ledger.commitBatch(batch)).toMatchObject({ status: 'committed' });
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 1_000_000, pending: 1_000 });
    database.close();
  });

  // After a failed sync SQLite takes the transaction back; its log has it whole, and the next process finds it committed.
  it.each([
    ['SQLITE_IOERR_FSYNC', 'in_doubt'],
    ['SQLITE_IOERR_SHORT_READ', 'in_doubt'],
    ['SQLITE_SOMETHING_NEW', 'in_doubt'],
    ['SQLITE_IOERR_WRITE', 'undone'],
    ['SQLITE_FULL', 'undone'],
    ['SQLITE_READONLY_DBMOVED', 'undone'],
    ['SQLITE_BUSY', 'undone'],
  ] as const)('takes a commit that ends with %s for %s', async (code, stage) => {
    const database = new Sqlite(fileOf(fixture));
    const exec = database.exec.bind(database);
    database.exec = (sql) => {
      if (sql === 'COMMIT') throw Object.assign(new Error('disk I/O error'), { code });
      return exec(sql);
    };
    expect(catchError(() => new SqliteLedger(database, times).commitBatch([]))).toMatchObject({ stage });
    expect(database.inTransaction).toBe(false);
    database.close();
  });
});

describe('A system that gives the ledger no thread (SQLite)', () => {
  const fixture = LedgerFixture.forEach(openSqliteDatabase);

  it('has begun nothing, so that nobody takes the batch for one in doubt, and the next batch is booked', async () => {
    const account = await fixture.createFundedAccount(1_000);
    // What no thread can be given is refused in the same place.
    const workerData = { file: fileOf(fixture), times, instance: (() => 'test') as unknown as string };
    const store = new SqliteLedgerStore(workerData);
    const batch: readonly LedgerOperation[] = [{ kind: 'hold', input: holdOf(account, 10), instance: 'test' }];
    await expect(store.commitBatch(batch)).rejects.toMatchObject({ stage: 'not_begun' });
    workerData.instance = 'test';
    expect(await store.commitBatch(batch)).toMatchObject({ status: 'committed' });
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 1_000, pending: 10 });
    await store.close();
  });
});

function fileOf({ database: { address } }: LedgerFixture): string {
  if (address.kind !== 'sqlite') throw new Error('This is for SQLite.');
  return address.file;
}

function catchError(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return null;
}
