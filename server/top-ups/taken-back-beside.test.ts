import { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { toMillicredits } from '../kernel/millicredits.js';
import type { Ledger } from '../ledger/ledger.js';
import { openLedger } from '../ledger/open-ledger.js';
import { AccountDesk } from '../operator/accounts/account-desk.js';
import { OperatorLog } from '../operator/operator-log.js';
import { describeOnMysql } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { endingWith, holdOf } from '../test/ledger-fixture.js';
import { SteppedTopUps } from '../test/stepped-top-ups.js';

/** Of each kind of work, one behind the other; all kinds at once. */
const rounds = 15;
const takenMillicredits = 7_000_000;

let triedAgain = 0;

/** A busy machine may keep an operation waiting for longer than the ledger's patience: then it is told to be tried again, and is. */
async function untilTaken<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'service_unavailable') throw error;
    triedAgain += 1;
    return untilTaken(work);
  }
}

/*
 * On SQLite one transaction is alone at any time. Here the ledger of one instance charges, that of another one takes back, and purchases,
 * charges of the card and its owner's consent lock the rows in between from connections of their own.
 */
describeOnMysql(
  'credits that are taken back beside calls, purchases and top-ups of the account',
  (openTestDatabase) => {
    let account: SteppedTopUps;
    let elsewhere: Ledger;

    beforeEach(async () => {
      account = await SteppedTopUps.open(await openTestDatabase(), new FakeClock(Date.UTC(2026, 0, 15)));
      const { database, spoolFolder } = account.fixture;
      elsewhere = openLedger({
        ...{ address: database.address, spoolFolder: `${spoolFolder}/elsewhere`, instance: 'elsewhere' },
        logger: silentLogger,
      });
    });

    // The books are proven when the fixture is closed.
    afterEach(async () => {
      await elsewhere.close();
      await account.close();
    });

    it('all come through, each once, and the balance is exact to the millicredit', async () => {
      const { accountId, double, fixture, clock } = account;
      const keyId = await fixture.createKey(accountId);
      const [first, second] = [await account.start(), await account.start()];
      await account.turnOn(first, 100_000);
      const unitOfWork = new UnitOfWork(fixture.source);
      const desk = new AccountDesk({
        ...{ ledger: elsewhere, unitOfWork, log: new OperatorLog(unitOfWork, clock, 'Grace') },
        keys: { revokeKey: () => Promise.reject(new Error('Nobody asks for this.')) },
        findTakeBackWrites: (taken) => second.purchases.findTakeBackWrites(taken),
      });
      const takeBack = () =>
        desk.takeBack({ accountId, amountMillicredits: toMillicredits(takenMillicredits), reason: 'given by mistake' });
      const call = async () => {
        const hold = holdOf({ accountId, keyId }, 600, { price: 2 });
        const { status } = await fixture.ledger.placeHold(hold);
        if (status === 'held')
          await fixture.ledger.settleHold({ callId: hold.callId, accountId, ending: endingWith(100, 150) });
      };
      const buy = async () => {
        const { service } = first.purchases;
        const { purchase } = await service.startCheckout(accountId, { dollars: 5 });
        double.books.pay(String(purchase.gatewaySessionId));
        expect((await untilTaken(() => service.confirmPurchase(accountId, purchase.id))).status).toBe('paid');
      };
      const agree = () =>
        second.purchases.topUpSettings.set({ accountId, personId: accountId }, { isOn: true, hasConsent: true });
      const works = [call, call, call, takeBack, takeBack, first.topUp, second.topUp, agree];
      await Promise.all(
        [buy, ...works.map((work) => () => untilTaken<unknown>(work))].map(async (work) => {
          for (let round = 0; round < rounds; round += 1) await work();
        }),
      );
      for (const { purchases } of [first, second]) await purchases.watch.settle();
      // What the database did not take in time is booked from the disk.
      await eventually(async () => (await fixture.findWallet(accountId)).pending === 0);

      const sum = async (column: string, table: string) =>
        Number((await fixture.source.query(`SELECT COALESCE(SUM(${column}), 0) AS sum FROM ${table}`))[0].sum);
      const [bought, charged] = [
        await sum('credits_millicredits', "purchase WHERE status = 'paid'"),
        await sum('charged_millicredits', 'call_record'),
      ];
      // One that was told to be tried again may have come through all the same.
      const takenBack = await fixture.countRows('operator_event', "action = 'take_back'");
      expect(takenBack).toBeGreaterThanOrEqual(2 * rounds);
      expect(takenBack).toBeLessThanOrEqual(2 * rounds + triedAgain);
      expect((await fixture.findWallet(accountId)).posted).toBe(
        500_000 + bought - charged - takenBack * takenMillicredits,
      );
      const paid = await fixture.countRows('purchase', "status = 'paid'");
      expect(paid).toBe(account.countCharges());
      expect(await fixture.countRows('account_event', "kind = 'credits_bought'")).toBe(paid);
    }, 60_000);
  },
);
