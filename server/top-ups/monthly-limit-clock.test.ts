import { openPurchases, type Purchases } from '../composition/open-purchases.js';
import { FakeClock } from '../kernel/clock.js';
import { Secret } from '../kernel/secret.js';
import { ProvenTime } from '../ledger/receipts/proven-time.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { makePurchasesParts } from '../test/purchases-parts.js';
import { doubleSecretKey, StripeDouble } from '../test/stripe-double.js';

const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;

describeOnEachDatabase('The monthly limit of the automatic top-up', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let double: StripeDouble;
  let clock: FakeClock;
  let accountId: string;
  let opened: Purchases[];

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    double = await StripeDouble.start();
    // As the ledger's rows.
    clock = new FakeClock(Date.now());
    opened = [];
    accountId = (await fixture.createFundedAccount(500_000)).accountId;
  });
  afterEach(async () => {
    for (const { watch } of opened) await watch.close();
    await fixture.close();
    await double.close();
  });

  /** What a process makes at its start, which has watched no clock. */
  const start = async () => {
    const stripe = { secretKey: new Secret(doubleSecretKey), webhookSecrets: [], apiBase: double.baseUrl };
    const parts = makePurchasesParts(fixture, clock);
    const time = new ProvenTime(parts.unitOfWork, clock, async () => clock.nowMs());
    await time.read();
    const findBelievedMs: typeof parts.findBelievedMs = async (reader) => (await time.read(reader)).believedMs;
    const settings = { publicUrl: 'http://tollgate.test', isProduction: true, stripe };
    const purchases = openPurchases({ ...parts, findBelievedMs }, settings);
    opened.push(purchases);
    const topUp = async () => (await purchases.topUp?.topUpIfNeeded(accountId)) ?? false;
    return { purchases, topUp };
  };
  const turnOn = async ({ topUpSettings, watch }: Purchases) => {
    const payer = { accountId, personId: accountId };
    const { url } = await topUpSettings.startCardSetup(payer);
    const setupId = url.slice(url.lastIndexOf('/') + 1);
    double.books.saveCard(setupId);
    await topUpSettings.confirmCardSetup(payer, setupId);
    await fixture.ledger.setWalletState({ accountId, state: 'frozen', reason: 'operator' });
    const choice = { thresholdMillicredits: 1_000_000, dollars: 20, monthlyCapDollars: 20, hasConsent: true };
    await topUpSettings.set(payer, { ...choice, isOn: true });
    await watch.settle();
    await fixture.ledger.setWalletState({ accountId, state: 'open', reason: 'operator' });
  };
  const spendAll = async () => {
    const amountMillicredits = (await fixture.findWallet(accountId)).posted as Parameters<
      typeof fixture.ledger.reverseGrant
    >[0]['amountMillicredits'];
    const transferId = `refund:test:${Math.random()}`;
    await fixture.ledger.reverseGrant({ transferId, type: 'adjustment', accountId, amountMillicredits });
  };
  const listMails = async () =>
    (await fixture.source.query("SELECT title FROM notice WHERE title LIKE '%monthly limit%'")) as unknown[];

  it.each([35, 70, 400])(
    'is not passed when the clock is ahead by %d days for less than a day, also by a process that begins then',
    async (days) => {
      const first = await start();
      await turnOn(first.purchases);
      expect(await first.topUp()).toBe(true);
      await spendAll();
      clock.setWallMs(clock.nowMs() + days * dayMs);
      const second = await start();
      for (let hour = 0; hour < 24; hour += 4) {
        for (const { topUp } of [first, second, await start()]) expect(await topUp()).toBe(false);
        clock.advanceMs(4 * hourMs);
      }
      expect(double.books.payments).toHaveLength(1);
      expect(await listMails()).toHaveLength(0);
    },
    60_000,
  );

  it('counts what was charged while the clock was ahead, once it is set right, and in that month alone', async () => {
    const { purchases, topUp } = await start();
    await turnOn(purchases);
    clock.setWallMs(clock.nowMs() + 400 * dayMs);
    expect(await topUp()).toBe(true);
    await spendAll();
    clock.setWallMs(clock.nowMs() - 400 * dayMs);
    expect(await topUp()).toBe(false);
    expect(await (await start()).topUp()).toBe(false);
    clock.advanceMs(25 * hourMs);
    expect(await topUp()).toBe(false);
    expect(double.books.payments).toHaveLength(1);
    clock.advanceMs(32 * dayMs);
    expect(await topUp()).toBe(true);
  });

  it('is free again with the first second of a month, where a process has watched the clock for a day', async () => {
    const { purchases, topUp } = await start();
    await turnOn(purchases);
    expect(await topUp()).toBe(true);
    await spendAll();
    expect(await topUp()).toBe(false);
    const now = new Date(clock.nowMs());
    const nextMonthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    // The next month's, where this one has no whole day left.
    const monthMs = nextMonthMs - clock.nowMs() > dayMs ? nextMonthMs : nextMonthMs + 31 * dayMs;
    clock.advanceMs(monthMs - clock.nowMs());
    expect(await topUp()).toBe(true);
    expect(double.books.payments).toHaveLength(2);
  });
});
