import { openPurchases } from '../composition/open-purchases.js';
import { FakeClock } from '../kernel/clock.js';
import { Secret } from '../kernel/secret.js';
import { toBelieved } from '../ledger/receipts/proven-time.js';
import { longestLookBackMs } from '../purchases/purchase-reconciler.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { makePurchasesParts } from '../test/purchases-parts.js';
import { type SteppedProcess, SteppedTopUps } from '../test/stepped-top-ups.js';
import { doubleSecretKey } from '../test/stripe-double.js';

const hourMs = 60 * 60_000;

describeOnEachDatabase('A charge of a saved card', (openTestDatabase) => {
  let clock: FakeClock;
  let topUps: SteppedTopUps;
  let server: SteppedProcess;

  beforeEach(async () => {
    clock = new FakeClock(Date.UTC(2026, 0, 15));
    topUps = await SteppedTopUps.open(await openTestDatabase(), clock);
    server = await topUps.start();
    await topUps.turnOn(server, 100);
  });
  afterEach(() => topUps.close());

  const posted = async () => (await topUps.fixture.findWallet(topUps.accountId)).posted;

  describe('that has no error and is not taken', () => {
    const find = () => server.purchases.topUpSettings.find(topUps.accountId);

    it('is canceled where it waits for its owner, who is away, is told as canceled, and begins anew as seldom as one that is declined', async () => {
      const { books } = topUps.double;
      books.bank = 'asks first';
      for (const pauseHours of [1, 24, 72]) {
        expect([await server.topUp(), await server.topUp()]).toEqual([true, false]);
        clock.advanceMs(pauseHours * hourMs);
      }
      expect([await server.topUp(), await server.topUp()]).toEqual([true, false]);
      expect(books.payments.map(({ status }) => status)).toEqual(Array(4).fill('canceled'));
      expect(await find()).toMatchObject({ isOn: false, failure: 'canceled', boughtThisMonthCents: 0 });
      const mails: { body: string }[] = await topUps.fixture.source.query('SELECT body FROM notice ORDER BY id');
      const told = mails.filter(({ body }) => body.startsWith('The payment was canceled before it was taken.'));
      expect(told).toHaveLength(4);
      expect(await posted()).toBe(500_000);
    });

    it('has no second one beside it while nobody knows what its status means, and brings its credits once it is taken', async () => {
      const { double } = topUps;
      double.books.bank = 'says something new';
      double.beforeWork = async (request) => {
        if (request.endsWith('/cancel')) double.fault = 'refuse';
        return true;
      };
      expect(await server.topUp()).toBe(true);
      double.books.bank = 'accepts';
      clock.advanceMs(2 * hourMs);
      await server.purchases.topUp?.sweep();
      expect([topUps.countCharges(), await posted()]).toEqual([1, 500_000]);
      expect(await find()).toMatchObject({ isOn: true, failure: null, boughtThisMonthCents: 2_000 });
      double.books.arrive(String(double.books.payments[0]?.id));
      await server.purchases.reconciler?.run(longestLookBackMs);
      expect([topUps.countCharges(), await posted()]).toEqual([1, 20_500_000]);
    });
  });

  describe('that comes a day late', () => {
    const unavailable = { code: 'service_unavailable' };

    it('is not sent where the machine slept before it could be', async () => {
      const stripe = { secretKey: new Secret(doubleSecretKey), webhookSecrets: [], apiBase: topUps.double.baseUrl };
      const readTime = async () => {
        const read = toBelieved(clock.nowMs());
        clock.advanceMs(25 * hourMs);
        return read;
      };
      const sleepy = openPurchases(
        { ...makePurchasesParts(topUps.fixture, clock), readTime },
        { publicUrl: 'http://tollgate.test', isProduction: true, stripe },
      );
      await expect(sleepy.topUp?.topUpIfNeeded(topUps.accountId)).rejects.toMatchObject(unavailable);
      expect([topUps.countCharges(), await posted()]).toEqual([0, 500_000]);
      await sleepy.watch.close();
    });

    it('stays that of its purchase where another one is made for it all the same, which is set aside', async () => {
      const { double, fixture } = topUps;
      let isHeld = false;
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const held = new Promise<void>((resolve) => {
        double.beforeWork = async (request) => {
          if (request !== 'POST /v1/payment_intents' || isHeld) return true;
          isHeld = true;
          resolve();
          await released;
          return true;
        };
      });
      const first = server.topUp();
      await held;
      clock.advanceMs(2 * 60_000);
      const other = await topUps.start();
      await other.purchases.topUp?.sweep();
      await other.purchases.reconciler?.run(longestLookBackMs);
      double.forgetKeys();
      release();
      await first;
      await other.purchases.reconciler?.run(longestLookBackMs);
      expect([topUps.countCharges(), await posted()]).toEqual([2, 20_500_000]);
      const paidBy = `gateway_session_id = '${double.books.payments[0]?.id}'`;
      expect(await fixture.countRows('purchase', paidBy)).toBe(1);
      expect(await fixture.countRows('stripe_event', "state = 'quarantined'")).toBe(1);
    });
  });
});
