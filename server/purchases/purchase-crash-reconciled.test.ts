import { rmSync } from 'node:fs';
import { openPurchases } from '../composition/open-purchases.js';
import { createDataSource } from '../database/data-source.js';
import { entities, migrations } from '../entities.js';
import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { Secret } from '../kernel/secret.js';
import { openLedger } from '../ledger/open-ledger.js';
import { describeOnEachDatabase, type TestDatabase } from '../test/each-database.js';
import { PurchaseVictim } from '../test/purchase-victim.js';
import { makePurchasesParts } from '../test/purchases-parts.js';
import { doubleSecretKey } from '../test/stripe-double.js';
import type { DoubleShop } from '../test/stripe-double-shop.js';
import { makeTestFolder } from '../test/test-folder.js';
import { longestLookBackMs } from './purchase-reconciler.js';

/*
 * `kill -9` at each step of a purchase, and no webhook ever arrives afterwards: the reconciler alone brings it to its end,
 * however often it runs.
 */
describeOnEachDatabase('a purchase whose server was killed and whose webhook is lost', (openTestDatabase) => {
  let database: TestDatabase;
  let victim: PurchaseVictim;
  let shop: DoubleShop;

  beforeEach(async () => {
    database = await openTestDatabase();
    victim = await PurchaseVictim.open(database);
    shop = victim.shop;
  }, 60_000);

  afterEach(() => victim.close());

  /** Two hours later, as often as the crontab of an operator might. */
  const reconcileLater = async () => {
    const { address } = database;
    const source = await createDataSource(address, { entities, migrations }).initialize();
    const spoolFolder = makeTestFolder('spool');
    const ledger = openLedger({ address, spoolFolder, logger: silentLogger, instance: 'reconciler' });
    const stripe = { secretKey: new Secret(doubleSecretKey), webhookSecrets: [], apiBase: shop.double.baseUrl };
    const clock = new FakeClock(Date.now() + 2 * 60 * 60 * 1_000);
    const settings = { publicUrl: 'http://tollgate.test', isProduction: true, stripe };
    const purchases = openPurchases(makePurchasesParts({ source, ledger }, clock), settings);
    for (let round = 0; round < 2; round += 1) {
      await purchases.topUp?.sweep();
      expect(await purchases.reconciler?.run(longestLookBackMs)).toMatchObject({ differences: [], failures: 0 });
    }
    await purchases.watch.close();
    await ledger.close();
    await source.destroy();
    rmSync(spoolFolder, { recursive: true, force: true });
  };

  it('between the row and Stripe: the checkout is opened after all, and its payment is granted once', async () => {
    const killed = victim.killBefore('POST /v1/checkout/sessions');
    await Promise.all([victim.beginPurchase(), killed]);
    expect(shop.double.books.sessions).toHaveLength(0);
    // The same session is asked for with the same words, or Stripe would refuse its key.
    await reconcileLater();
    expect(shop.double.books.sessions).toHaveLength(1);
    shop.double.books.pay(String(shop.double.books.sessions[0]?.id));
    await reconcileLater();
    expect(await shop.listMovements(await victim.findPurchase())).toEqual([5_000_000]);
  }, 90_000);

  it('between Stripe’s session and noting it: the payment is granted once', async () => {
    const killed = victim.killAfter('POST /v1/checkout/sessions');
    await Promise.all([victim.beginPurchase(), killed]);
    shop.double.books.pay(String(shop.double.books.sessions[0]?.id));
    await reconcileLater();
    expect(shop.double.books.sessions).toHaveLength(1);
    expect(await shop.listMovements(await victim.findPurchase())).toEqual([5_000_000]);
  }, 90_000);

  it.each(['GET /v1/refunds', 'GET /v1/disputes'])(
    'while the webhook asks Stripe (%s): the payment is granted once',
    async (request) => {
      const checkout = await shop.startCheckout(victim.account);
      const event = shop.double.books.pay(checkout.sessionId);
      const killed = victim.killAfter(request);
      await Promise.all([shop.double.deliver(event, victim.baseUrl).catch(() => null), killed]);
      expect(await shop.listMovements(checkout)).toEqual([]);
      await reconcileLater();
      expect(await shop.listMovements(checkout)).toEqual([5_000_000]);
    },
    90_000,
  );

  it('between the grant and its refund, after the commit and before the answer: both are booked once', async () => {
    const checkout = await shop.startCheckout(victim.account);
    shop.double.books.pay(checkout.sessionId);
    const event = shop.double.books.refund(checkout.sessionId, 200);
    await victim.deliverUntilGranted(event, checkout);
    await reconcileLater();
    expect(await shop.listMovements(checkout)).toEqual([5_000_000, -2_000_000]);
  }, 90_000);

  it.each([
    ['before Stripe charges the card', () => victim.killBefore('POST /v1/payment_intents')],
    ['after Stripe has charged the card', () => victim.killAfter('POST /v1/payment_intents')],
    ['while it looks what became of the payment', () => victim.killAfter('GET /v1/refunds')],
  ])(
    'in an automatic top-up, %s: one charge, one grant',
    async (_, arm) => {
      const { startCardSetup } = await shop.app.graphql<{ startCardSetup: { url: string } }>(
        'mutation { startCardSetup { url } }',
        {},
        victim.account.sessionToken,
      );
      const saved = shop.double.books.saveCard(startCardSetup.url.slice(startCardSetup.url.lastIndexOf('/') + 1));
      expect(await shop.deliver(saved)).toBe(200);
      const killed = arm();
      const turnOn = `mutation { setAutoTopUp(input: { isOn: true, threshold: 1000, dollars: 20, monthlyCapDollars: 20,
      hasConsent: true }) { isOn } }`;
      await Promise.all([victim.ask(turnOn), killed]);
      const { purchaseId } = await victim.findPurchase();
      await reconcileLater();
      expect(await shop.listMovements({ purchaseId })).toEqual([20_000_000]);
      expect(await shop.app.query('SELECT id FROM purchase')).toHaveLength(1);
      expect(shop.double.books.payments).toHaveLength(1);
      const open = await shop.app.query('SELECT purchase_id FROM auto_top_up_charge WHERE open_for IS NOT NULL');
      expect(open).toEqual([]);
    },
    90_000,
  );
});
