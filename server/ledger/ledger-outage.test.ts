import { readMysqlUrl } from '../database/database-address.js';
import { createId } from '../kernel/ids.js';
import { silentLogger } from '../kernel/logger.js';
import { Secret } from '../kernel/secret.js';
import { describeOnMysql } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { endingWith, grantOf, holdOf, LedgerFixture } from '../test/ledger-fixture.js';
import { TcpProxy } from '../test/tcp-proxy.js';
import type { Ledger } from './ledger.js';
import { openLedger } from './open-ledger.js';

/** LEDGER_CUTS=100 for a long run. */
const cutsWanted = Number(process.env.LEDGER_CUTS ?? 15);

describeOnMysql('Ledger and a network that breaks', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let network: TcpProxy;
  let ledger: Ledger;

  beforeAll(async () => {
    const database = await openTestDatabase();
    fixture = await LedgerFixture.open(database);
    if (database.address.kind !== 'mysql') throw new Error('SQLite has no network to break.');
    const { host, port, user, password, database: name } = readMysqlUrl(database.address.url);
    network = await TcpProxy.start({ host, port });
    const url = new Secret(`mysql://${user}:${password}@127.0.0.1:${network.port}/${name}`);
    const address = { kind: 'mysql', url } as const;
    ledger = openLedger({ address, spoolFolder: fixture.spoolFolder, logger: silentLogger, instance: 'remote' });
  });
  afterAll(async () => {
    await ledger?.close();
    await network?.close();
    await fixture.close();
  });

  const hold = (account: { accountId: string; keyId: string }, callId: string, amount: number) =>
    ledger.placeHold(holdOf(account, amount, { callId }));

  it.each(['cut-before-commit', 'cut-after-commit'] as const)(
    'books everything once when connections are %s',
    async (fault) => {
      const accounts = await Promise.all(Array.from({ length: 10 }, () => fixture.createFundedAccount(100_000)));
      network.cutEvery = 3;
      network.cuts = 0;
      network.setFault(fault);
      for (let round = 0; network.cuts < cutsWanted; round += 1) {
        const calls = accounts.map((account) => ({ ...account, callId: createId('call') }));
        const held = await Promise.all(calls.map((call) => hold(call, call.callId, 100)));
        expect(held.every(({ status }) => status === 'held')).toBe(true);
        const settled = await Promise.all(
          calls.map(({ callId, accountId }) => ledger.settleHold({ callId, accountId, ending: endingWith(5, 5) })),
        );
        expect(settled.every(({ status }) => status === 'settled' || status === 'kept')).toBe(true);
        // One that is kept is booked a moment later.
        const booked = accounts.filter((_, n) => round === 0 && settled[n]?.status === 'settled');
        for (const account of booked) {
          expect((await fixture.findWallet(account.accountId)).posted).toBe(99_990);
        }
      }
      network.setFault('none');
      const rounds = await fixture.countRows('call_record', `account_id = '${accounts[0]?.accountId}'`);
      for (const { accountId } of accounts) {
        expect(await fixture.findWallet(accountId)).toEqual({ posted: 100_000 - 10 * rounds, pending: 0 });
      }
    },
    120_000,
  );

  it.each(['down', 'blackhole'] as const)(
    'turns calls away but loses no settlement while the network is %s',
    async (fault) => {
      const account = await fixture.createFundedAccount(100_000);
      const callIds = Array.from({ length: 40 }, () => createId('call'));
      await Promise.all(callIds.map((callId) => hold(account, callId, 100)));
      network.setFault(fault);
      const turnedAway = hold(account, createId('call'), 100);
      await expect(turnedAway).rejects.toMatchObject({ code: 'service_unavailable' });
      const results = await Promise.all(
        callIds.map((callId) =>
          ledger.settleHold({ callId, accountId: account.accountId, ending: endingWith(30, 20) }),
        ),
      );
      expect(results.every(({ status }) => status === 'kept')).toBe(true);
      network.setFault('none');
      await eventually(() => ledger.keptSettlementCount === 0, 50);
      // A hold whose COMMIT was in doubt is voided when the database is back; both are in the same queue.
      await ledger.grantCredits(grantOf(account.accountId, 1));
      expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 100_001 - 40 * 50, pending: 0 });
    },
    60_000,
  );
});
