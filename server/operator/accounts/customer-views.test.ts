import { buildGraphqlSchema } from '../../graphql/graphql-schema.js';
import { resolverClasses } from '../../graphql/resolvers.js';
import { systemClock } from '../../kernel/clock.js';
import { accessOf } from '../../schema/access.js';
import { answerOf, type BrowserAnswer, type CookieBrowser, reasonOf } from '../../test/cookie-browser.js';
import type { TestAccount } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { FactorApp } from '../../test/factor-app.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { TestOperator } from '../../test/operator-desk.js';
import { listOperations, selectAll, toSampleRequest } from '../../test/sample-request.js';
import { OperatorLog } from '../operator-log.js';
import { CustomerViews } from './customer-views.js';

const operations = listOperations(buildGraphqlSchema(resolverClasses, new Map()));
const viewable = new Set(operations.filter((field) => accessOf(field).isViewable).map(({ name }) => name));
const minuteMs = 60_000;
const refusal = 'You are viewing this account as its customer sees it';

describe('What a view may ask', () => {
  it('are queries of the schema, and not the operators’ own', () => {
    const queries = operations.filter(({ kind }) => kind === 'query').map(({ name }) => name);
    const mutations = operations.filter(({ kind }) => kind === 'mutation').map(({ name }) => name);
    expect([...viewable].filter((name) => !queries.includes(name) || mutations.includes(name))).toEqual([]);
    // Whoever adds a query decides whether a view may ask it.
    const closed = queries.filter((name) => !viewable.has(name));
    // Saved items are prompts and conversations, and operators read none.
    expect(closed.toSorted()).toEqual(['invitationOffer', 'operator', 'personalItems', 'savedItems', 'sharedReceipt']);
  });
});

describeOnEachDatabase('Operators who look as a customer', (openTestDatabase) => {
  const of = FactorApp.forAll(openTestDatabase);
  let support: TestOperator;
  let customer: TestAccount;
  let other: TestAccount;

  beforeAll(async () => {
    [customer, other] = [await of.app.createAccount(5), await of.app.createAccount(0)];
    const question = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] };
    await (await of.app.call(customer.secret, question)).text();
    await of.app.waitUntilSettled(customer.accountId);
    const startCheckout = 'mutation { startCheckout(input: { dollars: 5 }) { url } }';
    await of.app.graphql(startCheckout, {}, customer.sessionToken);
    const setWebhook =
      'mutation { setBalanceAlert(input: { email: false, webhookUrl: "https://example.com/" }) { email } }';
    await of.app.graphql(setWebhook, {}, customer.sessionToken);
  }, 60_000);
  beforeEach(async () => {
    support = await TestOperator.join(of, 'support');
  });

  const begin = async (by = support, isTold = false, accountId = customer.accountId) => {
    const view = { accountId, isTold, reason: 'Ticket 17' };
    const answer = await by.change('beginCustomerView(input: $view) { id endsAt }', { view });
    return answerOf<{ beginCustomerView: { id: string; endsAt: string } }>(answer).beginCustomerView;
  };
  const end = (id: string, by = support) => by.change('endCustomerView(id: $id)', { id });
  const ask = (id: string, query: string, variables: object = {}, browser = support.browser) =>
    browser.ask(query, variables, { 'tollgate-view': id });
  const whoIs = async (id: string, browser?: CookieBrowser) => {
    const answer = await ask(id, '{ viewer { id } }', {}, browser);
    return answer.errors ? reasonOf(answer) : answerOf<{ id: string }>(answer).id;
  };
  const logOf = (id: string) =>
    of.app.query(`SELECT action, actor, account_id, reason FROM operator_event WHERE subject = '${id}' ORDER BY id`);
  const disable = (by: TestOperator, id: string) =>
    by.change('disable(id: $id, reason: $reason)', { id, reason: 'Has left' });
  const giveRole = async (role: string, id: string) => {
    await of.app.query(`UPDATE operator SET role = '${role}' WHERE id = '${id}'`);
    return 'unlogged';
  };
  const post = (path: string, headers: Readonly<Record<string, string>>, body = '{}') =>
    fetch(`${of.app.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });

  it('read what the customer reads, field by field, and no secret', async () => {
    const { id } = await begin();
    const session = of.newBrowser({ sid: customer.sessionToken });
    const answers = new Map<string, BrowserAnswer>();
    for (const operation of operations.filter(({ name }) => viewable.has(name))) {
      const { query, variables } = toSampleRequest(operation, selectAll);
      const [seen, theirs] = [await ask(id, query, variables), await session.ask(query, variables)];
      answers.set(operation.name, seen);
      if (!['sessions', 'balanceAlert', 'purchases'].includes(operation.name)) {
        expect([operation.name, seen.data, seen.errors]).toEqual([operation.name, theirs.data, theirs.errors]);
      }
    }
    const refused = [...answers].filter(([, { errors }]) => errors).map(([name]) => name);
    // For everybody: a sample of a range begins when it ends.
    expect(refused.toSorted()).toEqual(['explore', 'latency', 'usage']);
    const { webhookSecret } = answerOf<{ webhookSecret: string }>(
      await session.ask('{ balanceAlert { webhookSecret } }'),
    );
    expect(webhookSecret.length).toBeGreaterThan(20);
    const alert = answers.get('balanceAlert')?.data?.balanceAlert;
    expect(alert).toMatchObject({ webhookUrl: 'https://example.com/', webhookSecret: null });
    const purchases = '{ purchases { edges { node { status dollars checkoutUrl } } } }';
    const theirs = answerOf<{ edges: { node: { checkoutUrl: string } }[] }>(await session.ask(purchases));
    expect(theirs.edges[0]?.node.checkoutUrl).toContain('/checkout/');
    const withoutLinks = theirs.edges.map(({ node }) => ({ node: { ...node, checkoutUrl: null } }));
    expect(answerOf(await ask(id, purchases))).toEqual({ edges: withoutLinks });
    const all = JSON.stringify([...answers.values()]);
    for (const secret of [webhookSecret, customer.secret, customer.sessionToken]) expect(all).not.toContain(secret);
    // The customer's own session stands there, and is not the one that asks; the view is none of them.
    const sessions = answers.get('sessions')?.data?.sessions as { id: string; isCurrent: boolean }[];
    expect(sessions.map(({ isCurrent }) => isCurrent)).toEqual([false]);
    expect(sessions[0]?.id).toMatch(/^sess_/);
  });

  it('are refused each change and every other query, with nothing done', async () => {
    const { id } = await begin();
    const count = async () =>
      JSON.stringify(
        await of.app.query(
          'SELECT (SELECT COUNT(*) FROM account_event) AS e, (SELECT COUNT(*) FROM session) AS s, (SELECT COUNT(*) FROM operator_event) AS o, (SELECT COUNT(*) FROM api_key) AS k',
        ),
      );
    const before = await count();
    for (const operation of operations.filter(({ name }) => !viewable.has(name))) {
      const { query, variables } =
        operation.name === 'operator'
          ? { query: `${operation.kind} { operator { __typename } }`, variables: {} }
          : toSampleRequest(operation);
      const answer = await ask(id, query, variables);
      expect([operation.name, reasonOf(answer)]).toEqual([operation.name, 'forbidden']);
      expect(answer.errors?.[0]?.message).toContain(refusal);
      expect(answer.cookies).toEqual([]);
    }
    expect(await count()).toBe(before);
  }, 30_000);

  it('download nothing, call nothing and listen to nothing, also with a session of their own in the browser', async () => {
    const { id } = await begin();
    const cookie = `operator=${support.browser.cookie('operator')}; sid=${other.sessionToken}`;
    const headers = { cookie, 'tollgate-view': id };
    for (const name of ['account.json', 'calls.csv', 'events.csv', 'requests.csv', 'statement.csv']) {
      const response = await fetch(`${of.app.baseUrl}/export/${name}`, { headers });
      expect([name, response.status]).toEqual([name, 403]);
      expect(await response.text()).toContain(refusal);
    }
    const body = JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'Hi' }] });
    for (const path of ['/playground/chat/completions', '/playground/estimate']) {
      const response = await post(path, headers, body);
      expect([path, response.status]).toEqual([path, 403]);
      expect(await response.text()).toContain(refusal);
    }
    const query = 'subscription { balance { available } }';
    expect(await (await post('/graphql/stream', headers, JSON.stringify({ query }))).text()).toContain(refusal);
  });

  it('are nobody once the view is over, whatever ends it, and never the session that is in the browser too', async () => {
    const both = () => of.newBrowser({ operator: support.browser.cookie('operator'), sid: other.sessionToken });
    const { id, endsAt } = await begin();
    expect(new Date(endsAt).getTime() - of.clock.nowMs()).toBe(30 * minuteMs);
    expect(await whoIs(id, both())).toBe(customer.accountId);
    expect(answerOf(await both().ask('{ viewer { id } }'))).toEqual({ id: other.accountId });
    expect(answerOf(await end(id))).toEqual({ endCustomerView: true });
    expect(answerOf(await end(id))).toEqual({ endCustomerView: false });
    expect([await whoIs(id), await whoIs(id, both())]).toEqual(['unauthenticated', 'unauthenticated']);

    const late = await begin();
    of.clock.advanceMs(30 * minuteMs - 1);
    expect(await whoIs(late.id)).toBe(customer.accountId);
    of.clock.advanceMs(1);
    expect(await whoIs(late.id)).toBe('unauthenticated');

    await support.prove();
    const first = await begin();
    const second = await begin(support, false, other.accountId);
    expect([await whoIs(first.id), await whoIs(second.id)]).toEqual(['unauthenticated', other.accountId]);
    expect((await logOf(late.id)).at(-1)).toMatchObject({ action: 'end_view', reason: 'Its time was over' });
    expect((await logOf(first.id)).at(-1)).toMatchObject({ action: 'end_view', reason: 'Another view began' });
  });

  it.each([
    ['signed out', async () => reasonOf(await support.change('signOut'))],
    ['was disabled', async () => reasonOf(await disable(await TestOperator.join(of, 'owner'), support.id))],
    // No operation of ours does this; the database may be changed by hand.
    ['was given a role that may not look', () => giveRole('finance', support.id)],
  ] as const)('are nobody once the operator %s', async (_, change) => {
    const { id } = await begin();
    const browser = of.newBrowser({ operator: support.browser.cookie('operator') });
    expect(await whoIs(id, browser)).toBe(customer.accountId);
    const answer = await change();
    expect(await whoIs(id, browser)).toBe('unauthenticated');
    const ended = (await logOf(id)).map(({ action }) => action);
    expect(ended).toEqual(answer === 'done' ? ['begin_view', 'end_view'] : ['begin_view']);
  });

  it('are known by their own session alone, and ask from our own pages', async () => {
    const { id } = await begin();
    const owner = await TestOperator.join(of, 'owner');
    const sessions = [owner.browser, of.newBrowser(), of.newBrowser({ sid: customer.sessionToken })];
    for (const browser of sessions) expect(await whoIs(id, browser)).toBe('unauthenticated');
    expect(await whoIs('nonsense')).toBe('unauthenticated');
    expect(answerOf(await end(id, owner))).toEqual({ endCustomerView: false });
    const asked = { query: '{ viewer { id } }' };
    const asBearer = { authorization: `Bearer ${support.browser.cookie('operator')}`, 'tollgate-view': id };
    expect((await post('/graphql', asBearer, JSON.stringify(asked))).status).toBe(401);
    const foreign = { 'tollgate-view': id, 'sec-fetch-site': 'cross-site' };
    expect(reasonOf(await support.browser.ask(asked.query, {}, foreign))).toBe('forbidden');
    expect(await whoIs(id)).toBe(customer.accountId);
  });

  it('see nothing of an account that is deleted, nor begin to', async () => {
    const gone = await of.app.createAccount(0);
    const { id } = await begin(support, false, gone.accountId);
    await of.app.query(`UPDATE account SET closed_at_ms = 1 WHERE id = '${gone.accountId}'`);
    expect(await whoIs(id)).toBe('unauthenticated');
    const view = { accountId: gone.accountId, isTold: false, reason: 'Ticket 17' };
    expect(reasonOf(await support.change('beginCustomerView(input: $view) { id }', { view }))).toBe('not_found');
  });

  it('stand in the operators’ log, and in the customer’s events and mail where the customer is told', async () => {
    const toldOf = async (id: string) => ({
      events: await of.app.query(
        `SELECT kind, account_id, actor_id, network FROM account_event WHERE subject_id = '${id}' ORDER BY id`,
      ),
      mails: await of.app.query(
        `SELECT account_id, channel, body FROM notice WHERE subject_key = 'operator-view:${id}'`,
      ),
    });
    const quiet = await begin();
    await end(quiet.id);
    const { accountId } = customer;
    const by = { actor: `The support (${support.id})`, account_id: accountId };
    expect(await logOf(quiet.id)).toEqual([
      { ...by, action: 'begin_view', reason: 'Ticket 17' },
      { ...by, action: 'end_view', reason: 'Ended by the operator' },
    ]);
    expect(await toldOf(quiet.id)).toEqual({ events: [], mails: [] });
    const told = await begin(support, true);
    await end(told.id);
    expect((await logOf(told.id)).map(({ action }) => action)).toEqual(['begin_told_view', 'end_view']);
    const { events, mails } = await toldOf(told.id);
    const unnamed = { account_id: accountId, actor_id: null, network: null };
    expect(events).toEqual([
      { kind: 'operator_view_begun', ...unnamed },
      { kind: 'operator_view_ended', ...unnamed },
    ]);
    expect(mails).toEqual([
      { account_id: accountId, channel: 'email', body: expect.stringContaining('as you see it') },
    ]);
    expect(String(mails[0]?.body)).not.toContain('Ticket');
    const read = '{ accountEvents(first: 2) { edges { node { kind } } } }';
    const own = await of.app.graphql<{ accountEvents: { edges: { node: { kind: string } }[] } }>(
      read,
      {},
      customer.sessionToken,
    );
    expect(own.accountEvents.edges.map(({ node }) => node.kind)).toEqual([
      'OPERATOR_VIEW_ENDED',
      'OPERATOR_VIEW_BEGUN',
    ]);
  });
});

describeOnEachDatabase('A view whose time is over', (openTestDatabase) => {
  it('has its end in the log without anybody who asks', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const { unitOfWork } = fixture;
    const log = new OperatorLog(unitOfWork, systemClock, 'this server');
    const views = new CustomerViews({
      ...{ unitOfWork, clock: systemClock, log, lifetimeMs: 20 },
      sessions: { find: async () => null },
      findEmail: async () => 'ada@example.com',
      outbox: { put: async () => true },
    });
    const by = {
      operatorId: 'op_1',
      sessionId: 'osess_1',
      name: 'Grace',
      email: 'g@example.com',
      role: 'owner',
      isFresh: true,
    } as const;
    await views.begin(by, { accountId: 'acct_1', isTold: false, reason: 'Ticket 17' });
    const readLog = async () => (await log.list({ first: 5 })).map(({ action, actor }) => `${action} by ${actor}`);
    await eventually(async () => (await readLog()).length >= 2);
    expect(await readLog()).toEqual(['end_view by this server', 'begin_view by Grace (op_1)']);
    await fixture.close();
  });
});
