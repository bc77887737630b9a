import { isDatabaseAway } from '../database/database-errors.js';
import { Sqlite } from '../database/sqlite-driver.js';
import { createId } from '../kernel/ids.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { factsAt, LedgerFixture } from '../test/ledger-fixture.js';
import type { LedgerOperation } from './ledger-rows.js';
import { SqliteLedger } from './sqlite-ledger.js';

const times = { leaseMs: 60_000, graceMs: 30_000 };

describeOnEachDatabase('A disk that is full', (openTestDatabase) => {
  it('takes back the whole batch, is known as passing, and the same batch is booked once there is room', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const account = await fixture.createFundedAccount(1_000_000);
    const { address } = fixture.database;
    // MySQL reports a full disk as one error code, which is in the same table; only SQLite lets a test fill it for real.
    if (address.kind === 'mysql') {
      expect(isDatabaseAway({ code: 'ER_DISK_FULL', errno: 1021 })).toBe(true);
      expect(isDatabaseAway({ code: 'ER_RECORD_FILE_FULL', errno: 1114 })).toBe(true);
      await fixture.close();
      return;
    }
    const database = new Sqlite(address.file);
    const ledger = new SqliteLedger(database, times);
    const amount = toMillicredits(10);
    const batch = Array.from({ length: 100 }, (): LedgerOperation => {
      const input = {
        callId: createId('call'),
        ...account,
        facts: factsAt(1),
        amountMillicredits: amount,
        acceptFromMillicredits: amount,
      };
      return { kind: 'hold', input, instance: 'test' };
    });
    database.pragma(`max_page_count = ${database.pragma('page_count', { simple: true })}`);
    const refusal = catchError(() => ledger.commitBatch(batch));
    expect(refusal).toMatchObject({ code: 'SQLITE_FULL' });
    expect(isDatabaseAway(refusal)).toBe(true);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 1_000_000, pending: 0 });

    database.pragma('max_page_count = 1000000');
    expect(ledger.commitBatch(batch)).toMatchObject({ status: 'committed' });
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 1_000_000, pending: 1_000 });
    database.close();
    await fixture.close();
  });
});

function catchError(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return null;
}
