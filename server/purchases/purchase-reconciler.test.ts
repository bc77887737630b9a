import { openPurchases, type Purchases } from '../composition/open-purchases.js';
import { FakeClock } from '../kernel/clock.js';
import { Secret } from '../kernel/secret.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { makePurchasesParts } from '../test/purchases-parts.js';
import { StripeDouble } from '../test/stripe-double.js';
import type { StripeObject } from '../test/stripe-double-books.js';
import { longestLookBackMs, PurchaseReconciler } from './purchase-reconciler.js';
import type { StripeGateway } from './stripe/stripe-gateway.js';
import { toPaymentNotice } from './stripe/stripe-notice.js';

const hourMs = 60 * 60 * 1_000;
const objectIdOf = (event: StripeObject) => (event.data as { object: { id: string } }).object.id;

describeOnEachDatabase('PurchaseReconciler', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let double: StripeDouble;
  let clock: FakeClock;
  let purchases: Purchases;
  let accountId: string;

  beforeEach(async () => {
    double = await StripeDouble.start();
    clock = new FakeClock(Date.now());
    accountId = (await fixture.createFundedAccount(0)).accountId;
    purchases = open();
  });

  afterEach(() => double.close());

  const open = (at = double) => {
    const stripe = { secretKey: new Secret(at.secretKey), webhookSecrets: [], apiBase: at.baseUrl };
    return openPurchases(makePurchasesParts(fixture, clock), {
      publicUrl: 'http://tollgate.test',
      isProduction: true,
      stripe,
    });
  };
  const startCheckout = async () => {
    const { purchase } = await purchases.service.startCheckout(accountId, { dollars: 5 });
    return { purchaseId: purchase.id, sessionId: String(purchase.gatewaySessionId) };
  };
  const reconcilerOf = ({ reconciler }: Purchases) => {
    if (!reconciler) throw new Error('Stripe has a reconciler.');
    return reconciler;
  };
  const reconcile = (lookBackMs = longestLookBackMs) => reconcilerOf(purchases).run(lookBackMs);
  const posted = async () => (await fixture.findWallet(accountId)).posted;
  const clean = { differences: [], failures: 0 };

  it('posts what missed events tell, once, however often and on however many servers it runs', async () => {
    const checkout = await startCheckout();
    double.books.pay(checkout.sessionId);
    double.books.refund(checkout.sessionId, 100);
    expect(await reconcile()).toEqual({ ...clean, missedNotices: 2, waitingPurchases: 0, paidPurchases: 0 });
    expect(await posted()).toBe(4_000_000);
    expect(await reconcile()).toMatchObject({ ...clean, missedNotices: 0 });
    const elsewhere = open().reconciler;
    await Promise.all([reconcile(), elsewhere?.run(longestLookBackMs), elsewhere?.run(longestLookBackMs)]);
    expect(await posted()).toBe(4_000_000);
    expect(await fixture.countRows('ledger_transfer')).toBe(2);
  });

  it('finds more events than fit on one of Stripe’s pages', async () => {
    const checkout = await startCheckout();
    double.books.pay(checkout.sessionId);
    for (let cents = 0; cents < 120; cents += 1) double.books.refund(checkout.sessionId, 1);
    expect(await reconcile()).toMatchObject({ ...clean, missedNotices: 121 });
    expect(await posted()).toBe(5_000_000 - 1_200_000);
  });

  it('deals with a page of events before it asks for the next one, so that few are in memory however many there are', async () => {
    const checkout = await startCheckout();
    double.books.pay(checkout.sessionId);
    for (let cents = 0; cents < 120; cents += 1) double.books.refund(checkout.sessionId, 1);
    const before = double.requests.length;
    await reconcile();
    const asked = double.requests.slice(before);
    expect(asked.filter((request) => request === 'GET /v1/events')).toHaveLength(2);
    const [first, second] = [asked.indexOf('GET /v1/events'), asked.lastIndexOf('GET /v1/events')];
    expect(asked.slice(first, second).filter((request) => request === 'GET /v1/disputes')).toHaveLength(100);
  });

  it('begins where the last whole round ended, however long no server ran, by the clock of Stripe', async () => {
    const checkout = await startCheckout();
    double.books.pay(checkout.sessionId);
    // Ours is ahead, and says that a round ends in the future.
    clock.advanceMs(20 * 24 * hourMs);
    expect(await reconcilerOf(purchases).run()).toMatchObject({ missedNotices: 1 });
    double.books.refund(checkout.sessionId, 100);
    clock.advanceMs(5 * 24 * hourMs);
    expect(await reconcilerOf(open()).run()).toMatchObject({ ...clean, missedNotices: 1 });
    expect(await posted()).toBe(4_000_000);
  });

  it('finds what happened at one account of Stripe’s while the key was of another, for days, once the key is back', async () => {
    const other = await StripeDouble.start();
    other.secretKey = 'sk_test_another0123456789';
    const setBackDays = (books: StripeDouble['books'], days: number) => {
      for (const event of books.events) event.created = Math.floor(Date.now() / 1_000) - days * 24 * 3_600;
    };
    try {
      const checkout = await startCheckout();
      double.books.pay(checkout.sessionId);
      setBackDays(double.books, 9);
      expect(await reconcilerOf(purchases).run()).toMatchObject({ missedNotices: 1 });
      const atOther = open(other);
      const { purchase } = await atOther.service.startCheckout(accountId, { dollars: 5 });
      other.books.pay(String(purchase.gatewaySessionId));
      expect(await reconcilerOf(atOther).run()).toMatchObject({ ...clean, missedNotices: 1 });
      const known = double.books.events.length;
      double.books.refund(checkout.sessionId, 100);
      for (const event of double.books.events.slice(known))
        event.created = Math.floor(Date.now() / 1_000) - 5 * 24 * 3_600;
      // Its deliveries may be signed with a secret that is still set; it must not count as dealt with.
      for (const event of double.books.events.slice(known)) {
        const told = atOther.notices?.receive(toPaymentNotice(event as never, false));
        await expect(told).rejects.toMatchObject({ code: 'service_unavailable' });
      }
      expect(await reconcilerOf(open()).run()).toMatchObject({ ...clean, missedNotices: 1 });
      expect(await posted()).toBe(10_000_000 - 1_000_000);
    } finally {
      await other.close();
    }
  });

  it('leaves one page to pay on where servers with keys of two accounts begin the same purchase', async () => {
    const other = await StripeDouble.start();
    other.secretKey = 'sk_test_another0123456789';
    try {
      double.beforeAnswer = async (request) => {
        if (request !== 'POST /v1/checkout/sessions') return;
        const atOther = open(other).service;
        const [begun] = (await atOther.listPurchases(accountId, { first: 1, beforeId: null })).items;
        if (begun) await atOther.resumeCheckout(begun);
      };
      const { purchase, url } = await purchases.service.startCheckout(accountId, { dollars: 5 });
      expect(url).toContain(other.baseUrl);
      other.books.pay(String(purchase.gatewaySessionId));
      expect(await reconcilerOf(open(other)).run()).toMatchObject({ ...clean, missedNotices: 1 });
      expect(await posted()).toBe(5_000_000);
    } finally {
      await other.close();
    }
  });

  it('counts no round as whole that leaves an event undone, or looks back for less', async () => {
    const parts = makePurchasesParts(fixture, clock);
    const about = { isOurMode: true, subject: null, type: 'charge.refunded' };
    const listed = [30, 20, 10].map((day) => ({ ...about, id: `evt_${day}`, createdAtMs: day * 24 * hourMs }));
    const since: number[] = [];
    let undone = '';
    const reconciler = new PurchaseReconciler({
      ...parts,
      gateway: {
        ...{ name: 'stripe', noticeSource: 'stripe:a' },
        listNotices: async function* (sinceMs: number) {
          since.push(sinceMs / hourMs);
          yield* listed;
        },
      } as unknown as StripeGateway,
      notices: { receive: async ({ id }) => (id === undone ? Promise.reject(new Error('Later.')) : 'processed') },
      reconciliation: { reconcile: () => Promise.reject(new Error('Nothing waits.')) },
      resume: async () => {},
    });
    clock.setWallMs(31 * 24 * hourMs);
    await reconciler.run(hourMs);
    undone = 'evt_20';
    expect(await reconciler.run()).toMatchObject({ failures: 1 });
    undone = '';
    await reconciler.run();
    await reconciler.run();
    // What failed and is younger than that comes up again in any case.
    undone = 'evt_30';
    await reconciler.run();
    await reconciler.run();
    expect(since).toEqual([31 * 24 - 1, 24, 24, 27 * 24, 27 * 24, 27 * 24]);
  });

  it('finds a paid purchase whose events Stripe has forgotten', async () => {
    const checkout = await startCheckout();
    double.books.pay(checkout.sessionId);
    double.books.events.length = 0;
    clock.advanceMs(2 * hourMs);
    expect(await reconcile()).toMatchObject({ ...clean, waitingPurchases: 1, paidPurchases: 1 });
    expect(await posted()).toBe(5_000_000);
  });

  it('ends the dispute whose end it never heard of', async () => {
    const checkout = await startCheckout();
    double.books.pay(checkout.sessionId);
    const dispute = double.books.openDispute(checkout.sessionId);
    await reconcile();
    expect(await fixture.countRows('ledger_account', "state = 'frozen'")).toBe(1);
    double.books.closeDispute(objectIdOf(dispute), 'won');
    double.books.events.length = 0;
    await reconcile();
    expect(await fixture.countRows('ledger_account', "state = 'frozen'")).toBe(0);
    expect(await fixture.countRows('purchase_reversal', "dispute_state = 'none'")).toBe(1);
  });

  it('opens the account of a server that died while it was ending a dispute', async () => {
    const checkout = await startCheckout();
    double.books.pay(checkout.sessionId);
    const dispute = double.books.openDispute(checkout.sessionId);
    await reconcile();
    double.books.closeDispute(objectIdOf(dispute), 'won');
    double.books.events.length = 0;
    await fixture.source.query("UPDATE purchase_reversal SET dispute_state = 'closing', revision = revision + 1");
    await reconcile();
    expect(await fixture.countRows('ledger_account', "state = 'frozen'")).toBe(0);
  });

  it('finishes a checkout that died before Stripe was asked, or before its answer was noted', async () => {
    double.isAway = true;
    await expect(startCheckout()).rejects.toThrow();
    double.isAway = false;
    const noted = await startCheckout();
    await fixture.source.query(
      `UPDATE purchase SET gateway_session_id = NULL, checkout_url = NULL WHERE id = '${noted.purchaseId}'`,
    );
    clock.advanceMs(hourMs);
    expect(await reconcile()).toMatchObject({ ...clean, waitingPurchases: 2 });
    expect(double.books.sessions).toHaveLength(2);
    const found = await purchases.service.findPurchase(accountId, noted.purchaseId);
    expect(found?.gatewaySessionId).toBe(noted.sessionId);
  });

  it('grants a payment whose session was never noted, by its event alone', async () => {
    const { purchaseId, sessionId } = await startCheckout();
    await fixture.source.query(`UPDATE purchase SET gateway_session_id = NULL WHERE id = '${purchaseId}'`);
    double.books.pay(sessionId);
    expect(await reconcile()).toMatchObject({ ...clean, missedNotices: 1 });
    expect(await posted()).toBe(5_000_000);
  });

  it('lets a checkout without a session expire after a day', async () => {
    double.isAway = true;
    await expect(startCheckout()).rejects.toThrow();
    double.isAway = false;
    clock.advanceMs(23 * hourMs);
    expect(await reconcile()).toMatchObject({ ...clean, waitingPurchases: 1 });
    expect(await fixture.countRows('purchase', "status = 'expired'")).toBe(1);
    expect(double.books.sessions).toHaveLength(0);
  });

  it('leaves a checkout alone that is only just being started', async () => {
    await startCheckout();
    expect(await reconcile()).toMatchObject({ ...clean, waitingPurchases: 0 });
  });

  it('runs by itself, again and again, until it is closed', async () => {
    purchases.reconciler?.start(5);
    for (const balance of [5_000_000, 10_000_000]) {
      double.books.pay((await startCheckout()).sessionId);
      // The test's own time limit ends the wait.
      await eventually(async () => (await posted()) >= balance);
    }
    await purchases.reconciler?.close();
    double.books.pay((await startCheckout()).sessionId);
    const asked = double.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(double.requests).toHaveLength(asked);
    expect(await posted()).toBe(10_000_000);
  });

  it('looks within five minutes of each start, for what a server missed while it was away', async () => {
    double.books.pay((await startCheckout()).sessionId);
    const { random } = Math;
    try {
      // The earliest of them, at which the first look of an hourly job would come after 45 minutes.
      Math.random = () => 0;
      purchases.reconciler?.start();
    } finally {
      Math.random = random;
    }
    // The test's own time limit ends the wait.
    await eventually(async () => (await posted()) >= 5_000_000);
    await purchases.reconciler?.close();
  });

  it('reports what does not fit, credits nothing for it, and goes on with the others', async () => {
    const wrong = await startCheckout();
    const right = await startCheckout();
    double.books.pay(wrong.sessionId);
    Object.assign(double.books.getSession(wrong.sessionId), { amount_total: 1 });
    double.books.pay(right.sessionId);
    const report = await reconcile();
    expect(report).toMatchObject({ missedNotices: 1, differences: [expect.stringMatching(/does not fit/)] });
    clock.advanceMs(hourMs);
    expect(await reconcile()).toMatchObject({ differences: [`${wrong.purchaseId}: another amountCents`] });
    expect(await posted()).toBe(5_000_000);
  });

  it('tells of thousands of differences in a mail that fits its column, with how many the log has', async () => {
    const parts = makePurchasesParts(fixture, clock);
    const notices = Array.from({ length: 3_000 }, (_, index) => ({
      ...{ id: `evt_${index}`, type: 'checkout.session.completed', createdAtMs: clock.nowMs() },
      ...{ isOurMode: false, subject: null },
    }));
    const reconciler = new PurchaseReconciler({
      ...parts,
      gateway: {
        ...{ name: 'stripe', noticeSource: 'stripe:a' },
        listNotices: async function* () {
          yield* notices;
        },
      } as unknown as StripeGateway,
      notices: { receive: async () => 'quarantined' },
      reconciliation: { reconcile: () => Promise.reject(new Error('Nothing waits.')) },
      resume: async () => {},
    });
    expect((await reconciler.run(hourMs)).differences).toHaveLength(3_000);
    const [{ body }] = await fixture.source.query('SELECT body FROM notice');
    expect(body).toMatch(/evt_0 does not fit\n/);
    expect(body).toMatch(/\nAnd \d+ more lines, which stand in the log of the server.\n$/);
  });

  it('fails aloud when Stripe cannot be asked, and loses nothing by it', async () => {
    const checkout = await startCheckout();
    double.books.pay(checkout.sessionId);
    double.isAway = true;
    await expect(reconcile()).rejects.toMatchObject({ code: 'service_unavailable' });
    double.isAway = false;
    await reconcile();
    expect(await posted()).toBe(5_000_000);
  });
});
