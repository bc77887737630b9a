import { explainStartFailure } from '../composition/explain-start-failure.js';
import { openPurchases, type Purchases } from '../composition/open-purchases.js';
import { FakeClock } from '../kernel/clock.js';
import { Secret } from '../kernel/secret.js';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { makePurchasesParts } from '../test/purchases-parts.js';
import { StripeDouble } from '../test/stripe-double.js';
import { assertMoneyIsReal } from './real-money.js';
import { StripeCustomerEntity } from './stripe/stripe-customer.entity.js';

const simulated = { stripe: null, isProduction: false };
const nothingSold = { stripe: null, isProduction: true };
const byKey = (key: string) => ({
  stripe: { secretKey: new Secret(key), webhookSecrets: [], apiBase: null },
  isProduction: true,
});
const testKey = byKey(`sk_test_${'a'.repeat(24)}`);
const liveKey = byKey(`sk_live_${'a'.repeat(24)}`);

describeOnEachDatabase('A database where credits were sold for real money', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let double: StripeDouble;
  let clock: FakeClock;
  let accountId: string;

  beforeEach(async () => {
    double = await StripeDouble.start();
    clock = new FakeClock(Date.now());
    accountId = (await fixture.createFundedAccount(0)).accountId;
  });
  afterEach(() => double.close());

  /** What a server with a live key leaves behind when somebody buys; of a double no live key is told. */
  const sell = async ({ isLive = true, isPaid = true } = {}) => {
    const buyerId = (await fixture.createFundedAccount(0)).accountId;
    const { service } = openByTestKey();
    const { purchase } = await service.startCheckout(buyerId, { dollars: 5 });
    if (isPaid) double.books.pay(String(purchase.gatewaySessionId));
    await service.reconcilePurchase(purchase.id);
    await fixture.source.manager.update(StripeCustomerEntity, { accountId: buyerId }, { isLive });
  };
  const judge = (config: Parameters<typeof assertMoneyIsReal>[1]) => assertMoneyIsReal(fixture.source.manager, config);
  const posted = async () => (await fixture.findWallet(accountId)).posted;
  const openByTestKey = (): Purchases => {
    const stripe = { secretKey: new Secret(double.secretKey), webhookSecrets: [], apiBase: double.baseUrl };
    return openPurchases(makePurchasesParts(fixture, clock), {
      publicUrl: 'http://a.test',
      isProduction: true,
      stripe,
    });
  };

  it.each([
    ['a test key', testKey],
    ['the simulated checkout', simulated],
  ])('is not served with %s, and the start says in one line what to do', async (_, config) => {
    await sell();
    const failure = await judge(config).catch(explainStartFailure);
    expect(failure).toMatch(/^STRIPE_SECRET_KEY: .* credits were sold for real money on this database/);
    expect(failure).not.toContain('\n');
  });

  it('is served with a live key, and where nothing is sold', async () => {
    await sell();
    await judge(liveKey);
    await judge(nothingSold);
  });

  it.each([
    ['was bought at all', null],
    ['was paid but by test cards', { isLive: false }],
    ['was paid of what was begun', { isPaid: false }],
  ])('is none where nothing %s: any key will do', async (_, sold) => {
    if (sold !== null) await sell(sold);
    for (const config of [testKey, simulated, nothingSold, liveKey]) await judge(config);
  });

  it('is one to try things out on once it has forgotten the customers of the live mode', async () => {
    await sell();
    await fixture.source.query('DELETE FROM stripe_customer WHERE is_live = 1');
    await judge(testKey);
  });

  it('is not served by a whole server', async () => {
    await sell();
    await expect(TestApp.startBeside(fixture.database)).rejects.toThrow(/^STRIPE_SECRET_KEY: /);
  }, 60_000);

  it('credits no test card, and no simulated payment, of a server that ran before the first real one', async () => {
    const purchases = openByTestKey();
    const { purchase } = await purchases.service.startCheckout(accountId, { dollars: 5 });
    const free = openPurchases(makePurchasesParts(fixture, clock), { publicUrl: 'http://a.test', ...simulated });
    const { purchase: other } = await free.service.startCheckout(accountId, { dollars: 5 });
    await sell();
    double.books.pay(String(purchase.gatewaySessionId));
    await free.simulatedGateway?.payCheckoutSession(other.id);
    expect(await purchases.service.reconcilePurchase(purchase.id)).toMatchObject({ status: 'pending' });
    expect(await free.service.reconcilePurchase(other.id)).toMatchObject({ status: 'pending' });
    expect(await posted()).toBe(0);
  });
});
