import { mock } from 'node:test';
import { openPurchases, type Purchases } from '../composition/open-purchases.js';
import { getDatabaseId } from '../database/database-id.js';
import { FakeClock } from '../kernel/clock.js';
import { Secret } from '../kernel/secret.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { makePurchasesParts } from '../test/purchases-parts.js';
import { doubleSecretKey, StripeDouble } from '../test/stripe-double.js';
import type { SessionObject } from '../test/stripe-double-books.js';
import type { PaymentNotice } from './payment-gateway.js';
import { listPurchaseMetrics } from './purchase-metrics.js';
import { longestLookBackMs } from './purchase-reconciler.js';
import { StripeApi } from './stripe/stripe-api.js';

interface Installation {
  readonly fixture: LedgerFixture;
  readonly purchases: Purchases;
  readonly accountId: string;
}

const wish = { isOn: true, thresholdMillicredits: 1_000_000, dollars: 20, monthlyCapDollars: 50, hasConsent: true };

describeOnEachDatabase('Two Tollgates on one account of Stripe’s', (openTestDatabase) => {
  let double: StripeDouble;
  let clock: FakeClock;
  let ours: Installation;
  let theirs: Installation;

  beforeEach(async () => {
    double = await StripeDouble.start();
    clock = new FakeClock(Date.now());
    [ours, theirs] = [await open(), await open()];
  });

  afterEach(async () => {
    mock.restoreAll();
    for (const { purchases, fixture } of [ours, theirs]) {
      await purchases.watch.close();
      await fixture.close();
    }
    await double.close();
  });

  const open = async (): Promise<Installation> => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const stripe = { secretKey: new Secret(doubleSecretKey), webhookSecrets: [], apiBase: double.baseUrl };
    const settings = { publicUrl: 'http://tollgate.test', isProduction: true, stripe };
    const purchases = openPurchases(makePurchasesParts(fixture, clock), settings);
    return { fixture, purchases, accountId: (await fixture.createFundedAccount(0)).accountId };
  };
  const payAt = async ({ purchases, accountId }: Installation): Promise<SessionObject> => {
    const { purchase } = await purchases.service.startCheckout(accountId, { dollars: 5 });
    double.books.pay(String(purchase.gatewaySessionId));
    return double.books.getSession(String(purchase.gatewaySessionId));
  };
  const topUpAt = async ({ purchases: { topUpSettings, watch }, accountId }: Installation) => {
    const payer = { accountId, personId: accountId };
    const { url } = await topUpSettings.startCardSetup(payer);
    const setupId = url.slice(url.lastIndexOf('/') + 1);
    double.books.saveCard(setupId);
    await topUpSettings.confirmCardSetup(payer, setupId);
    await topUpSettings.set(payer, wish);
    await watch.settle();
  };
  const reconcile = ({ purchases: { reconciler } }: Installation) => {
    if (!reconciler) throw new Error('Stripe has a reconciler.');
    return reconciler.run(longestLookBackMs);
  };
  const listStates = async ({ fixture }: Installation) =>
    (await fixture.source.query('SELECT state, reason FROM stripe_event ORDER BY id')) as {
      state: string;
      reason: string | null;
    }[];
  const metadataOf = (session: SessionObject) => session.metadata as Record<string, string>;
  const unknownIn = { missedNotices: 0, differences: [], failures: 1 };

  it('each write on everything that they make there whose it is', async () => {
    await topUpAt(ours);
    await payAt(ours);
    await payAt(theirs);
    const idOf = ({ fixture }: Installation) => getDatabaseId(fixture.unitOfWork);
    const [ourId, theirId] = [await idOf(ours), await idOf(theirs)];
    const { customers, sessions, payments } = double.books;
    const written = [...customers, ...sessions, ...payments.filter(({ customer }) => customer)].map(
      ({ metadata }) => (metadata as Record<string, string>).installation_id,
    );
    expect(written).toEqual([ourId, theirId, ourId, ourId, theirId, ourId]);
    const form = double.forms.find(({ mode }) => mode === 'payment');
    expect(form).toMatchObject({
      payment_intent_data: { metadata: { installation_id: ourId } },
      invoice_creation: { invoice_data: { metadata: { installation_id: ourId } } },
    });
  });

  it('each pass over at once what the other has sold, refunded, charged by a saved card or kept a card for, and count it', async () => {
    await topUpAt(theirs);
    const session = await payAt(theirs);
    double.books.refund(session.id, 100);
    const eventsCount = double.books.events.length;
    expect(await reconcile(ours)).toMatchObject({ missedNotices: 0, differences: [], failures: 0 });
    const states = await listStates(ours);
    expect(states).toHaveLength(eventsCount);
    expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['ignored']));
    // Once, however many events there are.
    const theirId = await getDatabaseId(theirs.fixture.unitOfWork);
    const mails = await ours.fixture.source.query('SELECT title, body FROM notice');
    expect(mails).toEqual([
      { title: expect.stringContaining('of another Tollgate are ignored'), body: expect.stringContaining(theirId) },
    ]);
    expect(states).toContainEqual({ state: 'ignored', reason: expect.stringContaining(theirId) });
    expect(await ours.fixture.countRows('auto_top_up')).toBe(0);
    const counted = await listPurchaseMetrics(ours.fixture.unitOfWork, ours.purchases.notices);
    expect(counted).toContainEqual(
      expect.objectContaining({ name: 'tollgate_payment_events_foreign_total', value: eventsCount - 1 }),
    );
    const asked = double.requests.length;
    await reconcile(ours);
    expect(double.requests.slice(asked)).toEqual(['GET /v1/events']);
    expect(await reconcile(theirs)).toMatchObject({ differences: [], failures: 0 });
    expect(await theirs.fixture.findWallet(theirs.accountId)).toMatchObject({ posted: 24_000_000 });
  });

  it.each<[string, () => Promise<object>]>([
    [
      'it names our installation, as where an older backup was restored or a copy sells',
      async () => ({ installation_id: await getDatabaseId(ours.fixture.unitOfWork) }),
    ],
    ['it names none, as those of earlier releases', async () => ({ installation_id: undefined })],
    ['it names an account of ours, whatever installation it names', async () => ({ account_id: ours.accountId })],
  ])(
    'lose no payment: one of an unknown purchase is asked for again, and told to the operator, where %s',
    async (_, change) => {
      const session = await payAt(theirs);
      Object.assign(metadataOf(session), await change());
      expect(await reconcile(ours)).toMatchObject(unknownIn);
      expect(await listStates(ours)).toEqual([]);
      // The double stamps events by the machine’s clock, which has gone on since ours stood still.
      clock.advanceMs(20 * 60_000);
      expect(await reconcile(ours)).toMatchObject({
        differences: [expect.stringMatching(/does not fit/)],
        failures: 0,
      });
      expect(await listStates(ours)).toMatchObject([{ state: 'quarantined' }]);
      expect(await ours.fixture.countRows('notice')).toBe(2);
    },
  );

  it('leave what is older than three days and names nothing of theirs, until the operator asks for it', async () => {
    const [unnamed, named] = [await payAt(theirs), await payAt(theirs)];
    Object.assign(metadataOf(unnamed), { installation_id: undefined });
    Object.assign(metadataOf(named), { installation_id: undefined, account_id: ours.accountId });
    clock.advanceMs(4 * 24 * 60 * 60_000);
    const { reconciler } = ours.purchases;
    expect(await reconciler?.run()).toMatchObject({
      differences: [expect.stringMatching(/does not fit/)],
      failures: 0,
    });
    expect((await listStates(ours)).map(({ state }) => state).sort()).toEqual(['quarantined', 'unclaimed']);
    expect(await reconciler?.run()).toMatchObject({ differences: [] });
    expect(await reconcile(ours)).toMatchObject({ differences: [expect.stringMatching(/does not fit/)] });
    expect(await listStates(ours)).toHaveLength(2);
  });

  it('tell the operator once of a set that nobody claims, and ask Stripe no more about it while another old event fails', async () => {
    const [, , failing] = [await payAt(theirs), await payAt(theirs), await payAt(ours)];
    for (const session of double.books.sessions) Object.assign(metadataOf(session), { installation_id: undefined });
    clock.advanceMs(4 * 24 * 60 * 60_000);
    const { notices, reconciler } = ours.purchases;
    // A young one, behind which the old ones that fail count.
    const young = double.books.emit('checkout.session.completed', failing);
    young.created = Number(young.created) + 4 * 24 * 60 * 60;
    if (!notices) throw new Error('Stripe has notices.');
    const receive = notices.receive.bind(notices);
    mock.method(notices, 'receive', async (notice: PaymentNotice, how?: { isOld?: boolean }) => {
      if (notice.subject?.id === failing.id && how) throw new Error('It fails.');
      return receive(notice, how);
    });
    const asked = () => double.requests.filter((request) => !request.startsWith('GET /v1/events')).length;
    await reconciler?.run();
    const askedFirst = asked();
    clock.advanceMs(60 * 60_000);
    await reconciler?.run();
    expect((await listStates(ours)).map(({ state }) => state)).toEqual(['unclaimed', 'unclaimed']);
    expect(await ours.fixture.source.query('SELECT title, body FROM notice')).toEqual([
      {
        title: expect.stringContaining('that this Tollgate does not know'),
        body: expect.stringContaining('purchases:reconcile'),
      },
    ]);
    expect(asked() - askedFirst).toBe(0);
    mock.restoreAll();
    await reconcile(ours);
    expect((await listStates(ours)).filter(({ state }) => state === 'quarantined')).toHaveLength(2);
  });

  it('pass over what was set aside before it was known whose it is, when an operator looks again', async () => {
    const session = await payAt(theirs);
    const written = metadataOf(session).installation_id;
    Object.assign(metadataOf(session), { installation_id: undefined });
    clock.advanceMs(20 * 60_000);
    await reconcile(ours);
    Object.assign(metadataOf(session), { installation_id: written });
    const [event] = await ours.fixture.source.query("SELECT id FROM stripe_event WHERE state = 'quarantined'");
    const looked = await ours.purchases.notices?.tryAgain(event.id, async () => {});
    expect(looked).toMatchObject({ state: 'ignored', foreignId: written });
    expect(await listStates(ours)).toMatchObject([
      { state: 'ignored', reason: expect.stringContaining(String(written)) },
    ]);
  });

  it('grant a payment of a purchase that they know, also where another installation stands on it', async () => {
    const session = await payAt(ours);
    metadataOf(session).installation_id = 'inst_of_another';
    expect(await reconcile(ours)).toMatchObject({ missedNotices: 1, failures: 0 });
    expect(await ours.fixture.findWallet(ours.accountId)).toMatchObject({ posted: 5_000_000 });
  });

  it('go on with a session that was asked for without an installation by the release before, and make no second one', async () => {
    const { service } = ours.purchases;
    // The customer is there.
    await service.startCheckout(ours.accountId, { dollars: 5 });
    const asBefore = mock.method(StripeApi.prototype, 'makeMetadata', async (facts: object) => facts as never);
    double.fault = 'lose-answer';
    double.beforeAnswer = async () => {
      double.isAway = true;
    };
    await expect(service.startCheckout(ours.accountId, { dollars: 5 })).rejects.toThrow();
    asBefore.mock.restore();
    double.beforeAnswer = async () => {};
    double.isAway = false;
    clock.advanceMs(2 * 60_000);
    expect(await reconcile(ours)).toMatchObject({ waitingPurchases: 2, failures: 0 });
    const kept = await ours.fixture.source.query('SELECT gateway_session_id FROM purchase ORDER BY id');
    expect(kept.map((row: Record<string, unknown>) => row.gateway_session_id)).toEqual(
      double.books.sessions.map(({ id }) => id),
    );
  });
});
