import { AccountDeletion } from '../accounts/account-deletion.js';
import { openPurchases, type Purchases } from '../composition/open-purchases.js';
import { FakeClock } from '../kernel/clock.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { Secret } from '../kernel/secret.js';
import { longestLookBackMs } from '../purchases/purchase-reconciler.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { makePurchasesParts } from '../test/purchases-parts.js';
import { doubleSecretKey, StripeDouble } from '../test/stripe-double.js';
import type { AutoTopUp } from './auto-top-up.js';
import { consentVersion } from './top-up-settings.js';

const unused = () => Promise.reject(new Error('Nobody asks for this.'));
const hourMs = 60 * 60 * 1_000;
const choice = {
  isOn: true,
  thresholdMillicredits: 1_000_000,
  dollars: 20,
  monthlyCapDollars: 50,
  hasConsent: true,
};

describeOnEachDatabase('the automatic top-up', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let double: StripeDouble;
  let clock: FakeClock;
  let purchases: Purchases;
  let topUp: AutoTopUp;
  let accountId: string;

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    double = await StripeDouble.start();
    clock = new FakeClock(Date.UTC(2026, 0, 15));
    accountId = (await fixture.createFundedAccount(500_000)).accountId;
    purchases = open();
    topUp = topUpOf(purchases);
  });

  afterEach(async () => {
    await purchases.watch.close();
    await fixture.close();
    await double.close();
  });

  const open = () => {
    const stripe = { secretKey: new Secret(doubleSecretKey), webhookSecrets: [], apiBase: double.baseUrl };
    const settings = { publicUrl: 'http://tollgate.test', isProduction: true, stripe };
    return openPurchases(makePurchasesParts(fixture, clock), settings);
  };
  const topUpOf = ({ topUp: found }: Purchases) => {
    if (!found) throw new Error('Stripe can charge cards.');
    return found;
  };
  /** Whoever signed up for an account, who owns it. */
  const payer = (id = accountId) => ({ accountId: id, personId: id });
  const saveCard = async () => {
    const { url } = await purchases.topUpSettings.startCardSetup(payer());
    const setupId = url.slice(url.lastIndexOf('/') + 1);
    double.books.saveCard(setupId);
    await purchases.topUpSettings.confirmCardSetup(payer(), setupId);
  };
  // Without the watch: what it would set off comes from the tests themselves.
  const turnOn = async (change: Partial<typeof choice> = {}) => {
    await saveCard();
    await fixture.ledger.setWalletState({ accountId, state: 'frozen', reason: 'operator' });
    await purchases.topUpSettings.set(payer(), { ...choice, ...change });
    await purchases.watch.settle();
    await fixture.ledger.setWalletState({ accountId, state: 'open', reason: 'operator' });
  };
  const set = (change: Partial<typeof choice>) => purchases.topUpSettings.set(payer(), { ...choice, ...change });
  const find = () => purchases.topUpSettings.find(accountId);
  const posted = async () => (await fixture.findWallet(accountId)).posted;
  const chargesAtStripe = () => double.books.payments.length;
  const spend = async (millicredits: number) => {
    const transferId = `refund:test:${Math.random()}`;
    const amount = {
      amountMillicredits: millicredits as Parameters<typeof fixture.ledger.reverseGrant>[0]['amountMillicredits'],
    };
    await fixture.ledger.reverseGrant({ transferId, type: 'adjustment', accountId, ...amount });
  };
  /** As it was stored before thresholds had a bound. */
  const setThreshold = (millicredits: number) =>
    fixture.source.query(`UPDATE auto_top_up SET threshold_millicredits = ${millicredits}`);
  const listMails = async () =>
    (await fixture.source.query('SELECT title, recipient FROM notice ORDER BY id')) as {
      title: string;
      recipient: string;
    }[];

  it('buys once when the balance is below the threshold, tells its owner, and leaves it alone above', async () => {
    await turnOn();
    expect(await topUp.topUpIfNeeded(accountId)).toBe(true);
    expect(await posted()).toBe(20_500_000);
    expect(await topUp.topUpIfNeeded(accountId)).toBe(false);
    expect(chargesAtStripe()).toBe(1);
    expect(double.books.payments[0]).toMatchObject({ amount: 2_000, currency: 'usd', status: 'succeeded' });
    expect(await find()).toMatchObject({
      isOn: true,
      failure: null,
      boughtThisMonthCents: 2_000,
      card: { last4: '4242' },
    });
    expect(await listMails()).toEqual([
      { title: expect.stringMatching(/20,000 credits/), recipient: 'owner@example.com' },
    ]);
    const { items } = await purchases.service.listPurchases(accountId, { first: 5, beforeId: null });
    expect(items).toMatchObject([{ status: 'paid', receiptUrl: expect.stringMatching(/^https:/) }]);
    expect((await purchases.service.listDetails([String(items[0]?.id)])).get(String(items[0]?.id))).toMatchObject({
      isAutomatic: true,
    });
  });

  it('is turned on with a saved card and consent only, and keeps what was agreed to and when', async () => {
    await expect(purchases.topUpSettings.set(payer(), choice)).rejects.toMatchObject({ param: 'isOn' });
    await saveCard();
    const without = { ...choice, hasConsent: false };
    await expect(purchases.topUpSettings.set(payer(), without)).rejects.toMatchObject({ param: 'hasConsent' });
    await turnOn();
    const [row] = await fixture.source.query('SELECT consent_at_ms, consent_version FROM auto_top_up');
    expect({ at: Number(row.consent_at_ms), version: row.consent_version }).toEqual({
      at: clock.nowMs(),
      version: consentVersion,
    });
  });

  it.each([
    ['threshold', { thresholdMillicredits: 0 }],
    ['dollars', { dollars: 4 }],
    ['dollars', { dollars: 1_001 }],
    ['threshold', { thresholdMillicredits: 20_000_001 }],
    ['threshold', { thresholdMillicredits: 9e12 }],
    ['monthlyCapDollars', { monthlyCapDollars: 19 }],
    ['monthlyCapDollars', { monthlyCapDollars: 20.5 }],
  ])('names the field %s of what it does not take: %j', async (param, change) => {
    await saveCard();
    const wanted = purchases.topUpSettings.set(payer(), { ...choice, ...change });
    await expect(wanted).rejects.toMatchObject({ code: 'invalid_value', param });
  });

  it('lets a threshold of before its bound be kept, lowered and turned off, and not be raised or turned on again', async () => {
    await turnOn();
    await setThreshold(9e12);
    const stored = { thresholdMillicredits: 9e12 };
    expect(await set({ ...stored, monthlyCapDollars: 40 })).toMatchObject({ isOn: true, monthlyCapCents: 4_000 });
    expect(await set({ thresholdMillicredits: 8e12, monthlyCapDollars: 40 })).toMatchObject({ isOn: true });
    for (const change of [stored, { thresholdMillicredits: 8e12, dollars: 5 }]) {
      await expect(set(change)).rejects.toMatchObject({
        param: 'threshold',
        message: expect.stringMatching(/Lower it/),
      });
    }
    const off = { thresholdMillicredits: 8e12, isOn: false };
    expect(await set(off)).toMatchObject(off);
    await expect(set({ ...stored, isOn: false })).rejects.toMatchObject({ param: 'threshold' });
    await expect(set(stored)).rejects.toMatchObject({ param: 'threshold' });
  });

  it('changes what is named alone, by what is stored by then, and is turned off without an amount', async () => {
    await turnOn();
    const change = (wanted: Partial<typeof choice>) =>
      purchases.topUpSettings.set(payer(), { hasConsent: true, ...wanted });
    await Promise.all([change({ monthlyCapDollars: 40 }), change({ dollars: 10 })]);
    expect(await find()).toMatchObject({ isOn: true, amountCents: 1_000, monthlyCapCents: 4_000 });
    await expect(change({ monthlyCapDollars: 9 })).rejects.toMatchObject({ param: 'monthlyCapDollars' });
    await setThreshold(9e12);
    const stored = { thresholdMillicredits: 9e12, amountCents: 1_000, monthlyCapCents: 4_000 };
    expect(await change({ isOn: false, hasConsent: false })).toMatchObject({ isOn: false, ...stored });
    expect(await change({ monthlyCapDollars: 30 })).toMatchObject({ isOn: false, ...stored, monthlyCapCents: 3_000 });
  });

  it('raises nothing for somebody who was asked for no proof, since all of it was greater when they asked', async () => {
    await turnOn();
    const lower = purchases.topUpSettings.set(payer(), { ...choice, monthlyCapDollars: 40 }, false);
    await expect(lower).resolves.toMatchObject({ monthlyCapCents: 4_000 });
    await expect(purchases.topUpSettings.set(payer(), choice, false)).rejects.toMatchObject({ code: 'conflict' });
    expect(await find()).toMatchObject({ monthlyCapCents: 4_000 });
  });

  it('charges once in ten minutes while the threshold is out of reach, however many instances look and however often', async () => {
    await turnOn({ monthlyCapDollars: 100_000 });
    await setThreshold(9e12);
    const instances = [topUp, topUpOf(open()), topUpOf(open())];
    for (let round = 1; round <= 3; round += 1) {
      for (let look = 0; look < 4; look += 1) {
        await Promise.all(instances.map((instance) => instance.topUpIfNeeded(accountId)));
        await topUp.sweep();
        clock.advanceMs(2 * 60_000);
      }
      expect(chargesAtStripe()).toBe(round);
      clock.advanceMs(2 * 60_000);
    }
  });

  it('charges again at once when half of what the last charge brought is used, so that a busy account has credits', async () => {
    await turnOn({ monthlyCapDollars: 100_000 });
    await setThreshold(100_000_000);
    expect(await topUp.topUpIfNeeded(accountId)).toBe(true);
    await spend(9_000_000);
    expect(await topUp.topUpIfNeeded(accountId)).toBe(false);
    for (let charge = 2; charge <= 5; charge += 1) {
      await spend(10_000_000);
      expect(await topUp.topUpIfNeeded(accountId)).toBe(true);
      expect(chargesAtStripe()).toBe(charge);
    }
  });

  it('has no pause where one charge reaches the threshold', async () => {
    await turnOn({ monthlyCapDollars: 100_000, thresholdMillicredits: 20_000_000 });
    for (let charge = 1; charge <= 5; charge += 1) {
      expect(await topUp.topUpIfNeeded(accountId)).toBe(true);
      await spend((await posted()) - 19_000_000);
    }
    expect(chargesAtStripe()).toBe(5);
  });

  it('takes no card setup of somebody else', async () => {
    const { url } = await purchases.topUpSettings.startCardSetup(payer());
    const setupId = url.slice(url.lastIndexOf('/') + 1);
    double.books.saveCard(setupId);
    const stranger = (await fixture.createFundedAccount(0)).accountId;
    await expect(purchases.topUpSettings.confirmCardSetup(payer(stranger), setupId)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await purchases.topUpSettings.find(stranger)).card).toBeNull();
  });

  it('charges nobody who has turned it off, and no frozen account', async () => {
    await turnOn();
    await fixture.ledger.setWalletState({ accountId, state: 'frozen', reason: 'dispute' });
    expect(await topUp.topUpIfNeeded(accountId)).toBe(false);
    await fixture.ledger.setWalletState({ accountId, state: 'open', reason: 'dispute' });
    await purchases.topUpSettings.set(payer(), { ...choice, isOn: false, hasConsent: false });
    await purchases.watch.settle();
    expect(await topUp.topUpIfNeeded(accountId)).toBe(false);
    expect(chargesAtStripe()).toBe(0);
  });

  it('makes one charge when four instances find the balance low at the same time, twenty times over', async () => {
    await turnOn();
    const instances = [topUp, topUpOf(open()), topUpOf(open()), topUpOf(open())];
    const begun: unknown[] = [];
    for (let round = 0; round < 20; round += 1)
      begun.push(...(await Promise.all(instances.map((instance) => instance.topUpIfNeeded(accountId)))));
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect(chargesAtStripe()).toBe(1);
    expect(await posted()).toBe(20_500_000);
  });

  it('never passes the monthly limit, however many ask at once, says so once, and goes on next month', async () => {
    await turnOn();
    const instances = [topUp, topUpOf(open()), topUpOf(open())];
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(
        instances.flatMap((instance) => [instance.topUpIfNeeded(accountId), instance.topUpIfNeeded(accountId)]),
      );
      const rest = await posted();
      if (rest > 500_000) await spend(rest - 500_000);
    }
    expect(chargesAtStripe()).toBe(2);
    expect(await find()).toMatchObject({ failure: 'monthly_cap', boughtThisMonthCents: 4_000, isOn: true });
    expect((await listMails()).filter(({ title }) => /monthly limit/.test(title))).toHaveLength(1);
    clock.advanceMs(20 * 24 * hourMs);
    await topUp.sweep();
    expect(chargesAtStripe()).toBe(3);
    expect(await find()).toMatchObject({ failure: null, boughtThisMonthCents: 2_000 });
  });

  it('leaves a declined card alone for longer and longer, tells its owner each time, and turns itself off', async () => {
    await turnOn();
    double.books.bank = 'declines';
    for (const pauseHours of [1, 24, 72]) {
      expect(await topUp.topUpIfNeeded(accountId)).toBe(true);
      expect(await topUp.topUpIfNeeded(accountId)).toBe(false);
      const view = await find();
      expect(view).toMatchObject({ isOn: true, failure: 'card_declined', boughtThisMonthCents: 0 });
      expect(view.pausedUntilMs).toBe(clock.nowMs() + pauseHours * hourMs);
      clock.advanceMs(pauseHours * hourMs);
    }
    await topUp.topUpIfNeeded(accountId);
    expect(await find()).toMatchObject({ isOn: false, failure: 'card_declined', pausedUntilMs: null });
    expect(chargesAtStripe()).toBe(4);
    expect(double.books.payments.map(({ status }) => status)).toEqual(Array(4).fill('canceled'));
    expect(await listMails()).toHaveLength(4);
    expect(await posted()).toBe(500_000);
    expect(await fixture.countRows('purchase', "status = 'expired'")).toBe(4);
  });

  it('turns itself off when the bank wants the owner, or the card is gone', async () => {
    await turnOn();
    double.books.bank = 'wants its customer';
    await topUp.topUpIfNeeded(accountId);
    expect(await find()).toMatchObject({ isOn: false, failure: 'authentication_required' });
    await turnOn();
    double.books.cards.length = 0;
    await topUp.topUpIfNeeded(accountId);
    expect(await find()).toMatchObject({ isOn: false, failure: 'no_card' });
    expect(await posted()).toBe(500_000);
    expect(await listMails()).toHaveLength(2);
  });

  it('waits for a payment that takes its time, without a second one, and grants when it arrives', async () => {
    await turnOn();
    double.books.bank = 'takes its time';
    expect(await topUp.topUpIfNeeded(accountId)).toBe(true);
    expect(await topUp.topUpIfNeeded(accountId)).toBe(false);
    expect(await posted()).toBe(500_000);
    double.books.arrive(String(double.books.payments[0]?.id));
    await purchases.reconciler?.run(longestLookBackMs);
    expect(await posted()).toBe(20_500_000);
    expect(chargesAtStripe()).toBe(1);
    expect(await fixture.countRows('auto_top_up_charge', "state = 'paid' AND open_for IS NULL")).toBe(1);
  });

  it('gives a payment up that Stripe could not be asked for within a day, and stays on', async () => {
    await turnOn();
    double.isAway = true;
    await expect(topUp.topUpIfNeeded(accountId)).rejects.toMatchObject({ code: 'service_unavailable' });
    clock.advanceMs(23 * hourMs);
    await topUp.sweep();
    expect(await find()).toMatchObject({ isOn: true, failure: null, boughtThisMonthCents: 2_000 });
    double.isAway = false;
    await topUp.sweep();
    expect(await find()).toMatchObject({ isOn: true, failure: 'no_answer', pausedUntilMs: clock.nowMs() + hourMs });
    expect(await fixture.countRows('purchase', "status = 'expired'")).toBe(1);
    clock.advanceMs(hourMs);
    await topUp.sweep();
    expect(await posted()).toBe(20_500_000);
    expect(await find()).toMatchObject({ failure: null });
  });

  const deleteAccount = async () => {
    const members = {
      mayManageKeys: async () => true,
      endSince: unused,
      withdrawConsents: unused,
      forget: async () => [],
    };
    const keyChanges = { note: async () => null, takenOver: async () => {} };
    const parts = { ...makePurchasesParts(fixture, clock), members, keyChanges };
    await new AccountDeletion(parts).delete({ id: accountId, passwordHash: 'x' });
  };
  const buyByHand = () => {
    const amountMillicredits = toMillicredits(20_000_000);
    return fixture.ledger.grantCredits({
      transferId: 'grant:test:by-hand',
      type: 'grant',
      accountId,
      amountMillicredits,
    });
  };
  const sinceThen: readonly [string, () => Promise<unknown>, readonly number[]][] = [
    ['its owner has turned it off', () => set({ isOn: false }), []],
    ['its owner has deleted the account', deleteAccount, []],
    ['the credits were bought by hand', buyByHand, []],
    [
      'the account is frozen',
      () => fixture.ledger.setWalletState({ accountId, state: 'frozen', reason: 'operator' }),
      [],
    ],
    ['its owner has saved another card', saveCard, [2_000]],
    ['its owner has lowered the amount', () => set({ dollars: 5 }), [500]],
  ];
  it.each(sinceThen)(
    'never makes a charge that could not be made at first when %s since',
    async (_, change, boughtCents) => {
      await turnOn();
      double.isAway = true;
      await expect(topUp.topUpIfNeeded(accountId)).rejects.toMatchObject({ code: 'service_unavailable' });
      const [first] = await fixture.source.query('SELECT id FROM purchase');
      double.isAway = false;
      await change();
      await purchases.watch.settle();
      clock.advanceMs(2 * 60_000);
      await topUp.sweep();
      await topUp.sweep();
      // What is wanted now is bought as it is wanted now.
      expect(double.books.payments.map(({ amount }) => amount)).toEqual(boughtCents);
      expect(await fixture.countRows('purchase', `id = '${first.id}' AND status = 'expired'`)).toBe(1);
      expect(await fixture.countRows('auto_top_up_charge', `purchase_id = '${first.id}' AND open_for IS NULL`)).toBe(1);
      expect((await listMails()).filter(({ title }) => /top-up failed/.test(title))).toEqual([]);
    },
  );

  it.each([
    ['its owner has turned it off since', 60_000, () => set({ isOn: false })],
    ['its owner has deleted the account since', 60_000, deleteAccount],
    ['Stripe has forgotten the key since', 23 * hourMs, async () => double.forgetKeys()],
  ])('credits, once, what was taken by a charge whose answer was lost, although %s', async (_, waitMs, change) => {
    await turnOn();
    double.fault = 'lose-answer';
    double.beforeAnswer = async (request) => {
      if (request === 'POST /v1/payment_intents') double.isAway = true;
    };
    await expect(topUp.topUpIfNeeded(accountId)).rejects.toMatchObject({ code: 'service_unavailable' });
    double.beforeAnswer = async () => {};
    double.isAway = false;
    expect(await posted()).toBe(500_000);
    await change();
    await purchases.watch.settle();
    clock.advanceMs(waitMs + 60_000);
    // No event of it ever arrives, and either of the two may come first.
    double.books.events.length = 0;
    await Promise.all([topUp.sweep(), purchases.reconciler?.run(0)]);
    await topUp.sweep();
    expect(chargesAtStripe()).toBe(1);
    expect(await posted()).toBe(20_500_000);
    expect(await fixture.countRows('auto_top_up_charge', "state = 'paid' AND open_for IS NULL")).toBe(1);
  });

  it('asks again with the same key what it does not know the answer of: after an outage, and after a crash', async () => {
    await turnOn();
    double.isAway = true;
    await expect(topUp.topUpIfNeeded(accountId)).rejects.toMatchObject({ code: 'service_unavailable' });
    double.isAway = false;
    clock.advanceMs(2 * 60_000);
    await topUp.sweep();
    expect(await posted()).toBe(20_500_000);

    await spend(20_000_000);
    await topUp.topUpIfNeeded(accountId);
    const [last] = await fixture.source.query('SELECT id FROM purchase ORDER BY id DESC');
    // As if the server had died between Stripe's answer and noting it.
    await fixture.source.query(
      `UPDATE auto_top_up_charge SET state = 'open', open_for = account_id WHERE purchase_id = '${last.id}'`,
    );
    await fixture.source.query(
      `UPDATE purchase SET gateway_session_id = NULL, status = 'pending', paid_at_ms = NULL WHERE id = '${last.id}'`,
    );
    clock.advanceMs(2 * 60_000);
    await topUp.sweep();
    await topUp.sweep();
    expect(chargesAtStripe()).toBe(2);
    expect(await fixture.countRows('ledger_transfer', `id = 'purchase:${last.id}'`)).toBe(1);
    await fixture.source.query(`UPDATE purchase SET status = 'paid', paid_at_ms = 1 WHERE id = '${last.id}'`);
  });

  it('takes up what fell below while nobody saw it', async () => {
    await turnOn();
    await topUp.sweep();
    expect(await posted()).toBe(20_500_000);
  });

  const buyAndRefund = async () => {
    const { purchase, url } = await purchases.service.startCheckout(accountId, { dollars: 5 });
    double.books.pay(url.slice(url.lastIndexOf('/') + 1));
    await purchases.service.reconcilePurchase(purchase.id);
    double.books.refund(url.slice(url.lastIndexOf('/') + 1), 500);
  };
  const lastPaymentId = () => String(double.books.payments.at(-1)?.id);
  const lose = async () => {
    double.books.disputePayment(lastPaymentId(), 2_000);
    await purchases.reconciler?.run(longestLookBackMs);
    const disputeId = String(double.books.disputes[0]?.id);
    double.books.withdrawFunds(disputeId);
    double.books.closeDispute(disputeId, 'lost');
  };
  it.each([
    ['a top-up is refunded', 'refunded', async () => double.books.refundPayment(lastPaymentId(), 2_000)],
    ['a purchase by hand is refunded', 'refunded', buyAndRefund],
    ['a bank disputes a top-up, and wins', 'disputed', lose],
  ])('charges no card after %s, tells its owner, and goes on by new consent alone', async (_, failure, give) => {
    await turnOn({ monthlyCapDollars: 100 });
    await topUp.topUpIfNeeded(accountId);
    await give();
    await purchases.reconciler?.run(longestLookBackMs);
    const rest = (await posted()) - 500_000;
    if (rest > 0) await spend(rest);
    const charges = () => double.requests.filter((request) => request === 'POST /v1/payment_intents').length;
    for (const change of [async () => {}, saveCard, async () => clock.advanceMs(24 * hourMs)]) {
      await change();
      await topUp.sweep();
      await purchases.reconciler?.run(longestLookBackMs);
      expect(charges()).toBe(1);
      expect(await find()).toMatchObject({ isOn: false, failure });
    }
    expect((await listMails()).filter(({ title }) => /turned off/.test(title))).toHaveLength(1);
    await set({ monthlyCapDollars: 100 });
    await purchases.watch.settle();
    expect(charges()).toBe(2);
    expect(await find()).toMatchObject({ isOn: true, failure: null });
  });

  it('takes back the credits of a top-up that is refunded', async () => {
    await turnOn();
    await topUp.topUpIfNeeded(accountId);
    const { items } = await purchases.service.listPurchases(accountId, { first: 1, beforeId: null });
    double.books.refundPayment(String(double.books.payments[0]?.id), 1_000);
    await purchases.reconciler?.run(longestLookBackMs);
    expect(await posted()).toBe(10_500_000);
    const details = (await purchases.service.listDetails([String(items[0]?.id)])).get(String(items[0]?.id));
    expect(details?.reversal).toMatchObject({ refundedCents: 1_000 });
  });
});
