import { createHmac } from 'node:crypto';
import { Secret } from '../kernel/secret.js';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase, describeOnMysql } from '../test/each-database.js';
import { doubleWebhookSecret, postDelivery, signDelivery } from '../test/stripe-double.js';
import type { StripeObject } from '../test/stripe-double-books.js';
import { type DoubleCheckout, DoubleShop } from '../test/stripe-double-shop.js';
import { TcpProxy } from '../test/tcp-proxy.js';

const nowSeconds = () => Math.floor(Date.now() / 1_000);
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

describeOnEachDatabase('the Stripe webhook', (openTestDatabase) => {
  const { shop, account } = DoubleShop.forEach(openTestDatabase);
  let checkout: DoubleCheckout;
  let event: StripeObject;
  let body: string;

  beforeEach(async () => {
    checkout = await shop.startCheckout(account);
    event = shop.double.books.pay(checkout.sessionId);
    body = JSON.stringify(event, null, 2);
  });

  const expectNothingCredited = async () => {
    expect(await shop.app.findWallet(account.accountId)).toEqual({ posted: 0, pending: 0 });
    expect(await shop.app.query('SELECT id FROM ledger_transfer')).toEqual([]);
  };

  it.each<[string, (text: string) => string | null]>([
    ['no signature', () => null],
    ['an empty signature', () => ''],
    ['nonsense', () => 'v1=abc'],
    ['a signature by the empty key', (text) => `t=${nowSeconds()},v1=${hmac('', `${nowSeconds()}.${text}`)}`],
    ['another secret', (text) => signDelivery(text, { secret: 'whsec_another_secret_of_some_length' })],
    ['only the old scheme', (text) => signDelivery(text).replace('v1=', 'v0=')],
    ['a re-serialised body', (text) => signDelivery(JSON.stringify(JSON.parse(text)))],
    ['a timestamp of six minutes ago', (text) => signDelivery(text, { timestamp: nowSeconds() - 360 })],
    [
      'a fresh timestamp on an old signature',
      (text) => {
        const old = signDelivery(text, { timestamp: nowSeconds() - 360 });
        return old.replace(/t=\d+/, `t=${nowSeconds()}`);
      },
    ],
  ])('refuses %s, and credits nothing', async (_, sign) => {
    const response = await postDelivery(shop.app.baseUrl, body, sign(body));
    expect(response.status).toBe(400);
    expect(await shop.app.query('SELECT id FROM stripe_event')).toEqual([]);
    await expectNothingCredited();
  });

  it('refuses a body that is too large, of another kind, or compressed, before it asks who signed', async () => {
    const post = (sent: string, headers: Record<string, string>) =>
      fetch(`${shop.app.baseUrl}/webhooks/stripe`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'stripe-signature': signDelivery(sent), ...headers },
        body: sent,
      });
    expect((await post(`${body}${' '.repeat(256 * 1_024)}`, {})).status).toBe(413);
    expect((await post(body, { 'content-type': 'text/plain' })).status).toBe(400);
    expect((await post(body, { 'content-encoding': 'gzip' })).status).toBe(415);
    await expectNothingCredited();
  });

  it('credits nothing by what an event claims: it only shows where to look', async () => {
    const open = await shop.startCheckout(account);
    const session = shop.double.books.getSession(open.sessionId);
    const lie = {
      ...session,
      status: 'complete',
      payment_status: 'paid',
      amount_total: 1,
      metadata: { credits: '1e12' },
    };
    expect(await shop.deliver(shop.double.books.emit('checkout.session.completed', lie))).toBe(200);
    await expectNothingCredited();
  });

  it.each<[string, (session: ReturnType<DoubleShop['double']['books']['getSession']>) => void, RegExp]>([
    ['amount', (session) => Object.assign(session, { amount_total: 100 }), /another amountCents/],
    ['currency', (session) => Object.assign(session, { currency: 'eur' }), /another currency/],
    ['account', (session) => Object.assign(session, { metadata: { account_id: 'acct_other' } }), /another accountId/],
    ['mode of money', (session) => Object.assign(session, { livemode: true }), /knows no such session/],
    ['payment than any', (session) => Object.assign(session, { payment_intent: null }), /knows no such session/],
    ['kind of session', (session) => Object.assign(session, { mode: 'setup' }), /knows no such session/],
  ])('sets a paid session of another %s aside, tells the operator, and credits nothing', async (_, change, reason) => {
    change(shop.double.books.getSession(checkout.sessionId));
    expect(await shop.deliver(event)).toBe(200);
    expect(await shop.listQuarantined()).toEqual([expect.stringMatching(reason)]);
    expect(shop.app.logLines.join('')).toContain('payment_notice_quarantined');
    await expectNothingCredited();
  });

  it('sets a session aside that names a purchase whose own session is another one', async () => {
    const victim = await shop.app.createAccount(0);
    const theirs = await shop.startCheckout(victim);
    const forged = shop.double.books.getSession(checkout.sessionId);
    Object.assign(forged, { client_reference_id: theirs.purchaseId });
    expect(await shop.deliver(event)).toBe(200);
    expect(await shop.listQuarantined()).toEqual([expect.stringMatching(/another purchaseId/)]);
    await expectNothingCredited();
  });

  it('never books money of the other mode', async () => {
    expect(await shop.deliver({ ...event, livemode: true })).toBe(200);
    expect(await shop.listQuarantined()).toEqual([expect.stringMatching(/mixed up/)]);
    await expectNothingCredited();
  });

  it('wants a young event delivered again whose purchase is unknown, and sets an old one aside', async () => {
    const stray = { ...shop.double.books.getSession(checkout.sessionId), id: 'cs_test_stray' };
    shop.double.books.sessions.push({ ...stray, client_reference_id: `pur_${'0'.repeat(26)}` });
    const young = shop.double.books.emit('checkout.session.completed', stray);
    expect(await shop.deliver(young)).toBe(503);
    expect(await shop.deliver({ ...young, created: nowSeconds() - 601 })).toBe(200);
    expect(await shop.listQuarantined()).toEqual([expect.stringMatching(/does not exist/)]);
    await expectNothingCredited();
  });

  it.each([
    ['another type', { type: 'invoice.paid' }],
    ['a type of the future', { type: 'checkout.session.teleported' }],
    ['a connected account', { account: 'acct_1' }],
  ])('takes an event of %s with 200 and does nothing', async (_, change) => {
    const requests = shop.double.requests.length;
    expect(await shop.deliver({ ...event, ...change })).toBe(200);
    expect(shop.double.requests).toHaveLength(requests);
    await expectNothingCredited();
  });

  it('takes an event about something else that is sold by the same Stripe account', async () => {
    const other = { ...shop.double.books.getSession(checkout.sessionId), id: 'cs_test_else', client_reference_id: '' };
    shop.double.books.sessions.push(other);
    expect(await shop.deliver(shop.double.books.emit('checkout.session.completed', other))).toBe(200);
    const charge = { id: 'ch_1', object: 'charge', payment_intent: 'pi_of_something_else' };
    expect(await shop.deliver(shop.double.books.emit('charge.refunded', charge))).toBe(200);
    expect(await shop.listQuarantined()).toEqual([]);
    await expectNothingCredited();
  });

  it('answers 503 while Stripe cannot be asked, and books on the next delivery', async () => {
    shop.double.isAway = true;
    expect(await shop.deliver(event)).toBe(503);
    await expectNothingCredited();
    shop.double.isAway = false;
    expect(await shop.deliver(event)).toBe(200);
    expect(await shop.listMovements(checkout)).toEqual([5_000_000]);
  });

  it('does not ask Stripe again for a delivery that was dealt with', async () => {
    expect(await shop.deliver(event)).toBe(200);
    const requests = shop.double.requests.length;
    expect(await shop.deliver(event)).toBe(200);
    expect(shop.double.requests).toHaveLength(requests);
    expect(await shop.listMovements(checkout)).toEqual([5_000_000]);
  });

  it('accepts the old and the new secret while they are changed', async () => {
    const both = `whsec_new_new_new_new_new_new,${doubleWebhookSecret}`;
    const other = await DoubleShop.open(await openTestDatabase(), { STRIPE_WEBHOOK_SECRET: both });
    const buyer = await other.app.createAccount(0);
    const { sessionId } = await other.startCheckout(buyer);
    expect(await other.deliver(other.double.books.pay(sessionId))).toBe(200);
    expect((await other.app.findWallet(buyer.accountId)).posted).toBe(5_000_000);
    await other.close();
  });

  it('is not there without a secret', async () => {
    const bare = await DoubleShop.open(await openTestDatabase(), { STRIPE_WEBHOOK_SECRET: '' });
    expect(await bare.deliver(event)).toBe(404);
    await bare.close();
    const simulated = await TestApp.start(await openTestDatabase());
    expect((await postDelivery(simulated.baseUrl, body, signDelivery(body, { secret: 'x' }))).status).toBe(404);
    await simulated.close();
  });
});

describeOnMysql('the Stripe webhook with a database that goes away', (openTestDatabase) => {
  it('answers 5xx while it is away, and then books exactly once', async () => {
    const database = await openTestDatabase();
    if (database.address.kind !== 'mysql') throw new Error('This is for MySQL.');
    const url = new URL(database.address.url.reveal());
    const network = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
    url.port = String(network.port);
    const behind = { ...database, address: { kind: 'mysql' as const, url: new Secret(url.href) } };
    const shop = await DoubleShop.open(behind);
    const account = await shop.app.createAccount(0);
    const checkout = await shop.startCheckout(account);
    const event = shop.double.books.pay(checkout.sessionId);
    network.setFault('down');
    expect(await shop.deliver(event)).toBe(503);
    expect(await shop.deliver(event)).toBe(503);
    network.setFault('none');
    const statuses = await Promise.all(Array.from({ length: 5 }, () => shop.deliver(event)));
    expect(statuses).toContain(200);
    expect(await shop.deliver(event)).toBe(200);
    expect(await shop.listMovements(checkout)).toEqual([5_000_000]);
    await shop.close();
    await network.close();
  });
});
