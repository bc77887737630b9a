import { type TestAccount, TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

const change = 'mutation ($id: ID!) { switchAccount(accountId: $id) }';
const confirm = 'mutation ($id: ID!) { confirmPurchase(id: $id) { id status } }';
const start = 'mutation { startCheckout(input: { dollars: 7 }) { purchase { id } } }';

describeOnEachDatabase('A purchase whose buyer acts for another account by now', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  let buyer: TestAccount;
  let team: TestAccount;

  beforeEach(async () => {
    [buyer, team] = [await app.createAccount(0), await app.createAccount(0)];
    const values = `'${team.accountId}', '${buyer.accountId}', 'billing', 1`;
    await app.query(`INSERT INTO membership (account_id, person_id, role, created_at_ms) VALUES (${values})`);
  });

  const actFor = (accountId: string) => app.graphql(change, { id: accountId }, buyer.sessionToken);
  const begin = async () => {
    const { startCheckout } = await app.graphql<{ startCheckout: { purchase: { id: string } } }>(
      start,
      {},
      buyer.sessionToken,
    );
    return startCheckout.purchase.id;
  };

  it('is confirmed for whoever pays for its account, and is none for anybody else', async () => {
    await actFor(team.accountId);
    const id = await begin();
    await actFor(buyer.accountId);
    const confirmed = { confirmPurchase: { id, status: 'PENDING' } };
    expect(await app.graphql(confirm, { id }, buyer.sessionToken)).toEqual(confirmed);
    const { accountId, sessionToken } = await app.createAccount(0);
    await expect(app.graphql(confirm, { id }, sessionToken)).rejects.toThrow(/no such purchase/);
    // Seeing an account's books is not paying for it.
    await app.query(
      `INSERT INTO membership (account_id, person_id, role, created_at_ms) VALUES ('${team.accountId}', '${accountId}', 'viewer', 1)`,
    );
    await expect(app.graphql(confirm, { id }, sessionToken)).rejects.toThrow(/no such purchase/);
  });
});
