import { type Stack, startStack } from '../../e2e/support/start-stack.js';
import type { TestAccount } from '../test/create-test-app.js';
import { describeOnEachDatabase, type TestDatabase } from '../test/each-database.js';
import { DoubleShop } from '../test/stripe-double-shop.js';

/*
 * `kill -9` at each step of a purchase. One server is killed; another one, on the same database, sees what becomes of it:
 * Stripe delivers its event again, as it does for three days, and nothing else is done by hand.
 */
describeOnEachDatabase('a server that is killed in the middle of a purchase', (openTestDatabase) => {
  let database: TestDatabase;
  let shop: DoubleShop;
  let account: TestAccount;
  let victim: Stack;

  beforeEach(async () => {
    database = await openTestDatabase();
    shop = await DoubleShop.open(database);
    account = await shop.app.createAccount(0);
    victim = await startStack(database.address, shop.double.settings);
  }, 60_000);

  afterEach(async () => {
    await victim.kill();
    await shop.close();
  });

  const killOn = (wanted: string) =>
    new Promise<void>((resolve) => {
      shop.double.beforeAnswer = async (request) => {
        if (request !== wanted) return;
        shop.double.beforeAnswer = async () => {};
        await victim.kill();
        resolve();
      };
    });
  const beginAtVictim = () =>
    fetch(`${victim.baseUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account.sessionToken}` },
      body: JSON.stringify({ query: 'mutation { startCheckout(input: { dollars: 5 }) { url } }' }),
    }).catch(() => null);
  const findPurchaseId = async () => {
    const [row] = await shop.app.query('SELECT id, gateway_session_id FROM purchase');
    return { purchaseId: String(row?.id), noted: row?.gateway_session_id };
  };

  it('after Stripe made the session and before it is noted: the payment is granted once', async () => {
    const killed = killOn('POST /v1/checkout/sessions');
    await beginAtVictim();
    await killed;
    const { purchaseId, noted } = await findPurchaseId();
    expect(noted).toBeNull();
    const event = shop.double.books.pay(String(shop.double.books.sessions[0]?.id));
    for (let round = 0; round < 2; round += 1) expect(await shop.deliver(event)).toBe(200);
    expect(await shop.listMovements({ purchaseId })).toEqual([5_000_000]);
  }, 60_000);

  it.each(['GET /v1/refunds', 'GET /v1/disputes'])(
    'while the webhook asks Stripe (%s): the next delivery grants once',
    async (request) => {
      const checkout = await shop.startCheckout(account);
      const event = shop.double.books.pay(checkout.sessionId);
      const killed = killOn(request);
      await shop.double.deliver(event, victim.baseUrl).catch(() => null);
      await killed;
      expect(await shop.listMovements(checkout)).toEqual([]);
      for (let round = 0; round < 2; round += 1) expect(await shop.deliver(event)).toBe(200);
      expect(await shop.listMovements(checkout)).toEqual([5_000_000]);
    },
    60_000,
  );

  it('between the grant and the answer to the webhook: the next delivery changes nothing', async () => {
    const checkout = await shop.startCheckout(account);
    const event = shop.double.books.pay(checkout.sessionId);
    const delivery = shop.double.deliver(event, victim.baseUrl).catch(() => null);
    // The test's own time limit ends the wait.
    while ((await shop.listMovements(checkout)).length === 0) await new Promise((resolve) => setImmediate(resolve));
    await victim.kill();
    await delivery;
    expect(await shop.deliver(event)).toBe(200);
    expect(await shop.listMovements(checkout)).toEqual([5_000_000]);
    expect(await shop.findState(account, checkout)).toMatchObject({ status: 'paid' });
  }, 60_000);

  it('between the grant and the refund that came with it: the next delivery books the refund once', async () => {
    const checkout = await shop.startCheckout(account);
    shop.double.books.pay(checkout.sessionId);
    const event = shop.double.books.refund(checkout.sessionId, 200);
    const delivery = shop.double.deliver(event, victim.baseUrl).catch(() => null);
    while ((await shop.listMovements(checkout)).length === 0) await new Promise((resolve) => setImmediate(resolve));
    await victim.kill();
    await delivery;
    for (let round = 0; round < 2; round += 1) expect(await shop.deliver(event)).toBe(200);
    expect(await shop.listMovements(checkout)).toEqual([5_000_000, -2_000_000]);
  }, 60_000);
});
