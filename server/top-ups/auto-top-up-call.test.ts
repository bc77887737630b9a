import { createServer, type Server } from 'node:http';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { closeServer, listenLocally, urlOf } from '../test/local-server.js';

const chat = { model: 'demo-small', messages: [{ role: 'user', content: 'hello' }], max_tokens: 5 };
const setTopUp = `mutation ($input: AutoTopUpInput!) { setAutoTopUp(input: $input) {
  isOn threshold dollars monthlyCapDollars boughtThisMonthDollars card { brand last4 } failure pausedUntil } }`;

describeOnEachDatabase('a real call that leaves the balance low', (openTestDatabase) => {
  let app: TestApp;
  let account: TestAccount;
  let hook: Server;
  let deliveries: string[];

  beforeEach(async () => {
    app = await TestApp.start(await openTestDatabase());
    account = await app.createAccount(5);
    deliveries = [];
    hook = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      deliveries.push(body);
      response.writeHead(204).end();
    });
    await listenLocally(hook);
  });

  afterEach(async () => {
    await closeServer(hook);
    await app.close();
  });

  const graphql = <Data>(query: string, variables: object = {}) =>
    app.graphql<Data>(query, variables, account.sessionToken);
  const saveCard = async () => {
    const { startCardSetup } = await graphql<{ startCardSetup: { url: string } }>(
      'mutation { startCardSetup { url } }',
    );
    const id = new URL(startCardSetup.url).searchParams.get('card');
    await graphql('mutation ($id: ID!) { confirmCardSetup(id: $id) { card { last4 } } }', { id });
  };
  const posted = async () => (await app.findWallet(account.accountId)).posted;

  it('sets off the automatic top-up by the saved card, once, and the call’s answer does not wait for it', async () => {
    await saveCard();
    const input = { isOn: true, threshold: 4_999.999, dollars: 20, monthlyCapDollars: 20, hasConsent: true };
    const { setAutoTopUp } = await graphql<{ setAutoTopUp: object }>(setTopUp, { input });
    expect(setAutoTopUp).toMatchObject({ isOn: true, threshold: 4_999.999, card: { last4: '4242' }, failure: null });
    const before = await posted();
    expect((await app.call(account.secret, chat)).status).toBe(200);
    // The test's own time limit ends the wait.
    await eventually(async () => (await posted()) >= before);
    expect(await posted()).toBeGreaterThan(24_000_000);
    for (let call = 0; call < 3; call += 1) expect((await app.call(account.secret, chat)).status).toBe(200);
    const { autoTopUp, purchases } = await graphql<{ autoTopUp: object; purchases: { edges: { node: object }[] } }>(
      '{ autoTopUp { boughtThisMonthDollars isOn } purchases(first: 5) { edges { node { dollars status isAutomatic } } } }',
    );
    expect(autoTopUp).toEqual({ boughtThisMonthDollars: 20, isOn: true });
    expect(purchases.edges.map(({ node }) => node)).toEqual([
      { dollars: 20, status: 'PAID', isAutomatic: true },
      { dollars: 5, status: 'PAID', isAutomatic: false },
    ]);
  });

  it('is told to the webhook that the account has named', async () => {
    const webhookUrl = `${urlOf(hook)}/low`;
    const input = { threshold: 4_999.999, email: true, webhookUrl };
    const { setBalanceAlert } = await graphql<{ setBalanceAlert: { webhookSecret: string } }>(
      'mutation ($input: BalanceAlertInput!) { setBalanceAlert(input: $input) { threshold email webhookUrl webhookSecret } }',
      { input },
    );
    expect(setBalanceAlert).toMatchObject({ threshold: 4_999.999, email: true, webhookUrl });
    expect((await app.call(account.secret, chat)).status).toBe(200);
    await eventually(() => deliveries.length > 0);
    expect(JSON.parse(String(deliveries[0]))).toMatchObject({ type: 'balance.low', accountId: account.accountId });
    expect(app.logLines.join('')).not.toContain(setBalanceAlert.webhookSecret);
    await eventually(() => app.logLines.join('').includes('mail_without_smtp'));
  });
});
