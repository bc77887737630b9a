import { describeOnEachDatabase } from '../../test/each-database.js';
import { doubleSecretKey } from '../../test/stripe-double.js';
import type { StripeObject } from '../../test/stripe-double-books.js';
import { textAt } from '../../test/stripe-double-form.js';
import { DoubleShop } from '../../test/stripe-double-shop.js';

describeOnEachDatabase('buying by Stripe', (openTestDatabase) => {
  const { shop, account } = DoubleShop.forEach(openTestDatabase);

  const posted = async () => (await shop.app.findWallet(account.accountId)).posted;

  it('opens a session for our amount in our currency, without codes, with an invoice', async () => {
    const { purchaseId, url } = await shop.startCheckout(account, 20);
    const form = shop.double.forms.at(-1) ?? {};
    const wanted = {
      mode: 'payment',
      client_reference_id: purchaseId,
      'metadata.account_id': account.accountId,
      'line_items.0.quantity': '1',
      'line_items.0.price_data.currency': 'usd',
      'line_items.0.price_data.unit_amount': '2000',
      'line_items.0.price_data.product_data.name': '20,000 credits',
      'invoice_creation.enabled': 'true',
      'adaptive_pricing.enabled': 'false',
      allow_promotion_codes: 'false',
      success_url: `http://tollgate.test/purchases/return?purchase=${purchaseId}`,
      cancel_url: 'http://tollgate.test/credits',
    };
    expect(Object.fromEntries(Object.keys(wanted).map((path) => [path, textAt(form, path)]))).toEqual(wanted);
    expect(url).toBe(`${shop.double.baseUrl}/pay/${shop.double.books.sessions[0]?.id}`);
    expect(await posted()).toBe(0);
  });

  it('leads the buyer from the page of Stripe back to ours, where the credits are', async () => {
    const checkout = await shop.startCheckout(account);
    const paid = await fetch(checkout.url, { method: 'POST', redirect: 'manual' });
    expect(paid.headers.get('location')).toBe(`http://tollgate.test/purchases/return?purchase=${checkout.purchaseId}`);
    expect(await shop.confirm(account, checkout)).toBe('PAID');
    expect(await posted()).toBe(5_000_000);
  });

  it('keeps one customer per account, also when an account begins to buy twice at once', async () => {
    await Promise.all([shop.startCheckout(account), shop.startCheckout(account)]);
    await shop.startCheckout(account);
    await shop.startCheckout(await shop.app.createAccount(0));
    expect(shop.double.books.customers).toHaveLength(2);
    expect(new Set(shop.double.books.sessions.map(({ customer }) => customer)).size).toBe(2);
    expect(await shop.app.query('SELECT account_id FROM stripe_customer')).toHaveLength(2);
  });

  it('makes an account one new customer when Stripe has its customer no longer, however many ask and however often it goes', async () => {
    const { customers, sessions } = shop.double.books;
    const open = async (page: string) => {
      const field = page === 'openBillingPortal' ? page : `${page} { url }`;
      return JSON.stringify(await shop.app.graphql(`mutation { ${field} }`, {}, account.sessionToken));
    };
    const first = await shop.buy(account);
    const lose = () => shop.double.books.deleteCustomer(String(customers[0]?.id));
    lose();
    const again = await Promise.all([shop.startCheckout(account), shop.startCheckout(account)]);
    expect(sessions.filter(({ customer }) => customer === customers[0]?.id)).toHaveLength(2);
    lose();
    expect(await open('startCardSetup')).toContain('/pay/');
    expect(sessions.at(-1)?.customer).toBe(customers[0]?.id);
    lose();
    expect(await open('openBillingPortal')).toContain(`/portal/${customers[0]?.id}`);
    expect(customers).toHaveLength(1);
    expect(await shop.app.query('SELECT customer_id FROM stripe_customer')).toEqual([
      { customer_id: customers[0]?.id },
    ]);
    expect(await shop.app.query('SELECT id FROM purchase')).toHaveLength(3);
    for (const { sessionId } of again) await shop.deliver(shop.double.books.pay(sessionId));
    await shop.deliver(shop.double.books.refund(first.sessionId, 500));
    expect(await posted()).toBe(10_000_000);
  });

  it.each(['lose-answer', 'fail'] as const)('opens one session when Stripe does this once: %s', async (fault) => {
    await shop.startCheckout(account);
    shop.double.fault = fault;
    const { sessionId } = await shop.startCheckout(account);
    expect(shop.double.books.sessions).toHaveLength(2);
    expect(shop.double.books.sessions.at(-1)?.id).toBe(sessionId);
  });

  it('posts once whether the webhook comes before, with or after the return page', async () => {
    const before = await shop.startCheckout(account);
    expect(await shop.deliver(shop.double.books.pay(before.sessionId))).toBe(200);
    expect(await shop.confirm(account, before)).toBe('PAID');

    const beside = await shop.startCheckout(account);
    const event = shop.double.books.pay(beside.sessionId);
    const pages = Array.from({ length: 5 }, () => shop.confirm(account, beside));
    const deliveries = Array.from({ length: 5 }, () => shop.deliver(event));
    expect(new Set(await Promise.all(pages))).toEqual(new Set(['PAID']));
    expect(new Set(await Promise.all(deliveries))).toEqual(new Set([200]));

    const after = await shop.startCheckout(account);
    const late = shop.double.books.pay(after.sessionId);
    expect(await shop.confirm(account, after)).toBe('PAID');
    expect(await shop.deliver(late)).toBe(200);

    for (const checkout of [before, beside, after]) expect(await shop.listMovements(checkout)).toEqual([5_000_000]);
    expect(await posted()).toBe(15_000_000);
  });

  it('shows a payment that is on its way as pending, and grants when it has arrived', async () => {
    const checkout = await shop.startCheckout(account);
    expect(await shop.deliver(shop.double.books.payLater(checkout.sessionId))).toBe(200);
    expect(await shop.confirm(account, checkout)).toBe('PENDING');
    expect(await posted()).toBe(0);
    expect(await shop.deliver(shop.double.books.succeedLater(checkout.sessionId))).toBe(200);
    expect(await shop.confirm(account, checkout)).toBe('PAID');
    expect(await posted()).toBe(5_000_000);
  });

  it('ends a purchase whose payment failed, or whose session was left', async () => {
    const failed = await shop.startCheckout(account);
    shop.double.books.payLater(failed.sessionId);
    expect(await shop.deliver(shop.double.books.failLater(failed.sessionId))).toBe(200);
    expect(await shop.confirm(account, failed)).toBe('EXPIRED');
    const left = await shop.startCheckout(account);
    expect(await shop.deliver(shop.double.books.expire(left.sessionId))).toBe(200);
    expect(await shop.confirm(account, left)).toBe('EXPIRED');
    expect(await posted()).toBe(0);
  });

  it('brings the credits of money that was taken, even for a purchase that we took for expired', async () => {
    const checkout = await shop.startCheckout(account);
    await shop.app.query(`UPDATE purchase SET status = 'expired' WHERE id = '${checkout.purchaseId}'`);
    expect(await shop.deliver(shop.double.books.pay(checkout.sessionId))).toBe(200);
    expect(await shop.listMovements(checkout)).toEqual([5_000_000]);
  });

  it('books at once what an event tells that has its payment in it as an object, and not as an id alone', async () => {
    const { books } = shop.double;
    const { sessionId } = await shop.buy(account);
    const payment = { id: books.getSession(sessionId).payment_intent, object: 'payment_intent', amount: 500 };
    const deliverExpanded = async (event: StripeObject) => {
      const { object } = event.data as { object: object };
      expect(await shop.deliver({ ...event, data: { object: { ...object, payment_intent: payment } } })).toBe(200);
    };
    await deliverExpanded(books.refund(sessionId, 100));
    expect(await posted()).toBe(4_000_000);
    books.refund(sessionId, 100);
    await deliverExpanded(books.emit('charge.refunded', { id: 'ch_1', object: 'charge', payment_intent: null }));
    expect(await posted()).toBe(3_000_000);
    books.openDispute(sessionId, 300);
    await deliverExpanded(books.withdrawFunds(String(books.disputes[0]?.id)));
    expect(await posted()).toBe(0);
  });

  it('books an event whose account is told as none, as of no connected account', async () => {
    const { sessionId, ...checkout } = await shop.startCheckout(account);
    expect(await shop.deliver({ ...shop.double.books.pay(sessionId), account: null })).toBe(200);
    expect(await shop.listMovements(checkout)).toEqual([5_000_000]);
  });

  it('has no simulated checkout beside it', async () => {
    const { purchaseId } = await shop.startCheckout(account);
    const response = await fetch(`${shop.app.baseUrl}/checkout/simulated/${purchaseId}/pay`, { method: 'POST' });
    expect(response.status).toBe(404);
    expect(await posted()).toBe(0);
  });

  it('says so when Stripe is away, keeps the key out of the log, and credits nothing', async () => {
    const checkout = await shop.startCheckout(account);
    shop.double.isAway = true;
    await expect(shop.confirm(account, checkout)).rejects.toThrow(/payment service cannot be reached/);
    shop.double.isAway = false;
    expect(await posted()).toBe(0);
    expect(shop.app.logLines.join('')).toContain('stripe_request_failed');
    expect(shop.app.logLines.join('')).not.toContain(doubleSecretKey);
  });

  it('tells the operator what Stripe refuses, and its buyer that waiting is no remedy', async () => {
    // The first of an account makes its customer.
    await shop.startCheckout(account);
    shop.double.fault = 'refuse';
    const refused = await shop.startCheckout(account).catch((error: Error) => error.message);
    expect(refused).toMatch(/does not accept what this server asks of it.*Ask the operator/);
    expect(refused).not.toMatch(/cannot be reached|success_url|Not a valid URL/);
    const line = shop.app.logLines.find((text) => text.includes('stripe_request_refused')) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      code: 'url_invalid',
      param: 'success_url',
      statusCode: 400,
      requestId: 'req_double',
      reason: expect.stringMatching(/^Not a valid URL: …/),
    });
    expect(line).not.toMatch(/sk_test_0123|buyer\.example|ada@example/);
    expect(await posted()).toBe(0);
  });
});
