import { copyFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { FakeClock } from '../kernel/clock.js';
import { openSqliteDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { endingWith, holdOf, LedgerFixture } from '../test/ledger-fixture.js';
import { makeTestFolder } from '../test/test-folder.js';
import { ServingCheck } from './proofs/serving-check.js';
import { SqliteFilePlace } from './sqlite-file-place.js';

describe('A SQLite file that is moved away beneath a server', () => {
  const fixture = LedgerFixture.forEach(openSqliteDatabase);
  let file: string;
  beforeEach(() => {
    file = (fixture.database.address as { file: string }).file;
  });

  const countAccounts = (source: DataSource) => source.query('SELECT COUNT(*) AS n FROM account');

  it('is written to by nobody any more, also when another lies in its place; what was used waits on the disk, and is booked when it is back', async () => {
    const told: boolean[] = [];
    const filePlace = new SqliteFilePlace(file, { tell: (isInPlace) => told.push(isInPlace) });
    const { unitOfWork } = fixture;
    const clock = new FakeClock();
    const serving = new ServingCheck({ source: fixture.source, unitOfWork, filePlace, clock });
    const account = await fixture.createFundedAccount(1_000);
    const hold = holdOf(account, 100);
    const { callId } = hold;
    await fixture.ledger.placeHold(hold);
    await expect(serving.assertServes()).resolves.toBeUndefined();

    const away = `${file}.away`;
    renameSync(file, away);
    for (const isOtherThere of [false, true]) {
      if (isOtherThere) copyFileSync(away, file);
      clock.advanceMs(5_000);
      await expect(serving.assertServes()).rejects.toMatchObject({ code: 'service_unavailable' });
      await expect(fixture.ledger.placeHold(holdOf(account, 100))).rejects.toMatchObject({
        code: 'service_unavailable',
      });
      const write = unitOfWork.transact((transaction) => transaction.query('DELETE FROM account'));
      await expect(write).rejects.toMatchObject({ code: 'service_unavailable' });
    }
    expect(await countAccounts(fixture.source)).toEqual([{ n: 1 }]);
    const settlement = { callId, accountId: account.accountId, ending: endingWith(20, 10) };
    expect(await fixture.ledger.settleHold(settlement)).toEqual({ status: 'kept' });
    expect(await fixture.countRows('call_record')).toBe(0);

    rmSync(file);
    renameSync(away, file);
    clock.advanceMs(5_000);
    await expect(serving.assertServes()).resolves.toBeUndefined();
    expect(told).toEqual([false, true]);
    await eventually(async () => (await fixture.countRows('call_record')) === 1, 20);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 970, pending: 0 });
  }, 60_000);

  it('is refused as well where its log is removed that lies beside the file itself, and not beside the link that was named', async () => {
    const folder = makeTestFolder('linked-database');
    const link = join(folder, 'link.db');
    symlinkSync(file, link);
    const filePlace = new SqliteFilePlace(link);
    await fixture.createFundedAccount(1_000);
    filePlace.assertInPlace();
    renameSync(`${file}-wal`, `${file}-wal.away`);
    expect(() => filePlace.assertInPlace()).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
    renameSync(`${file}-wal.away`, `${file}-wal`);
    filePlace.assertInPlace();
    const other = join(folder, 'other.db');
    copyFileSync(file, other);
    rmSync(link);
    symlinkSync(other, link);
    expect(() => filePlace.assertInPlace()).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
  });

  it('is refused as well where its write-ahead log is removed; what is in that comes into the file when the server ends', async () => {
    const told: boolean[] = [];
    const filePlace = new SqliteFilePlace(file, { tell: (isInPlace) => told.push(isInPlace) });
    const clock = new FakeClock();
    const { source, unitOfWork, ledger } = fixture;
    const serving = new ServingCheck({ source, unitOfWork, filePlace, clock });
    const account = await fixture.createFundedAccount(1_000);
    await expect(serving.assertServes()).resolves.toBeUndefined();

    const log = `${file}-wal`;
    for (const isOtherThere of [false, true]) {
      if (isOtherThere) writeFileSync(log, '');
      else rmSync(log);
      clock.advanceMs(5_000);
      await expect(serving.assertServes()).rejects.toMatchObject({ code: 'service_unavailable' });
      const placed = ledger.placeHold(holdOf(account, 100));
      await expect(placed).rejects.toMatchObject({ code: 'service_unavailable' });
      const write = unitOfWork.transact((transaction) => transaction.query('DELETE FROM account'));
      await expect(write).rejects.toMatchObject({ code: 'service_unavailable' });
    }
    expect(told).toEqual([false]);

    await ledger.close();
    await source.destroy();
    await source.initialize();
    expect(await countAccounts(source)).toEqual([{ n: 1 }]);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 1_000, pending: 0 });
  }, 60_000);
});
