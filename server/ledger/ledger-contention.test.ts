import { createConnection } from 'mysql2/promise';
import { readMysqlUrl } from '../database/database-address.js';
import { silentLogger } from '../kernel/logger.js';
import { Secret } from '../kernel/secret.js';
import { adminUrlOf, describeOnEachDatabase, describeOnOwnMysql } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { endingWith, grantOf, holdOf, LedgerFixture } from '../test/ledger-fixture.js';
import { openLedger } from './open-ledger.js';

describeOnOwnMysql('Ledger beside other writers', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);

  async function connectBeside() {
    if (fixture.database.address.kind !== 'mysql') throw new Error('This is for MySQL.');
    return createConnection(fixture.database.address.url.reveal());
  }

  it('books nothing by halves when somebody holds a wallet’s lock longer than it waits', async () => {
    const [locked, free] = [await fixture.createFundedAccount(1_000), await fixture.createFundedAccount(1_000)];
    const beside = await connectBeside();
    await beside.query('START TRANSACTION');
    await beside.query('SELECT * FROM ledger_account WHERE id = ? FOR UPDATE', [locked.accountId]);
    const grants = [locked, free].map(({ accountId }) =>
      fixture.ledger.grantCredits(grantOf(accountId, 50, `grant:lock:${accountId}`)),
    );
    // Longer than innodb_lock_wait_timeout, so that the first attempt is refused by the server for certain.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await beside.query('ROLLBACK');
    await beside.end();
    expect((await Promise.all(grants)).every(({ status }) => status === 'granted')).toBe(true);
    for (const { accountId } of [locked, free]) {
      expect(await fixture.findWallet(accountId)).toEqual({ posted: 1_050, pending: 0 });
    }
  }, 30_000);

  it('says that nothing is booked while somebody keeps a table locked, and that it is over afterwards', async () => {
    const accounts = [await fixture.createFundedAccount(1_000), await fixture.createFundedAccount(1_000)];
    const beside = await createConnection(adminUrlOf(fixture.database).href);
    await beside.query('LOCK TABLES ledger_transfer WRITE');
    const findFailingMs = async () => (await fixture.ledger.findSettlementStanding()).commitsFailingMs;
    const grant = (name: string) =>
      accounts.map(({ accountId }) =>
        fixture.ledger.grantCredits(grantOf(accountId, 50, `grant:${name}:${accountId}`)),
      );
    const grants = Promise.allSettled(grant('table'));
    await eventually(async () => (await findFailingMs()) !== null, 50);
    await beside.query('UNLOCK TABLES');
    await beside.end();
    await grants;
    await Promise.all(grant('free'));
    expect(await findFailingMs()).toBeNull();
  }, 60_000);

  it('comes through deadlocks with another writer that locks in the opposite order', async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, () => fixture.createFundedAccount(10_000)));
    const reversed = accounts
      .map(({ accountId }) => accountId)
      .sort()
      .reverse();
    const beside = await connectBeside();
    let isDone = false;
    // Whoever is in the way of the other, one of both is ended or has waited.
    let meetings = 0;
    const storm = (async () => {
      while (!isDone) {
        try {
          await beside.query('START TRANSACTION');
          for (const id of reversed) await beside.query('SELECT id FROM ledger_account WHERE id = ? FOR UPDATE', [id]);
          await beside.query('COMMIT');
          meetings += 1;
        } catch (error) {
          if ((error as { code?: string }).code === 'ER_LOCK_DEADLOCK') meetings += 1;
          await beside.query('ROLLBACK');
        }
      }
    })();
    for (let round = 0; round < 40; round += 1) {
      const holds = accounts.map((account) => holdOf(account, 10));
      const placed = await Promise.all(holds.map((hold) => fixture.ledger.placeHold(hold)));
      expect(placed.every(({ status }) => status === 'held')).toBe(true);
      await Promise.all(
        holds.map(({ callId, accountId }) =>
          fixture.ledger.settleHold({ callId, accountId, ending: endingWith(3, 2) }),
        ),
      );
    }
    isDone = true;
    await storm;
    await beside.end();
    expect(meetings).toBeGreaterThan(0);
    for (const { accountId } of accounts)
      expect(await fixture.findWallet(accountId)).toEqual({ posted: 9_800, pending: 0 });
  }, 60_000);

  it('turns calls away and keeps settlements while the server is read-only, as after a failover, and goes on after that', async () => {
    if (fixture.database.address.kind !== 'mysql') throw new Error('This is for MySQL.');
    const { host, port, database } = readMysqlUrl(fixture.database.address.url);
    const beside = await createConnection(adminUrlOf(fixture.database).href);
    // With what a server needs that changes no schema.
    await beside.query(`CREATE USER 'app_${database}'@'127.0.0.1' IDENTIFIED BY 'app'`);
    await beside.query(`GRANT SELECT, INSERT, UPDATE ON ${database}.* TO 'app_${database}'@'127.0.0.1'`);
    const url = new Secret(`mysql://app_${database}:app@${host}:${port}/${database}`);
    const ledger = openLedger({
      address: { kind: 'mysql', url },
      spoolFolder: fixture.spoolFolder,
      logger: silentLogger,
      instance: 'app',
    });
    const account = await fixture.createFundedAccount(1_000);
    const running = holdOf(account, 100);
    await ledger.placeHold(running);

    await beside.query('SET GLOBAL read_only = 1');
    await expect(ledger.placeHold(holdOf(account, 100))).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await ledger.settleHold({ ...running, ending: endingWith(5, 5) })).toEqual({ status: 'kept' });
    await beside.query('SET GLOBAL read_only = 0');

    await eventually(() => ledger.keptSettlementCount === 0, 20);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 990, pending: 0 });
    await ledger.close();
    await beside.query(`DROP USER 'app_${database}'@'127.0.0.1'`);
    await beside.end();
  }, 30_000);
});

describeOnEachDatabase('Several server processes on one database', (openTestDatabase) => {
  it('books one of two grants that share an id, whichever account comes first, and turns none into an error', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const accounts = await Promise.all(Array.from({ length: 6 }, () => fixture.createFundedAccount(0)));
    // Every two of them, so that some are committed on one connection and some on two.
    const pairs = accounts.flatMap((one, at) => accounts.slice(at + 1).map((other) => [one, other]));
    for (const [round, pair] of pairs.entries()) {
      const results = await Promise.all(
        pair.map(({ accountId }) => {
          const transferId = `grant:shared:${round}`;
          return fixture.ledger.grantCredits(grantOf(accountId, 7, transferId));
        }),
      );
      const replays = results.filter((result) => result.status === 'granted' && result.isReplay);
      expect([results.every(({ status }) => status === 'granted'), replays.length]).toEqual([true, 1]);
    }
    const wallets = await Promise.all(accounts.map(({ accountId }) => fixture.findWallet(accountId)));
    expect(wallets.reduce((sum, { posted }) => sum + posted, 0)).toBe(pairs.length * 7);
    await fixture.close();
  });

  it('never grants the last credits twice', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const { address } = fixture.database;
    const ledgers = ['one', 'two', 'three', 'four'].map((instance) =>
      openLedger({ address, spoolFolder: `${fixture.spoolFolder}/${instance}`, logger: silentLogger, instance }),
    );
    for (let round = 0; round < 25; round += 1) {
      const account = await fixture.createFundedAccount(1_000);
      const asked = Array.from({ length: 100 }, (_, n) => ledgers[n % 4]?.placeHold(holdOf(account, 1_000)));
      const granted = (await Promise.all(asked)).filter((result) => result?.status === 'held');
      expect(granted).toHaveLength(1);
      expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 1_000, pending: 1_000 });
    }
    await Promise.all(ledgers.map((ledger) => ledger.close()));
    await fixture.close();
  }, 60_000);
});
