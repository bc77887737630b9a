import { openPurchases, type Purchases } from '../composition/open-purchases.js';
import { FakeClock } from '../kernel/clock.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { Secret } from '../kernel/secret.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { begin, end, type FundedAccount, trustingKeyWatch, warmUp } from '../test/lease-calls.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { makePurchasesParts } from '../test/purchases-parts.js';
import { doubleSecretKey, StripeDouble } from '../test/stripe-double.js';

/** What a model with 128,000 output tokens reserves for a call without a cap. */
const worstCase = 256_000;

describeOnEachDatabase('credits that running calls have reserved', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let double: StripeDouble;
  let purchases: Purchases;
  let account: FundedAccount;
  let accountId: string;
  let movements = 0;

  const open = async (leases: Parameters<typeof LedgerFixture.open>[2]) => {
    fixture = await LedgerFixture.open(await openTestDatabase(), undefined, leases);
    double = await StripeDouble.start();
    const stripe = { secretKey: new Secret(doubleSecretKey), webhookSecrets: [], apiBase: double.baseUrl };
    const settings = { publicUrl: 'http://tollgate.test', isProduction: true, stripe };
    purchases = openPurchases(makePurchasesParts(fixture, new FakeClock(Date.UTC(2026, 0, 15))), settings);
    fixture.ledger.activity.onBalanceLeft((id, millicredits) => purchases.watch.noteBalance(id, millicredits));
    account = await fixture.createFundedAccount(5_000_000);
    accountId = account.accountId;
    if (leases) await warmUp(fixture.ledger, account, worstCase);
  };

  afterEach(async () => {
    await purchases.watch.close();
    await fixture.close();
    await double.close();
  });

  const turnOn = async (change: object = {}) => {
    const payer = { accountId, personId: accountId };
    const { url } = await purchases.topUpSettings.startCardSetup(payer);
    const setupId = url.slice(url.lastIndexOf('/') + 1);
    double.books.saveCard(setupId);
    await purchases.topUpSettings.confirmCardSetup(payer, setupId);
    const choice = { isOn: true, dollars: 5, monthlyCapDollars: 100, hasConsent: true };
    await purchases.topUpSettings.set(payer, { ...choice, thresholdMillicredits: 1_100_000, ...change });
    await purchases.watch.settle();
  };
  const alertBelow = async (thresholdMillicredits: number) => {
    await purchases.alerts.set(accountId, {
      thresholdMillicredits,
      isByEmail: false,
      webhookUrl: 'https://a.example/h',
    });
    await purchases.watch.settle();
  };
  const move = async (type: 'grantCredits' | 'reverseGrant', millicredits: number) => {
    movements += 1;
    const amountMillicredits = toMillicredits(millicredits);
    const transferId = `adjustment:reserved:${movements}`;
    await fixture.ledger[type]({ transferId, type: 'adjustment', accountId, amountMillicredits });
    await purchases.watch.settle();
  };
  const call = async (amount: number) => {
    const begun = await begin(fixture.ledger, account, amount);
    expect(begun.status).toBe('held');
    return begun.callId;
  };
  const settle = async (callId: string, cost: number) => {
    await end(fixture.ledger, account, callId, cost);
    await purchases.watch.settle();
  };
  const listTold = async () => {
    const rows = await fixture.source.query("SELECT body FROM notice WHERE channel = 'webhook' ORDER BY id");
    return (rows as { body: string }[]).map(({ body }) => JSON.parse(body).availableCredits as number);
  };
  const charges = () => double.books.payments.length;

  describe.each([
    ['by holds', null],
    ['out of leases', { keyWatch: trustingKeyWatch }],
  ] as const)('%s', (_, leases) => {
    beforeEach(() => open(leases));

    it('charge no card and are told as no low balance; what is used of them is, at once', async () => {
      await turnOn();
      await alertBelow(1_200_000);
      const calls: string[] = [];
      for (let count = 0; count < 17; count += 1) calls.push(await call(worstCase));
      await settle(await call(worstCase), 5);
      await purchases.topUp?.sweep();
      await purchases.alerts.alertIfNeeded(accountId);
      expect([charges(), await listTold()]).toEqual([0, []]);
      for (const callId of calls.slice(0, 15)) await settle(callId, worstCase);
      expect([charges(), await listTold()]).toEqual([0, [1_159.995]]);
      // The last one still runs.
      await settle(String(calls[15]), 60_000);
      expect([charges(), await listTold()]).toEqual([1, [1_159.995]]);
      await settle(String(calls[16]), 0);
      expect(charges()).toBe(1);
    });

    it('make nobody wait after a charge that brought the balance to the threshold', async () => {
      const running = await call(worstCase);
      await move('reverseGrant', 4_900_000);
      await turnOn({ thresholdMillicredits: 5_000_000 });
      expect(charges()).toBe(1);
      await settle(running, worstCase);
      expect(charges()).toBe(2);
    });

    it('keep the alert from no fall: it is armed again once the balance has risen, whatever is reserved of it', async () => {
      await move('reverseGrant', 3_000_000);
      await alertBelow(1_000_000);
      const running = [await call(worstCase), await call(worstCase), await call(worstCase), await call(worstCase)];
      await move('reverseGrant', 1_200_000);
      await move('grantCredits', 300_000);
      expect(await listTold()).toEqual([800]);
      await settle(String(running[0]), worstCase);
      expect(await listTold()).toEqual([800, 844]);
      for (const callId of running.slice(1)) await settle(callId, 0);
    });
  });
});
