import { mock } from 'node:test';
import { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { AccountDesk } from '../operator/accounts/account-desk.js';
import { OperatorLog } from '../operator/operator-log.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { type SteppedProcess, SteppedTopUps } from '../test/stepped-top-ups.js';

describeOnEachDatabase('credits that an operator takes back', (openTestDatabase) => {
  let account: SteppedTopUps;
  let process: SteppedProcess;
  let desk: AccountDesk;

  beforeEach(async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 15));
    account = await SteppedTopUps.open(await openTestDatabase(), clock);
    process = await account.start();
    const unitOfWork = new UnitOfWork(account.fixture.source);
    desk = new AccountDesk({
      unitOfWork,
      ledger: account.fixture.ledger,
      keys: { revokeKey: () => Promise.reject(new Error('Nobody asks for this.')) },
      log: new OperatorLog(unitOfWork, clock, 'Grace'),
      findTakeBackWrites: (taken) => process.purchases.findTakeBackWrites(taken),
    });
    // 500 credits and a threshold of 1,000: the first charge leaves 20,500.
    await account.turnOn(process, 100);
    expect(await process.topUp()).toBe(true);
  });

  afterEach(() => account.close());

  const takeBack = (millicredits: number, once?: string) =>
    desk.takeBack({
      accountId: account.accountId,
      amountMillicredits: toMillicredits(millicredits),
      reason: 'given by mistake',
      ...(once !== undefined && { once }),
    });
  const find = () => process.purchases.topUpSettings.find(account.accountId);
  const agree = async () => {
    const choice = { thresholdMillicredits: 1_000_000, dollars: 20, monthlyCapDollars: 100, hasConsent: true };
    const payer = { accountId: account.accountId, personId: account.accountId };
    await process.purchases.topUpSettings.set(payer, { ...choice, isOn: true });
    await process.purchases.watch.settle();
  };
  const countMails = async () =>
    (await account.fixture.source.query("SELECT id FROM notice WHERE title LIKE '%turned off%'")).length;

  it('have no card charged: the automatic top-up is off, its owner is told, and it goes on by new consent', async () => {
    await takeBack(20_000_000);
    expect(await process.topUp()).toBe(false);
    await process.purchases.topUp?.sweep();
    expect([account.countCharges(), await countMails()]).toEqual([1, 1]);
    expect(await find()).toMatchObject({ isOn: false, failure: 'taken_back' });
    await agree();
    expect(account.countCharges()).toBe(2);
    expect(await find()).toMatchObject({ isOn: true, failure: null });
  });

  it('leave the automatic top-up on where the balance stays at its threshold or above', async () => {
    await takeBack(19_500_000);
    expect(await find()).toMatchObject({ isOn: true, failure: null });
    expect([await process.topUp(), await countMails()]).toEqual([false, 0]);
  });

  it('are judged one after the other where two take some at the same moment: both together have no card charged', async () => {
    await Promise.all([takeBack(10_000_000), takeBack(10_000_000)]);
    expect(await find()).toMatchObject({ isOn: false, failure: 'taken_back' });
    expect([await process.topUp(), account.countCharges(), await countMails()]).toEqual([false, 1, 1]);
    const [{ body }] = await account.fixture.source.query("SELECT body FROM notice WHERE title LIKE '%turned off%'");
    expect(body).toContain('has taken 10,000 credits');
  });

  it('turn nothing off, and tell nobody, where the ledger does not take them', async () => {
    mock.method(account.fixture.ledger, 'reverseGrant', () => Promise.reject(new Error('The database is away.')));
    await expect(takeBack(20_000_000)).rejects.toThrow('away');
    mock.restoreAll();
    expect(await find()).toMatchObject({ isOn: true, failure: null });
    expect(await countMails()).toBe(0);
  });

  it('turn nothing off when they are asked for a second time by the same word', async () => {
    await takeBack(20_000_000, 'ticket-1');
    await agree();
    await takeBack(20_000_000, 'ticket-1');
    expect(await find()).toMatchObject({ isOn: true });
    expect(await countMails()).toBe(1);
  });
});
