import { openPurchases } from '../composition/open-purchases.js';
import { createDataSource } from '../database/data-source.js';
import { entities, migrations } from '../entities.js';
import { nameId } from '../kernel/ids.js';
import { silentLogger } from '../kernel/logger.js';
import { Secret } from '../kernel/secret.js';
import { openLedger } from '../ledger/open-ledger.js';
import { answerOf, reasonOf } from '../test/cookie-browser.js';
import type { TestAccount } from '../test/create-test-app.js';
import { describeOnEachDatabase, type TestDatabase } from '../test/each-database.js';
import { FactorApp } from '../test/factor-app.js';
import { TestOperator } from '../test/operator-desk.js';
import { makePurchasesParts } from '../test/purchases-parts.js';
import { doubleSecretKey, StripeDouble } from '../test/stripe-double.js';
import { textAt } from '../test/stripe-double-form.js';
import { makeTestFolder } from '../test/test-folder.js';

interface Refund {
  readonly id: string;
  readonly state: string;
  readonly cents: number;
  readonly credits: number;
  readonly fault: string | null;
}

const fields = '{ id state cents credits fault }';

/** What another process would have: connections, ledger and objects of its own. */
async function openElsewhere({ address }: TestDatabase, { clock }: FactorApp, double: StripeDouble) {
  const source = await createDataSource(address, { entities, migrations }).initialize();
  const spoolFolder = makeTestFolder('spool');
  const ledger = openLedger({ address, spoolFolder, logger: silentLogger, instance: 'elsewhere' });
  await ledger.start();
  const stripe = { secretKey: new Secret(doubleSecretKey), webhookSecrets: [], apiBase: double.baseUrl };
  const settings = { publicUrl: 'http://tollgate.test', isProduction: true, stripe };
  const { refunds } = openPurchases(makePurchasesParts({ ledger, source }, clock), settings);
  const close = async () => {
    await ledger.close();
    await source.destroy();
  };
  return { refunds, close };
}

describeOnEachDatabase('Refunds by operators', (openTestDatabase) => {
  let elsewhere: Awaited<ReturnType<typeof openElsewhere>>;
  let double: StripeDouble;
  let of: FactorApp;
  let finance: TestOperator;
  let owner: TestOperator;
  let account: TestAccount;

  beforeAll(async () => {
    double = await StripeDouble.start();
    const database = await openTestDatabase();
    of = await FactorApp.start(database, Date.now(), { ...double.settings, OPERATOR_EMAIL: 'operator@example.com' });
    elsewhere = await openElsewhere(database, of, double);
    finance = await TestOperator.join(of, 'finance');
    owner = await TestOperator.join(of, 'owner');
  }, 60_000);
  beforeEach(async () => {
    double.isAway = false;
    double.beforeAnswer = async () => {};
    double.books.refundsAre = 'succeeded';
    account = await of.app.createAccount(0);
    await finance.prove();
    await owner.prove();
  });
  afterAll(async () => {
    await elsewhere.close();
    await of.close();
    await double.close();
  });

  async function buy(dollars: number): Promise<string> {
    const { startCheckout } = await of.app.graphql<{ startCheckout: { purchase: { id: string }; url: string } }>(
      'mutation ($dollars: Int!) { startCheckout(input: { dollars: $dollars }) { purchase { id } url } }',
      { dollars },
      account.sessionToken,
    );
    const { url, purchase } = startCheckout;
    await double.deliver(double.books.pay(url.slice(url.lastIndexOf('/') + 1)), of.app.baseUrl);
    return purchase.id;
  }
  const ask = (by: TestOperator, purchaseId: string, more: object = {}) =>
    by.change(`refundPurchase(input: $refund) ${fields}`, {
      refund: { purchaseId, reason: 'Not as promised', ...more },
    });
  const refund = async (purchaseId: string, more: object = {}) =>
    answerOf<{ refundPurchase: Refund }>(await ask(finance, purchaseId, more)).refundPurchase;
  const movements = async (purchaseId: string) => {
    const rows = await of.app.query(
      `SELECT amount FROM ledger_transfer WHERE id LIKE 'refund:${purchaseId}%' ORDER BY wallet_seq`,
    );
    return rows.map(({ amount }) => Number(amount));
  };
  const logged = async () => {
    const rows = await of.app.query(
      `SELECT action, amount_millicredits FROM operator_event WHERE account_id = '${account.accountId}' ORDER BY id`,
    );
    return rows.map(({ action, amount_millicredits: amount }) => [action, Number(amount)]);
  };
  /** What the operator is mailed about refunds of this account. */
  const told = () =>
    of.app.query(
      `SELECT subject_key FROM notice WHERE subject_key LIKE 'refund-failed:%' AND body LIKE '%${account.accountId}%'`,
    );
  const newestEvent = () => {
    const event = double.books.events.at(-1);
    if (!event) throw new Error('The double has made no event.');
    return event;
  };
  /** What the sweep of another process does a minute later. */
  const sweep = async () => {
    of.clock.advanceMs(61_000);
    await elsewhere.refunds.resume();
  };

  it('give money back at Stripe and take its credits, in part and then all that is left, and write it down', async () => {
    const purchaseId = await buy(5);
    expect(await refund(purchaseId, { cents: 123 })).toMatchObject({ state: 'done', cents: 123, credits: 1_230 });
    expect(textAt(double.forms.at(-1) ?? {}, 'amount')).toBe('123');
    expect(await refund(purchaseId)).toMatchObject({ state: 'done', cents: 377 });
    expect(await movements(purchaseId)).toEqual([1_230_000, 3_770_000]);
    expect(await logged()).toEqual([
      ['refund', 1_230_000],
      ['refund', 3_770_000],
    ]);
    expect(reasonOf(await ask(finance, purchaseId))).toBe('conflict');
    // Its own news changes nothing more.
    expect((await double.deliver(newestEvent(), of.app.baseUrl)).status).toBe(200);
    expect(await movements(purchaseId)).toHaveLength(2);
  });

  it('take the credits once, whether the webhook comes before the answer, beside it or after it', async () => {
    const purchaseId = await buy(5);
    double.beforeAnswer = async (request) => {
      if (request !== 'POST /v1/refunds') return;
      double.beforeAnswer = async () => {};
      const deliveries = Array.from({ length: 3 }, () => double.deliver(newestEvent(), of.app.baseUrl));
      for (const { status } of await Promise.all(deliveries)) expect(status).toBe(200);
    };
    expect(await refund(purchaseId, { cents: 200 })).toMatchObject({ state: 'done' });
    expect(await movements(purchaseId)).toEqual([2_000_000]);
    const wishes = Array.from({ length: 4 }, () => refund(purchaseId, { cents: 100, once: 'T-17' }));
    const ids = (await Promise.all(wishes)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
    await double.deliver(newestEvent(), of.app.baseUrl);
    expect(await movements(purchaseId)).toEqual([2_000_000, 1_000_000]);
    expect(await logged()).toHaveLength(2);
  });

  it('are made once for a word, whoever says it and at whichever door, and as earlier releases named it', async () => {
    const purchaseId = await buy(5);
    const before = double.books.refunds.length;
    const wish = { cents: 100, once: 'T-20' };
    const atMachine = () =>
      elsewhere.refunds.place(
        { purchaseId, reason: 'Not as promised', ...wish },
        { askedBy: 'command line', aloneMaxMillicredits: 1e12, lock: async () => {}, note: async () => {} },
      );
    const { id } = await refund(purchaseId, wish);
    expect(answerOf<{ refundPurchase: Refund }>(await ask(owner, purchaseId, wish)).refundPurchase.id).toBe(id);
    expect(await atMachine()).toMatchObject({ id, state: 'done' });
    const old = nameId('refund', [finance.id, purchaseId, 'T-20']);
    await of.app.query(`UPDATE refund_order SET id = '${old}' WHERE id = '${id}'`);
    expect(answerOf<{ refundPurchase: Refund }>(await ask(owner, purchaseId, wish)).refundPurchase.id).toBe(old);
    expect(await atMachine()).toMatchObject({ id: old, state: 'done' });
    expect(double.books.refunds).toHaveLength(before + 1);
    expect(await movements(purchaseId)).toEqual([1_000_000]);
  });

  it('are made once when the process dies, or Stripe goes, before Stripe hears of it, and after it has made it', async () => {
    const purchaseId = await buy(5);
    const before = double.books.refunds.length;
    double.isAway = true;
    expect(reasonOf(await ask(finance, purchaseId, { cents: 100, once: 'T-1' }))).toBe('service_unavailable');
    double.isAway = false;
    expect(double.books.refunds).toHaveLength(before);
    await sweep();
    expect(await movements(purchaseId)).toEqual([1_000_000]);
    // Stripe has made it, and nobody hears so; a day later it has forgotten the key, too.
    double.fault = 'lose-answer';
    double.beforeAnswer = async (request) => {
      if (request === 'POST /v1/refunds') double.isAway = true;
    };
    expect(reasonOf(await ask(finance, purchaseId, { cents: 50, once: 'T-2' }))).toBe('service_unavailable');
    expect(await movements(purchaseId)).toEqual([1_000_000]);
    double.isAway = false;
    double.beforeAnswer = async () => {};
    double.forgetKeys();
    const waiting = answerOf<{ refundRequests: Refund[] }>(await owner.ask(`refundRequests ${fields}`));
    expect(waiting.refundRequests.map(({ state, cents }) => [state, cents])).toEqual([['sending', 50]]);
    await Promise.all([sweep(), sweep()]);
    expect(double.books.refunds).toHaveLength(before + 2);
    expect(await movements(purchaseId)).toEqual([1_000_000, 500_000]);
    // Asked again, it is the one that was made.
    await finance.prove();
    expect(await refund(purchaseId, { cents: 50, once: 'T-2' })).toMatchObject({ state: 'done', cents: 50 });
    expect(double.books.refunds).toHaveLength(before + 2);
    expect(await logged()).toHaveLength(2);
  }, 60_000);

  it('answer a word that comes again with another sum or reason as already asked for, and give nothing back', async () => {
    const purchaseId = await buy(20);
    const first = await refund(purchaseId, { cents: 500, once: 'T-3' });
    for (const other of [{ cents: 1_500 }, {}, { cents: 500, reason: 'Another letter' }]) {
      const { errors } = await ask(finance, purchaseId, { once: 'T-3', ...other });
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'CONFLICT', field: expect.stringMatching(/once$/) });
      expect(errors?.[0]?.message).toContain('already asked for with 500 cents');
    }
    expect(await refund(purchaseId, { cents: 500, once: 'T-3' })).toEqual(first);
    const rest = await refund(purchaseId, { once: 'T-4' });
    expect(rest).toMatchObject({ state: 'done', cents: 1_500 });
    expect(await refund(purchaseId, { once: 'T-4' })).toEqual(rest);
  });

  it('fail and take nothing when Stripe refuses, and are refused for more than is left or while a dispute runs', async () => {
    const [purchaseId, undisputed] = [await buy(5), await buy(5)];
    const [row] = await of.app.query(`SELECT gateway_session_id AS id FROM purchase WHERE id = '${purchaseId}'`);
    // On Stripe's own page, and its news are late.
    double.books.refund(String(row?.id), 400);
    expect(await refund(purchaseId, { cents: 200 })).toMatchObject({
      state: 'failed',
      fault: 'charge_already_refunded',
    });
    expect(await movements(purchaseId)).toEqual([]);
    await double.deliver(newestEvent(), of.app.baseUrl);
    expect(reasonOf(await ask(finance, purchaseId, { cents: 101 }))).toBe('invalid_value');
    await double.deliver(double.books.openDispute(String(row?.id)), of.app.baseUrl);
    expect(reasonOf(await ask(finance, purchaseId, { cents: 1 }))).toBe('conflict');
    expect(reasonOf(await ask(finance, 'pur_nonsense'))).toBe('not_found');
    expect(reasonOf(await ask(finance, undisputed, { reason: ' x ' }))).toBe('invalid_value');
    expect(await movements(purchaseId)).toEqual([4_000_000]);
  });

  it('fail when the bank sends the money back later: the credits return, the operator is told once, and the same word says so', async () => {
    const purchaseId = await buy(5);
    const { id } = await refund(purchaseId, { cents: 200, once: 'T-9' });
    const made = String(double.books.refunds.at(-1)?.id);
    await double.deliver(newestEvent(), of.app.baseUrl);
    const failed = double.books.failRefund(made);
    const deliveries = Array.from({ length: 3 }, () => double.deliver(failed, of.app.baseUrl));
    for (const { status } of await Promise.all(deliveries)) expect(status).toBe(200);
    expect((await of.app.findWallet(account.accountId)).posted).toBe(5_000_000);
    expect(await told()).toEqual([{ subject_key: `refund-failed:${id}` }]);
    const before = double.books.refunds.length;
    const again = await refund(purchaseId, { cents: 200, once: 'T-9' });
    expect(again).toMatchObject({ id, state: 'failed', fault: 'failed' });
    expect(double.books.refunds).toHaveLength(before);
    expect(await refund(purchaseId, { cents: 500, once: 'T-10' })).toMatchObject({ state: 'done', fault: null });
  });

  it('say that money is on its way until it has arrived, or came back', async () => {
    double.books.refundsAre = 'pending';
    const purchaseId = await buy(5);
    const [first, second] = [await refund(purchaseId, { cents: 100 }), await refund(purchaseId, { cents: 200 })];
    expect([first, second]).toMatchObject([{ state: 'pending', fault: null }, { state: 'pending' }]);
    expect(await movements(purchaseId)).toEqual([1_000_000, 2_000_000]);
    const listWaiting = async () => {
      const open = answerOf<{ refundRequests: Refund[] }>(await owner.ask(`refundRequests ${fields}`)).refundRequests;
      return open.map(({ id }) => id);
    };
    expect(await listWaiting()).toEqual([first.id, second.id]);
    const [one, other] = double.books.refunds.slice(-2).map(({ id }) => id);
    await double.deliver(double.books.arriveRefund(String(one)), of.app.baseUrl);
    await double.deliver(double.books.failRefund(String(other)), of.app.baseUrl);
    expect(await listWaiting()).toEqual([]);
    const states = await of.app.query(
      `SELECT state FROM refund_order WHERE purchase_id = '${purchaseId}' ORDER BY cents`,
    );
    expect(states).toEqual([{ state: 'done' }, { state: 'failed' }]);
    expect(await told()).toEqual([{ subject_key: `refund-failed:${second.id}` }]);
  });

  it('tell the operator what Stripe refuses when nobody waits for the answer any more', async () => {
    const purchaseId = await buy(5);
    double.isAway = true;
    expect(reasonOf(await ask(finance, purchaseId, { cents: 200 }))).toBe('service_unavailable');
    double.isAway = false;
    const [row] = await of.app.query(`SELECT gateway_session_id AS id FROM purchase WHERE id = '${purchaseId}'`);
    double.books.refund(String(row?.id), 400);
    await sweep();
    const [order] = await of.app.query(`SELECT id, state FROM refund_order WHERE purchase_id = '${purchaseId}'`);
    expect(order).toMatchObject({ state: 'failed' });
    expect(await told()).toEqual([{ subject_key: `refund-failed:${order?.id}` }]);
  });

  it.each([400, 404] as const)(
    'fail where the payment is of another account of Stripe’s, which says so by %i, and wait for nothing',
    async (status) => {
      double.missingStatus = status;
      const purchaseId = await buy(5);
      // As of a saved card that was charged before the key was changed.
      await of.app.query(
        `UPDATE purchase SET gateway_session_id = 'pi_of_another_${status}' WHERE id = '${purchaseId}'`,
      );
      expect(await refund(purchaseId, { cents: 200 })).toMatchObject({ state: 'failed', fault: 'resource_missing' });
      expect(await movements(purchaseId)).toEqual([]);
      const open = `SELECT id FROM refund_order WHERE purchase_id = '${purchaseId}' AND state = 'sending'`;
      expect(await of.app.query(open)).toEqual([]);
    },
  );

  it('stand beside events that are set aside, looked at again and dismissed, and a comparison with Stripe', async () => {
    const begin = async () => {
      const { startCheckout } = await of.app.graphql<{ startCheckout: { url: string } }>(
        'mutation { startCheckout(input: { dollars: 5 }) { url } }',
        {},
        account.sessionToken,
      );
      const sessionId = startCheckout.url.slice(startCheckout.url.lastIndexOf('/') + 1);
      return { event: double.books.pay(sessionId), session: double.books.getSession(sessionId) };
    };
    const readPosted = async () => (await of.app.findWallet(account.accountId)).posted;
    const [wrong, other] = [await begin(), await begin()];
    for (const { event, session } of [wrong, other]) {
      session.amount_total = 1;
      await double.deliver(event, of.app.baseUrl);
    }
    const retry = async (id: string) => {
      const field = 'retryQuarantinedEvent(id: $id) { fits reason }';
      return answerOf<{ retryQuarantinedEvent: object }>(await finance.change(field, { id })).retryQuarantinedEvent;
    };
    expect(await retry(wrong.event.id)).toEqual({ fits: false, reason: 'another amountCents' });
    expect(await readPosted()).toBe(0);
    wrong.session.amount_total = 500;
    expect(await retry(wrong.event.id)).toEqual({ fits: true, reason: null });
    expect(await readPosted()).toBe(5_000_000);
    const again = await finance.change('retryQuarantinedEvent(id: $id) { fits }', { id: wrong.event.id });
    expect(reasonOf(again)).toBe('not_found');
    const dismiss = 'dismissQuarantinedEvent(id: $id, reason: $reason)';
    const dismissal = { id: other.event.id, reason: 'A test of ours' };
    expect(reasonOf(await finance.change(dismiss, { ...dismissal, reason: ' ' }))).toBe('invalid_value');
    const answers = await Promise.all([finance.change(dismiss, dismissal), owner.change(dismiss, dismissal)]);
    expect(answers.map(reasonOf).toSorted()).toEqual(['done', 'not_found']);
    const [row] = await of.app.query(`SELECT state, reason FROM stripe_event WHERE id = '${other.event.id}'`);
    expect(row).toEqual({ state: 'ignored', reason: 'dismissed: A test of ours' });
    other.session.amount_total = 500;
    // Its event never arrives.
    await begin();
    const shown = '{ missedEvents differences failures }';
    const compared = answerOf<{ reconcilePurchases: { missedEvents: number } }>(
      await finance.change(`reconcilePurchases ${shown}`),
    ).reconcilePurchases;
    expect(compared.missedEvents).toBeGreaterThan(0);
    // With the one whose figures are right by now.
    expect(await readPosted()).toBeGreaterThanOrEqual(10_000_000);
    expect(answerOf(await owner.ask(`lastReconciliation ${shown}`))).toEqual({ lastReconciliation: compared });
    const log = await of.app.query(
      "SELECT action FROM operator_event WHERE action IN ('retry_event', 'dismiss_event', 'reconcile') ORDER BY id",
    );
    expect(log.map(({ action }) => action)).toEqual(['retry_event', 'retry_event', 'dismiss_event', 'reconcile']);
  }, 30_000);

  it('ask a second operator above the set amount, counted over a day, and are made once', async () => {
    const [large, small] = [await buy(100), await buy(5)];
    expect(await refund(large)).toMatchObject({ state: 'done' });
    const asked = await refund(small, { cents: 1 });
    expect(asked.state).toBe('waiting');
    expect(await movements(small)).toEqual([]);
    const approve = (by: TestOperator) => by.change(`approveRefund(id: $id) ${fields}`, { id: asked.id });
    expect(reasonOf(await approve(finance))).toBe('forbidden');
    const answers = await Promise.all([approve(owner), approve(owner)]);
    expect(answers.map(reasonOf)).toEqual(['done', 'done']);
    expect(await movements(small)).toEqual([10_000]);
    const refused = await refund(small, { cents: 2 });
    const refuse = 'refuseRefund(id: $id, reason: $reason)';
    expect(reasonOf(await finance.change(refuse, { id: refused.id, reason: 'My mistake' }))).toBe('done');
    expect(reasonOf(await owner.change(`approveRefund(id: $id) ${fields}`, { id: refused.id }))).toBe('conflict');
    expect(await movements(small)).toEqual([10_000]);
    expect((await logged()).map(([action]) => action)).toEqual([
      ...['refund', 'ask_refund', 'approve_refund', 'ask_refund', 'refuse_refund'],
    ]);
  });
});

describeOnEachDatabase('Refunds of simulated purchases', (openTestDatabase) => {
  it('take the credits as those of Stripe do, and never more than was paid', async () => {
    const of = await FactorApp.start(await openTestDatabase());
    const finance = await TestOperator.join(of, 'finance');
    const { accountId } = await of.app.createAccount(5);
    const [row] = await of.app.query(`SELECT id FROM purchase WHERE account_id = '${accountId}'`);
    const wish = (cents: number) =>
      finance.change(`refundPurchase(input: $refund) ${fields}`, {
        refund: { purchaseId: row?.id, reason: 'Not as promised', cents },
      });
    const answers = await Promise.all(Array.from({ length: 4 }, () => wish(200)));
    expect(answers.map(reasonOf).filter((reason) => reason === 'done')).toHaveLength(2);
    expect((await of.app.findWallet(accountId)).posted).toBe(1_000_000);
    const page = 'account(id: $id) { purchases { refundedCents } }';
    const found = answerOf<{ account: object }>(await finance.ask(page, { id: accountId }));
    expect(found.account).toEqual({ purchases: [{ refundedCents: 400 }] });
    await of.close();
  }, 30_000);
});
