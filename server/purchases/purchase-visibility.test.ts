import { describeOnEachDatabase } from '../test/each-database.js';
import { receiptHost, type StripeObject } from '../test/stripe-double-books.js';
import { DoubleShop } from '../test/stripe-double-shop.js';

const chat = { model: 'demo-small', messages: [{ role: 'user', content: 'hello' }], max_tokens: 5 };
const objectIdOf = (event: StripeObject) => (event.data as { object: { id: string } }).object.id;

interface Standing {
  viewer: { debt: number; isFrozen: boolean; frozenFor: string[]; balance: { available: number } };
  purchases: { edges: { node: Record<string, unknown> }[] };
  statement: { edges: { node: { type: string; amount: number } }[] };
}

describeOnEachDatabase('what a buyer sees of refunds and disputes', (openTestDatabase) => {
  const { shop, account } = DoubleShop.forEach(openTestDatabase);

  const look = async () => {
    const answer = await shop.app.graphql<Standing>(
      `{ viewer { debt isFrozen frozenFor balance { available } }
         purchases(first: 5) { edges { node { status refundedDollars refundedCredits disputedCredits disputeStatus
           receiptUrl invoiceUrl isAutomatic } } }
         statement(first: 20) { edges { node { type amount } } } }`,
      {},
      account.sessionToken,
    );
    return {
      ...answer.viewer,
      purchases: answer.purchases.edges.map(({ node }) => node),
      statement: answer.statement.edges.map(({ node }) => [node.type, node.amount]),
    };
  };
  const refuse = async () => {
    const response = await shop.app.call(account.secret, chat);
    const { error } = (await response.json()) as { error: { message: string; code: string; metadata: object } };
    return { status: response.status, retry: response.headers.get('x-should-retry'), ...error };
  };

  it('shows three partial refunds of spent credits as an exact debt, says it with 402, and repays it first', async () => {
    const checkout = await shop.buy(account, 5);
    await shop.app.setBalance(account.accountId, 100_000);
    for (const cents of [166, 167, 167]) {
      expect(await shop.deliver(shop.double.books.refund(checkout.sessionId, cents))).toBe(200);
    }
    expect(await look()).toMatchObject({
      debt: 4_900,
      isFrozen: false,
      balance: { available: -4_900 },
      purchases: [{ status: 'PAID', refundedDollars: 5, refundedCredits: 5_000, disputeStatus: null }],
      statement: [
        ['REFUND', -1_670],
        ['REFUND', -1_670],
        ['REFUND', -1_660],
        ['USAGE', -4_900],
        ['PURCHASE', 5_000],
      ],
    });
    const refused = await refuse();
    expect(refused).toMatchObject({ status: 402, retry: 'false', code: 'insufficient_quota' });
    expect(refused.message).toMatch(/owes 4900\.000 credits.*refunded.*repays/);
    expect(refused.metadata).toMatchObject({ owed_credits: 4_900 });
    await shop.buy(account, 5);
    expect(await look()).toMatchObject({ debt: 0, balance: { available: 100 } });
    expect((await shop.app.call(account.secret, chat)).status).toBe(200);
  });

  it('names the dispute while it runs and after it is lost, and shows credits that came back', async () => {
    const checkout = await shop.buy(account, 5);
    const { books } = shop.double;
    const created = books.openDispute(checkout.sessionId);
    await shop.deliver(created);
    await shop.deliver(books.withdrawFunds(objectIdOf(created)));
    expect(await look()).toMatchObject({
      isFrozen: true,
      frozenFor: ['DISPUTE'],
      purchases: [{ disputeStatus: 'OPEN', disputedCredits: 5_000 }],
    });
    const refused = await refuse();
    expect(refused).toMatchObject({ status: 402, retry: 'false', metadata: { frozen_for: 'dispute' } });
    expect(refused.message).toMatch(/frozen.*dispute/);
    await shop.deliver(books.closeDispute(objectIdOf(created), 'lost'));
    expect(await look()).toMatchObject({ isFrozen: false, purchases: [{ disputeStatus: 'LOST' }] });

    const second = await shop.buy(account, 5);
    const won = books.openDispute(second.sessionId);
    books.withdrawFunds(objectIdOf(won));
    await shop.deliver(won);
    books.closeDispute(objectIdOf(won), 'won');
    await shop.deliver(books.reinstateFunds(objectIdOf(won)));
    const after = await look();
    expect(after.purchases[0]).toMatchObject({ disputeStatus: null, disputedCredits: 0 });
    expect(after.statement.slice(0, 2)).toEqual([
      ['DISPUTE_RETURNED', 5_000],
      ['DISPUTE', -5_000],
    ]);
  });

  it('shows a refund that failed as credits that came back', async () => {
    const checkout = await shop.buy(account, 5);
    const refund = shop.double.books.refund(checkout.sessionId, 200);
    await shop.deliver(refund);
    await shop.deliver(shop.double.books.failRefund(objectIdOf(refund)));
    const { statement, purchases } = await look();
    expect(statement.slice(0, 2)).toEqual([
      ['REFUND_RETURNED', 2_000],
      ['REFUND', -2_000],
    ]);
    expect(purchases[0]).toMatchObject({ refundedDollars: 0, refundedCredits: 0 });
  });

  it('links the receipt and the invoice that Stripe has made', async () => {
    await shop.buy(account, 5);
    const [purchase] = (await look()).purchases;
    expect(String(purchase?.receiptUrl).startsWith(`${receiptHost}/pi_`)).toBe(true);
    expect(String(purchase?.invoiceUrl).startsWith(`${receiptHost}/invoice-of-pi_`)).toBe(true);
  });

  it('leaves a wallet closed that the auditor has closed, when a dispute of it ends', async () => {
    const checkout = await shop.buy(account, 5);
    const created = shop.double.books.openDispute(checkout.sessionId);
    await shop.deliver(created);
    await shop.app.query(`UPDATE ledger_account SET frozen_for = 'audit,dispute' WHERE id = '${account.accountId}'`);
    await shop.deliver(shop.double.books.closeDispute(objectIdOf(created), 'won'));
    expect(await look()).toMatchObject({ isFrozen: true, frozenFor: ['AUDIT'] });
    expect(await refuse()).toMatchObject({ status: 403 });
  });

  it('opens Stripe’s own page for the account’s customer, and no other', async () => {
    const open = (token: string) =>
      shop.app.graphql<{ openBillingPortal: string }>('mutation { openBillingPortal }', {}, token);
    await shop.buy(account, 5);
    const { openBillingPortal: url } = await open(account.sessionToken);
    const [customer] = await shop.app.query('SELECT customer_id FROM stripe_customer');
    expect(url).toBe(`${shop.double.baseUrl}/portal/${customer?.customer_id}`);
    const stranger = await shop.app.createAccount(0);
    expect((await open(stranger.sessionToken)).openBillingPortal).not.toBe(url);
  });
});
