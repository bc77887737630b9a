import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { type Logger, silentLogger } from '../../kernel/logger.js';
import { adminUrlOf, describeOnOwnMysql } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { endingWith, grantOf, holdOf, LedgerFixture } from '../../test/ledger-fixture.js';
import { Ledger } from '../ledger.js';
import { SettlementSpool } from '../settlements/settlement-spool.js';
import { type MysqlConnect, MysqlLedgerStore } from './mysql-ledger-store.js';

const times = { leaseMs: 60_000, graceMs: 30_000 };

/** Connections on which no COMMIT is sent while they stand still, and how many the server has ended. */
class StandingConnections {
  #goOn: () => void = () => {};
  #isGoing: Promise<void> = Promise.resolve();
  stoodCount = 0;
  endedCount = 0;

  standStill(): void {
    this.#isGoing = new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  goOn(): void {
    this.#goOn();
  }

  readonly connect: MysqlConnect = async (options) => {
    const connection = await createConnection(options);
    connection.on('error', () => {
      this.endedCount += 1;
    });
    const query = connection.query.bind(connection) as (asked: { sql: string }) => Promise<unknown>;
    const standing = async (asked: { sql: string }) => {
      if (asked.sql.endsWith('COMMIT')) {
        this.stoodCount += 1;
        await this.#isGoing;
      }
      return query(asked);
    };
    connection.query = standing as typeof connection.query;
    return connection;
  };
}

describeOnOwnMysql('Sessions of the ledger that stand still', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);

  const openOn = ({ connect }: StandingConnections, logger: Logger) => {
    const { address } = fixture.database;
    if (address.kind !== 'mysql') throw new Error('This is for MySQL.');
    const openStore = () => new MysqlLedgerStore(address.url, times, { connect });
    const spool = new SettlementSpool(join(fixture.spoolFolder, 'beside'), 'beside', logger);
    return new Ledger({ stores: [openStore()], asideStore: openStore(), spool, logger, instance: 'beside' });
  };

  const grant = (ledger: Ledger, accountId: string) => ledger.grantCredits(grantOf(accountId, 1));

  it('keep a wallet from other instances for seconds, and what they were about to book is booked once', async () => {
    const connections = new StandingConnections();
    const standing = openOn(connections, silentLogger);
    const account = await fixture.createFundedAccount(1_000);
    const hold = holdOf(account, 100);
    const { callId } = hold;
    await fixture.ledger.placeHold(hold);

    connections.standStill();
    const settlement = standing.settleHold({ callId, accountId: account.accountId, ending: endingWith(5, 5) });
    await eventually(() => connections.stoodCount > 0);
    // Another instance is told to wait, until it gets through.
    let refusedCount = 0;
    const isGranted = () =>
      grant(fixture.ledger, account.accountId).then(
        () => true,
        () => {
          refusedCount += 1;
          return false;
        },
      );
    await eventually(isGranted).finally(() => connections.goOn());
    expect(refusedCount).toBeLessThan(3);
    await settlement;
    await eventually(() => standing.keptSettlementCount === 0);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 991, pending: 0 });
    await standing.close();
  }, 60_000);

  it('are opened anew without a word after the server has ended them, with nobody refused', async () => {
    const told: string[] = [];
    const tell = (event: string) => void told.push(event);
    const logger: Logger = { info: () => {}, warn: tell, error: tell };
    const admin = await createConnection(adminUrlOf(fixture.database).href);
    await admin.query('SET GLOBAL wait_timeout = 1');
    const account = await fixture.createFundedAccount(1_000);
    const connections = new StandingConnections();
    const ledger = openOn(connections, logger);
    for (let times = 1; times <= 3; times += 1) {
      expect(await grant(ledger, account.accountId)).toMatchObject({ status: 'granted', isReplay: false });
      await eventually(() => connections.endedCount === times);
    }
    await ledger.close();
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 1_003, pending: 0 });
    expect(told).toEqual([]);
    await admin.query('SET GLOBAL wait_timeout = DEFAULT');
    await admin.end();
  }, 60_000);
});
