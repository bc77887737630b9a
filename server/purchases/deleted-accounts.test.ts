import { describeOnEachDatabase } from '../test/each-database.js';
import { DoubleShop } from '../test/stripe-double-shop.js';

describeOnEachDatabase('A checkout page of an account that is deleted', (openTestDatabase) => {
  const { shop, account } = DoubleShop.forEach(openTestDatabase, { OPERATOR_EMAIL: 'operator@example.com' });

  const deleteAccount = () =>
    shop.app.graphql(
      'mutation ($input: DeleteAccountInput!) { deleteAccount(input: $input) }',
      { input: { password: 'a long enough password' } },
      account.sessionToken,
    );
  const listTold = () => shop.app.query("SELECT title, body FROM notice WHERE recipient = 'operator@example.com'");

  it('is ended with it, so that nobody can pay on it any more', async () => {
    const pages = [await shop.startCheckout(account), await shop.startCheckout(account, 7)];
    await deleteAccount();
    for (const page of pages) {
      expect(shop.double.books.getSession(page.sessionId).status).toBe('expired');
      expect(await shop.findState(account, page)).toMatchObject({ status: 'expired', wallet: 'closed' });
    }
    expect(await listTold()).toEqual([]);
  });

  it('that could not be ended keeps no account, and the operator is told of its payment and how to give it back', async () => {
    const page = await shop.startCheckout(account);
    shop.double.beforeWork = async (request) => !request.endsWith('/expire');
    await deleteAccount();
    shop.double.beforeWork = async () => true;
    expect(await shop.findState(account, page)).toMatchObject({ status: 'pending', wallet: 'closed' });
    const paid = shop.double.books.pay(page.sessionId);
    expect(await shop.deliver(paid)).toBe(200);
    expect(await shop.deliver(paid)).toBe(200);
    expect(await shop.findState(account, page)).toMatchObject({ status: 'paid', credits: 5_000_000 });
    expect(await listTold()).toEqual([
      {
        title: 'A deleted account has paid $5',
        body: expect.stringContaining(`npm run tollgate -- purchase refund ${page.purchaseId} --reason`),
      },
    ]);
    shop.double.books.refund(page.sessionId, 500);
    expect(await shop.deliver(shop.double.books.events.at(-1) as typeof paid)).toBe(200);
    expect(await shop.findState(account, page)).toMatchObject({ refundedCents: 500, credits: 0 });
  });
});
