import fc from 'fast-check';
import { describeOnEachDatabase } from '../test/each-database.js';
import { repetitions, sample, sampleInWords } from '../test/sample.js';
import type { StripeObject } from '../test/stripe-double-books.js';
import { type DoubleCheckout, DoubleShop } from '../test/stripe-double-shop.js';
import { splitReversal } from './purchase-reversals.js';

const chat = { model: 'demo-small', messages: [{ role: 'user', content: 'hello' }], max_tokens: 5 };
const objectIdOf = (event: StripeObject) => (event.data as { object: { id: string } }).object.id;

describeOnEachDatabase('refunds and disputes', (openTestDatabase) => {
  const { shop, account } = DoubleShop.forEach(openTestDatabase);

  const posted = async () => (await shop.app.findWallet(account.accountId)).posted;

  it('takes back all of the credits with all of the money, and exactly their share with a part of it', async () => {
    const whole = await shop.buy(account, 5);
    expect(await shop.deliver(shop.double.books.refund(whole.sessionId, 500))).toBe(200);
    expect(await shop.listMovements(whole)).toEqual([5_000_000, -5_000_000]);
    const part = await shop.buy(account, 7);
    expect(await shop.deliver(shop.double.books.refund(part.sessionId, 333))).toBe(200);
    expect(await shop.listMovements(part)).toEqual([7_000_000, -3_330_000]);
    expect(await posted()).toBe(3_670_000);
  });

  it('books three partial refunds after the credits were spent, shows the debt, refuses calls, and is repaid first', async () => {
    const checkout = await shop.buy(account, 5);
    await shop.app.setBalance(account.accountId, 100_000);
    for (const cents of [166, 167, 167]) {
      const event = shop.double.books.refund(checkout.sessionId, cents);
      expect(await shop.deliver(event)).toBe(200);
      expect(await shop.deliver(event)).toBe(200);
    }
    expect(await shop.listMovements(checkout)).toEqual([5_000_000, -1_660_000, -1_670_000, -1_670_000]);
    expect(await posted()).toBe(-4_900_000);
    const refused = await shop.app.call(account.secret, chat);
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({ error: { code: 'insufficient_quota' } });
    await shop.buy(account, 5);
    expect(await posted()).toBe(100_000);
    expect((await shop.app.call(account.secret, chat)).status).toBe(200);
  });

  it('gives the credits back when a refund fails, and takes them again for the next one', async () => {
    const checkout = await shop.buy(account, 5);
    const first = shop.double.books.refund(checkout.sessionId, 200);
    expect(await shop.deliver(first)).toBe(200);
    expect(await shop.deliver(shop.double.books.failRefund(objectIdOf(first)))).toBe(200);
    expect(await shop.deliver(shop.double.books.refund(checkout.sessionId, 200))).toBe(200);
    expect(await shop.listMovements(checkout)).toEqual([5_000_000, -2_000_000, 2_000_000, -2_000_000]);
  });

  it('freezes the account while a dispute runs, and moves the credits with the funds', async () => {
    const checkout = await shop.buy(account, 5);
    const { books } = shop.double;
    const created = books.openDispute(checkout.sessionId);
    expect(await shop.deliver(created)).toBe(200);
    expect(await shop.findState(account, checkout)).toMatchObject({ wallet: 'frozen', credits: 5_000_000 });
    expect((await shop.app.call(account.secret, chat)).status).not.toBe(200);
    expect(await shop.deliver(books.withdrawFunds(objectIdOf(created)))).toBe(200);
    expect(await shop.findState(account, checkout)).toMatchObject({ wallet: 'frozen', credits: 0 });
    expect(await shop.deliver(books.reinstateFunds(objectIdOf(created)))).toBe(200);
    expect(await shop.deliver(books.closeDispute(objectIdOf(created), 'won'))).toBe(200);
    expect(await shop.findState(account, checkout)).toMatchObject({
      wallet: 'open',
      credits: 5_000_000,
      dispute: 'none',
    });
    expect((await shop.app.call(account.secret, chat)).status).toBe(200);
  });

  it('keeps the credits of a lost dispute, opens the account again, and says 402 for the debt', async () => {
    const checkout = await shop.buy(account, 5);
    await shop.app.setBalance(account.accountId, 1_000);
    const created = shop.double.books.openDispute(checkout.sessionId);
    shop.double.books.withdrawFunds(objectIdOf(created));
    expect(await shop.deliver(shop.double.books.closeDispute(objectIdOf(created), 'lost'))).toBe(200);
    expect(await shop.findState(account, checkout)).toMatchObject({ wallet: 'open', credits: 0 });
    expect(await posted()).toBe(1_000 - 5_000_000);
    expect((await shop.app.call(account.secret, chat)).status).toBe(402);
  });

  it('takes all credits of a dispute that is told in another currency, and gives them back when it is won', async () => {
    const checkout = await shop.buy(account, 5);
    const { books } = shop.double;
    const created = books.openDispute(checkout.sessionId, 153);
    Object.assign(books.disputes[0] as object, { currency: 'kwd' });
    expect(await shop.deliver(books.withdrawFunds(objectIdOf(created)))).toBe(200);
    expect(await shop.findState(account, checkout)).toMatchObject({ wallet: 'frozen', credits: 0, disputedCents: 500 });
    books.reinstateFunds(objectIdOf(created));
    expect(await shop.deliver(books.closeDispute(objectIdOf(created), 'won'))).toBe(200);
    expect(await shop.findState(account, checkout)).toMatchObject({ wallet: 'open', credits: 5_000_000 });
  });

  it('keeps what was taken back when Stripe names the payment no longer, and tells the operator', async () => {
    const checkout = await shop.buy(account, 5);
    const { books } = shop.double;
    expect(await shop.deliver(books.refund(checkout.sessionId, 400))).toBe(200);
    Object.assign(books.getSession(checkout.sessionId), { payment_intent: null });
    const event = books.emit('checkout.session.completed', books.getSession(checkout.sessionId));
    expect(await shop.deliver(event)).toBe(200);
    expect(await shop.findState(account, checkout)).toMatchObject({ credits: 1_000_000, refundedCents: 400 });
    expect(await shop.listQuarantined()).toEqual([expect.stringMatching(/no such session/)]);
  });

  it('opens the account only when its last dispute is over', async () => {
    const purchases = [await shop.buy(account), await shop.buy(account)];
    const disputes = purchases.map(({ sessionId }) => shop.double.books.openDispute(sessionId));
    await Promise.all(disputes.map((event) => shop.deliver(event)));
    expect(await shop.deliver(shop.double.books.closeDispute(objectIdOf(disputes[0] as StripeObject), 'won'))).toBe(
      200,
    );
    expect(await shop.findState(account, purchases[0] as DoubleCheckout)).toMatchObject({ wallet: 'frozen' });
    expect(await shop.deliver(shop.double.books.closeDispute(objectIdOf(disputes[1] as StripeObject), 'lost'))).toBe(
      200,
    );
    expect(await shop.findState(account, purchases[1] as DoubleCheckout)).toMatchObject({ wallet: 'open' });
  });

  it('opens the account when its two disputes end at the same time', async () => {
    const purchases = [await shop.buy(account), await shop.buy(account)];
    const disputes = purchases.map(({ sessionId }) => shop.double.books.openDispute(sessionId));
    for (const event of disputes) expect(await shop.deliver(event)).toBe(200);
    const closed = disputes.map((event) => shop.double.books.closeDispute(objectIdOf(event), 'won'));
    expect(await Promise.all(closed.map((event) => shop.deliver(event)))).toEqual([200, 200]);
    for (const purchase of purchases) {
      expect(await shop.findState(account, purchase)).toMatchObject({ wallet: 'open', dispute: 'none' });
    }
  });

  it('never lets an old answer of Stripe’s undo a newer one', async () => {
    const checkout = await shop.buy(account, 5);
    const { books } = shop.double;
    const first = books.refund(checkout.sessionId, 100);
    let isFirst = true;
    // While the first delivery waits for its lists, the refund grows, and the second delivery overtakes it.
    shop.double.beforeAnswer = async (request) => {
      if (request !== 'GET /v1/refunds' || !isFirst) return;
      isFirst = false;
      expect(await shop.deliver(books.refund(checkout.sessionId, 300))).toBe(200);
      expect(await posted()).toBe(1_000_000);
    };
    expect(await shop.deliver(first)).toBe(200);
    expect(isFirst).toBe(false);
    expect(await shop.listMovements(checkout)).toEqual([5_000_000, -4_000_000]);
  });

  it(`ends in the same state for the 120 orders of five events, each delivered twice (${sampleInWords})`, async () => {
    const orders = sample(listOrders([0, 1, 2, 3, 4]), 10);
    const states: unknown[] = [];
    let buyer = account;
    for (const [index, order] of orders.entries()) {
      // One account may begin 60 checkouts in an hour.
      if (index % 40 === 39) buyer = await shop.app.createAccount(0);
      const checkout = await shop.startCheckout(buyer);
      const events = playStory(checkout);
      for (const place of [...order, ...order]) {
        expect(await shop.deliver(events[place] as StripeObject)).toBe(200);
      }
      states.push(await shop.findState(buyer, checkout));
    }
    expect(states).toHaveLength(orders.length);
    expect(new Set(states.map((state) => JSON.stringify(state)))).toEqual(new Set([JSON.stringify(endState)]));
  }, 120_000);

  it('ends in the same state for any order and any duplication of the five events', async () => {
    // Each of them at least once, in any order, with any repetitions in between.
    const sequence = fc
      .tuple(fc.array(fc.nat(4), { maxLength: 15 }), fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }))
      .map(([repetitions, all]) => [...repetitions, ...all]);
    await fc.assert(
      fc.asyncProperty(sequence, fc.integer({ min: 1, max: 4 }), async (places, atOnce) => {
        const checkout = await shop.startCheckout(account);
        const events = playStory(checkout);
        for (let start = 0; start < places.length; start += atOnce) {
          const batch = places.slice(start, start + atOnce);
          await Promise.all(batch.map((place) => shop.deliver(events[place] as StripeObject)));
        }
        // What was turned away for being in another's way is delivered again, as Stripe does.
        for (const event of events) expect(await shop.deliver(event)).toBe(200);
        expect(await shop.findState(account, checkout)).toEqual(endState);
      }),
      { numRuns: repetitions({ usual: 8, all: 20 }) },
    );
  }, 240_000);

  it('ends in the same state however what happens, what is delivered and what is repeated are mixed', async () => {
    const moves = fc.array(fc.record({ acts: fc.boolean(), picks: fc.array(fc.nat(5), { maxLength: 3 }) }), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(moves, async (schedule) => {
        const checkout = await shop.startCheckout(account);
        const story = tellStory(checkout);
        const events: StripeObject[] = [];
        const act = () => {
          const next = story.next();
          if (!next.done) events.push(next.value);
        };
        for (const { acts, picks } of schedule) {
          if (acts) act();
          // All of a move are on their way at once.
          await Promise.all(picks.map((pick) => events[pick] && shop.deliver(events[pick])));
        }
        while (events.length < 6) act();
        for (const event of events.toReversed()) expect(await shop.deliver(event)).toBe(200);
        expect(await shop.findState(account, checkout)).toEqual(endState);
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  // A payment that takes its time, 2 of its 5 dollars refunded, the rest disputed, withdrawn and reinstated.
  const endState = {
    status: 'paid',
    wallet: 'open',
    refundedCents: 200,
    disputedCents: 0,
    dispute: 'none',
    credits: 3_000_000,
  };

  function* tellStory({ sessionId }: DoubleCheckout): Generator<StripeObject, void> {
    const { books } = shop.double;
    yield books.payLater(sessionId);
    yield books.succeedLater(sessionId);
    yield books.refund(sessionId, 200);
    const dispute = books.openDispute(sessionId, 300);
    yield dispute;
    yield books.withdrawFunds(objectIdOf(dispute));
    books.closeDispute(objectIdOf(dispute), 'won');
    yield books.reinstateFunds(objectIdOf(dispute));
  }

  // Everything has happened before the first delivery arrives.
  function playStory(checkout: DoubleCheckout): StripeObject[] {
    const [completed, succeeded, refunded, disputed, , reinstated] = [...tellStory(checkout)];
    return [completed, succeeded, refunded, disputed, reinstated] as StripeObject[];
  }
});

function listOrders(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) => listOrders(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}

describe('splitReversal', () => {
  const amounts = fc.record({
    amountCents: fc.integer({ min: 1, max: 100_000 }),
    creditsMillicredits: fc.integer({ min: 1, max: 1_000_000_000 }),
    refundedCents: fc.nat(200_000),
    disputedCents: fc.nat(200_000),
  });
  const share = (facts: {
    amountCents: number;
    creditsMillicredits: number;
    refundedCents: number;
    disputedCents: number;
  }) => splitReversal(facts, { ...facts, hasOpenDispute: false });

  it('never takes more than was bought, and all of it when all of the money is gone', () => {
    fc.assert(
      fc.property(amounts, (facts) => {
        const { refund, dispute } = share(facts);
        const undone = refund.millicredits + dispute.millicredits;
        expect(Math.min(refund.millicredits, dispute.millicredits)).toBeGreaterThanOrEqual(0);
        expect(undone).toBeLessThanOrEqual(facts.creditsMillicredits);
        const isAllGone = facts.refundedCents + facts.disputedCents >= facts.amountCents;
        if (isAllGone) expect(undone).toBe(facts.creditsMillicredits);
      }),
    );
  });

  it('rounds what was refunded down, exactly', () => {
    fc.assert(
      fc.property(amounts, (facts) => {
        const { millicredits, cents } = share(facts).refund;
        const rest =
          BigInt(facts.creditsMillicredits) * BigInt(cents) - BigInt(millicredits) * BigInt(facts.amountCents);
        expect(rest >= 0n && rest < BigInt(facts.amountCents)).toBe(true);
      }),
    );
  });
});
