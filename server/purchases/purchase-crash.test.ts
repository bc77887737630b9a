import { describeOnEachDatabase } from '../test/each-database.js';
import { PurchaseVictim } from '../test/purchase-victim.js';
import type { DoubleShop } from '../test/stripe-double-shop.js';

/*
 * `kill -9` at each step of a purchase. One server is killed; another one, on the same database, sees what becomes of it:
 * Stripe delivers its event again, as it does for three days, and nothing else is done by hand.
 */
describeOnEachDatabase('a server that is killed in the middle of a purchase', (openTestDatabase) => {
  let victim: PurchaseVictim;
  let shop: DoubleShop;

  beforeEach(async () => {
    victim = await PurchaseVictim.open(await openTestDatabase());
    shop = victim.shop;
  }, 60_000);

  afterEach(() => victim.close());

  it('after Stripe made the session and before it is noted: the payment is granted once', async () => {
    const killed = victim.killAfter('POST /v1/checkout/sessions');
    await victim.beginPurchase();
    await killed;
    const { purchaseId, notedSession } = await victim.findPurchase();
    expect(notedSession).toBeNull();
    const event = shop.double.books.pay(String(shop.double.books.sessions[0]?.id));
    for (let round = 0; round < 2; round += 1) expect(await shop.deliver(event)).toBe(200);
    expect(await shop.listMovements({ purchaseId })).toEqual([5_000_000]);
  }, 60_000);

  it.each(['GET /v1/refunds', 'GET /v1/disputes'])(
    'while the webhook asks Stripe (%s): the next delivery grants once',
    async (request) => {
      const checkout = await shop.startCheckout(victim.account);
      const event = shop.double.books.pay(checkout.sessionId);
      const killed = victim.killAfter(request);
      await shop.double.deliver(event, victim.baseUrl).catch(() => null);
      await killed;
      expect(await shop.listMovements(checkout)).toEqual([]);
      for (let round = 0; round < 2; round += 1) expect(await shop.deliver(event)).toBe(200);
      expect(await shop.listMovements(checkout)).toEqual([5_000_000]);
    },
    60_000,
  );

  it('between the grant and the answer to the webhook: the next delivery changes nothing', async () => {
    const checkout = await shop.startCheckout(victim.account);
    const event = shop.double.books.pay(checkout.sessionId);
    await victim.deliverUntilGranted(event, checkout);
    expect(await shop.deliver(event)).toBe(200);
    expect(await shop.listMovements(checkout)).toEqual([5_000_000]);
    expect(await shop.findState(victim.account, checkout)).toMatchObject({ status: 'paid' });
  }, 60_000);

  it('between the grant and the refund that came with it: the next delivery books the refund once', async () => {
    const checkout = await shop.startCheckout(victim.account);
    shop.double.books.pay(checkout.sessionId);
    const event = shop.double.books.refund(checkout.sessionId, 200);
    await victim.deliverUntilGranted(event, checkout);
    for (let round = 0; round < 2; round += 1) expect(await shop.deliver(event)).toBe(200);
    expect(await shop.listMovements(checkout)).toEqual([5_000_000, -2_000_000]);
  }, 60_000);
});
