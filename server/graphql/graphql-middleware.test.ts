import { createServer, type Server } from 'node:http';
import type { ApolloServer } from '@apollo/server';
import express from 'express';
import { getIntrospectionQuery } from 'graphql';
import { AccountService } from '../accounts/account-service.js';
import { AccountSettings } from '../accounts/account-settings.js';
import { openIdentities } from '../accounts/identities/open-identities.js';
import { PreferredProviders } from '../accounts/preferred-providers.js';
import { EmailChanges } from '../accounts/recovery/email-changes.js';
import { PasswordResets } from '../accounts/recovery/password-resets.js';
import { ResetThrottle } from '../accounts/recovery/reset-throttle.js';
import { FactorSignIn } from '../accounts/sign-in/factor-sign-in.js';
import { KnownDevices } from '../accounts/sign-in/known-devices.js';
import { Passwords } from '../accounts/sign-in/passwords.js';
import { SessionService } from '../accounts/sign-in/session-service.js';
import { SignInThrottle } from '../accounts/sign-in/sign-in-throttle.js';
import { EmailVerifications } from '../accounts/sign-up/email-verifications.js';
import { openSignUpGate } from '../accounts/sign-up/sign-up-gate.js';
import { SignUpThrottle } from '../accounts/sign-up/sign-up-throttle.js';
import { AccountEvents } from '../audit/account-events.js';
import { openPurchases } from '../composition/open-purchases.js';
import { openTopUpPayers } from '../composition/open-top-up-payers.js';
import { openFactors } from '../factors/open-factors.js';
import { openMemoryCounter } from '../kernel/attempt-counter.js';
import { systemClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { ApiKeyService } from '../keys/api-key-service.js';
import { KeyAuthenticator } from '../keys/authenticate-key.js';
import { OneProcessKeyChanges } from '../keys/changes/key-changes.js';
import { KeySpendReader } from '../ledger/key-spend/key-spend-reader.js';
import { LedgerReader } from '../ledger/ledger-reader.js';
import { noOwnLimits } from '../limits/account-limits.js';
import { Invitations } from '../members/invitations.js';
import { MemberBudgets } from '../members/member-budgets.js';
import { Memberships } from '../members/memberships.js';
import { WebhookDeliveries } from '../notices/webhook-deliveries.js';
import { ProviderHealth } from '../providers/health/provider-health.js';
import { buildCatalogue } from '../providers/model-catalogue.js';
import type { SimulatedGateway } from '../purchases/simulated/simulated-gateway.js';
import { PersonalItems } from '../saved-items/personal-items.js';
import { SavedItems } from '../saved-items/saved-items.js';
import type { GraphqlContext } from '../schema/graphql-context.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { keyRules } from '../test/key-rules.js';
import { endingWith, grantOf, LedgerFixture } from '../test/ledger-fixture.js';
import { closeServer, listenLocally, urlOf } from '../test/local-server.js';
import { makePurchasesParts } from '../test/purchases-parts.js';
import { Explorer } from '../usage/reports/explore.js';
import { LatencyReporter } from '../usage/reports/latency-report.js';
import { SpendingReporter } from '../usage/reports/spending.js';
import { UsageReporter } from '../usage/reports/usage-report.js';
import { CallReader } from '../usage/requests/call-reader.js';
import { ReceiptLinks } from '../usage/requests/receipt-links.js';
import { RefusalReader } from '../usage/requests/refusal-reader.js';
import { ServiceMeasures } from '../usage/service/service-measures.js';
import { WebhookEndpoints } from '../webhooks/webhook-endpoints.js';
import { createGraphqlServer } from './create-graphql-server.js';
import { createGraphqlMiddleware } from './graphql-middleware.js';
import { buildGraphqlSchema } from './graphql-schema.js';
import { OperationGate } from './limits/operation-gate.js';
import { OperationSeats } from './limits/operation-seats.js';
import { RequestViewer } from './request-viewer.js';
import { createResolvers } from './resolvers.js';

type Json = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of many shapes, and fails where one is not as it expects.
type Answer = { status: number; headers: Headers; data: any; errors: { message: string; extensions: Json }[] };

const publicUrl = 'http://tollgate.example';
const signUpAda = `mutation { signUp(input: { email: "ada@example.com", password: "correct horse", name: "Ada" }) {
  sessionToken account { id email name createdAt requestsPerMinute keysMax isMailSent balance { available held } } } }`;

describeOnEachDatabase('GraphQL over HTTP', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let graphqlServer: ApolloServer<GraphqlContext>;
  let httpServer: Server;
  let gateway: SimulatedGateway;
  let url: string;

  const createApp = async (siteUrl: string) => {
    const { unitOfWork } = fixture;
    const common = { unitOfWork, ledger: fixture.ledger, clock: systemClock, logger: silentLogger };
    const sessions = new SessionService(unitOfWork, systemClock);
    const purchases = openPurchases(makePurchasesParts(fixture, systemClock), {
      publicUrl,
      isProduction: false,
      stripe: null,
    });
    gateway = purchases.simulatedGateway as SimulatedGateway;
    const keyChanges = new OneProcessKeyChanges(systemClock);
    const owners = { ...common, sessions, passwords: new Passwords(), throttle: new SignInThrottle(openMemoryCounter) };
    const { outbox } = makePurchasesParts(fixture, systemClock);
    const verifications = new EmailVerifications({ ...common, publicUrl, outbox, onVerified: () => {} });
    const config = { publicUrl, secretsKey: null, database: { kind: 'sqlite', file: '/none' } } as const;
    const findBelievedMs = async () => systemClock.nowMs();
    const parts = { ...common, openCounter: openMemoryCounter, outbox, findBelievedMs };
    const {
      factors,
      freshFactors,
      secondFactors,
      recovery: factorRecovery,
      ...proving
    } = openFactors(parts, config, () => ({
      accounts,
      sessions,
      settings,
    }));
    const devices = new KnownDevices(unitOfWork, systemClock);
    const memberships = new Memberships({ ...common, keyChanges, payers: openTopUpPayers({ ...parts, publicUrl }) });
    const memberBudgets = new MemberBudgets({ ...common, keyChanges });
    const settings = new AccountSettings({ ...owners, keyChanges, members: memberships });
    const members = memberships;
    const recovering = { ...owners, settings, outbox, publicUrl, keyChanges, members, onVerified: () => {} };
    const accounts = new AccountService({
      ...owners,
      ...{ devices, verifications, factors: secondFactors },
      signUpGate: openSignUpGate,
      signUpThrottle: new SignUpThrottle(openMemoryCounter, 100),
      signupGifts: { ask: async () => {}, give: async () => true },
    });
    const resolvers = createResolvers({
      memberships,
      memberBudgets,
      invitations: new Invitations({ ...common, outbox, publicUrl }),
      ...{ accounts, settings, factors, freshFactors, secondFactors, factorRecovery },
      factorSignIn: new FactorSignIn({ unitOfWork, devices, accounts, factors: secondFactors }),
      ...openIdentities({ ...parts, ...proving, accounts, factors: secondFactors }, { publicUrl, signInProviders: [] }),
      announcementBoard: { listShown: () => [] },
      events: new AccountEvents(unitOfWork),
      resets: new PasswordResets({ ...recovering, throttle: new ResetThrottle(openMemoryCounter) }),
      emailChanges: new EmailChanges(recovering),
      sessions,
      verifications,
      limits: {
        ...{ requestsPerMinute: 60, findOwn: () => noOwnLimits, keysPerAccountMax: 1 },
        ...{ isMailSent: false, mailboxPath: null, findReceiptsKeptDays: async () => null },
      },
      keys: new ApiKeyService(unitOfWork, systemClock, keyRules(1), keyChanges),
      keySpend: new KeySpendReader(unitOfWork),
      clock: systemClock,
      ledgerReader: new LedgerReader(unitOfWork),
      statement: new LedgerReader(unitOfWork),
      toldNotices: { list: async () => [], markRead: async () => {} },
      webhooks: new WebhookDeliveries({
        ...{ ...common, outbox, findWebhookUrl: async () => null },
        findEndpoint: async () => null,
      }),
      endpoints: new WebhookEndpoints({ ...common, isProduction: false, onChange: () => {} }),
      proof: { prove: () => Promise.reject(new Error('not asked for here')) },
      catalogue: buildCatalogue({ providers: {}, isDemoProviderOn: true }),
      health: new ProviderHealth({ failuresMax: 0, openMs: 1 }, silentLogger, systemClock),
      preferredProviders: new PreferredProviders(unitOfWork, systemClock, () => ['demo']),
      accountPrices: { find: () => 1_000 },
      ...purchases,
      purchases: purchases.service,
      calls: new CallReader(unitOfWork),
      usage: new UsageReporter(unitOfWork),
      explore: new Explorer(unitOfWork),
      latency: new LatencyReporter(unitOfWork),
      measures: new ServiceMeasures((read) => read(unitOfWork), systemClock),
      refusals: new RefusalReader(unitOfWork),
      spending: new SpendingReporter(unitOfWork),
      requests: { listRequests: async () => ({ items: [], hasNextPage: false, endKey: null }) },
      savedItems: new SavedItems(unitOfWork, systemClock),
      personalItems: new PersonalItems(unitOfWork, systemClock),
      receiptLinks: new ReceiptLinks(unitOfWork, new CallReader(unitOfWork), systemClock),
    });
    const keys = new KeyAuthenticator(unitOfWork, systemClock, silentLogger, keyChanges.current);
    const schema = buildGraphqlSchema([...resolvers.keys()], resolvers);
    graphqlServer = await createGraphqlServer(schema, new OperationGate(), silentLogger);
    return express().use(
      '/graphql',
      createGraphqlMiddleware({
        server: graphqlServer,
        logger: silentLogger,
        viewers: new RequestViewer({
          ...{ sessions, members: memberships, keys, publicUrl: siteUrl },
          customerViews: { find: async () => null },
        }),
        stream: (_request, response) => void response.end(),
        freshFactors,
        operators: {
          sessions: { find: async () => null },
          tokens: { get: async () => Promise.reject(new Error('There are no tokens here.')) },
        },
        seats: new OperationSeats(silentLogger, systemClock),
        takeBodyRoom: () => () => {},
      }),
    );
  };

  const listen = async (siteUrl = publicUrl) => {
    httpServer = createServer(await createApp(siteUrl));
    await listenLocally(httpServer);
    url = `${urlOf(httpServer)}/graphql`;
  };
  const stop = async () => {
    await graphqlServer.stop();
    await closeServer(httpServer);
  };

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    await listen();
  });

  afterEach(async () => {
    await stop();
    await fixture.close();
  });

  const post = async (body: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const { data, errors } = (await response.json()) as Answer;
    return { status: response.status, headers: response.headers, data, errors };
  };
  const ask = (query: string, headers?: Record<string, string>, variables: Json = {}) =>
    post({ query, variables }, headers);
  const signUp = async () => {
    const { data } = await ask(signUpAda);
    const sessionToken: string = data.signUp.sessionToken;
    return { accountId: data.signUp.account.id as string, bearer: { authorization: `Bearer ${sessionToken}` } };
  };
  const codesOf = ({ errors }: Answer) => errors.map(({ extensions }) => extensions.code);

  it('signs up, and the cookie alone keeps the browser signed in until it signs out', async () => {
    const signedUp = await ask(signUpAda);
    expect(signedUp.data.signUp.account).toMatchObject({
      email: 'ada@example.com',
      name: 'Ada',
      requestsPerMinute: 60,
      keysMax: 1,
      isMailSent: false,
      balance: { available: 0, held: 0 },
      createdAt: expect.stringMatching(/^20\d\d-.*Z$/),
    });
    const setCookie = String(signedUp.headers.getSetCookie()[0]);
    expect(setCookie).toMatch(/^sid=[\w-]{43}; Max-Age=2592000; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/);
    const cookie = `theme=dark; ${setCookie.split(';')[0]}`;
    expect((await ask('{ viewer { name } }', { cookie })).data).toEqual({ viewer: { name: 'Ada' } });

    const signedOut = await ask('mutation { signOut }', { cookie });
    expect(signedOut.data).toEqual({ signOut: true });
    expect(signedOut.headers.get('set-cookie')).toContain('sid=; Path=/; Expires=Thu, 01 Jan 1970');
    expect((await ask('{ viewer { name } }')).data).toEqual({ viewer: null });
    expect((await ask('mutation { signOut }')).data).toEqual({ signOut: false });
  });

  it('answers UNAUTHENTICATED to a session that has ended or never was one, and lets its sender sign in again', async () => {
    const { bearer } = await signUp();
    await ask('mutation { signOut }', bearer);
    const senders: Record<string, string>[] = [
      bearer,
      { authorization: 'Bearer nonsense' },
      { cookie: 'sid=nonsense' },
      { cookie: `sid=${bearer.authorization.slice('Bearer '.length)}` },
    ];
    for (const sender of senders) {
      const answer = await ask('{ viewer { name } }', sender);
      expect([answer.data, codesOf(answer)]).toEqual([{ viewer: null }, ['UNAUTHENTICATED']]);
      expect(answer.errors[0]?.message).toContain('Sign in again');
      expect(codesOf(await ask('{ apiKeys { id } }', sender))).toEqual(['UNAUTHENTICATED']);
      expect((await ask('{ creditPacks { id } }', sender)).errors).toBeUndefined();
      expect((await ask('mutation { signOut }', sender)).data).toEqual({ signOut: false });
      const again =
        'mutation { signIn(input: { email: "ada@example.com", password: "correct horse" }) { sessionToken } }';
      expect((await ask(again, sender)).data.signIn.sessionToken).toEqual(expect.any(String));
    }
  });

  it('ties the cookie to HTTPS and to this host where the site has HTTPS', async () => {
    await stop();
    await listen('https://tollgate.example');
    const setCookie = String((await ask(signUpAda)).headers.getSetCookie()[0]);
    expect(setCookie).toMatch(/^__Host-sid=.*Path=\/;.*HttpOnly; Secure; SameSite=Strict$/);
    expect(setCookie).not.toContain('Domain');
    const cookie = String(setCookie.split(';')[0]);
    expect((await ask('{ viewer { name } }', { cookie })).data.viewer).toEqual({ name: 'Ada' });
  });

  it('signs in with a bearer token, and says the same for every wrong pair', async () => {
    await signUp();
    const signIn = (email: string, password: string) =>
      ask(
        'mutation($i: SignInInput!) { signIn(input: $i) { sessionToken account { name } } }',
        {},
        { i: { email, password } },
      );
    const { data } = await signIn('ADA@example.com', 'correct horse');
    const bearer = { authorization: `Bearer ${data.signIn.sessionToken}` };
    expect((await ask('{ viewer { email } }', bearer)).data.viewer).toEqual({ email: 'ada@example.com' });
    const [wrong, unknown] = [
      await signIn('ada@example.com', 'nope nope'),
      await signIn('eve@example.com', 'nope nope'),
    ];
    expect(codesOf(wrong)).toEqual(['UNAUTHENTICATED']);
    expect(unknown.errors).toEqual(wrong.errors);
  });

  it('refuses a second account with the same e-mail, and bad input, by naming the field', async () => {
    await signUp();
    const taken = await ask(signUpAda);
    expect(taken.errors[0]?.extensions).toMatchObject({ code: 'CONFLICT', field: 'email' });
    const short = await ask(signUpAda.replace('correct horse', 'short'));
    expect(short.errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'password' });
    const canary = `canary-${'x'.repeat(1_000)}`;
    const long = await ask(signUpAda.replace('correct horse', canary));
    expect(long.errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'password' });
    expect(JSON.stringify(long)).not.toContain('canary');
  });

  it('makes a key, shows its secret once, refuses a second, revokes, and makes another', async () => {
    const { bearer } = await signUp();
    const create = () =>
      ask('mutation { createApiKey(input: { name: "k" }) { secret apiKey { id maskedSecret } } }', bearer);
    const { secret, apiKey } = (await create()).data.createApiKey;
    expect(secret).toMatch(/^sk-tg-[0-9A-Za-z]{46}$/);
    expect(codesOf(await create())).toEqual(['CONFLICT']);
    const revoke = `mutation { revokeApiKey(id: "${apiKey.id}") { revokedAt } }`;
    expect((await ask(revoke, bearer)).data.revokeApiKey.revokedAt).toEqual(expect.any(String));
    await create();
    const { data } = await ask('{ apiKeys { id name maskedSecret createdAt lastUsedAt revokedAt } }', bearer);
    expect(data.apiKeys).toHaveLength(2);
    expect(data.apiKeys[1]).toMatchObject({ id: apiKey.id, maskedSecret: apiKey.maskedSecret, lastUsedAt: null });
  });

  it('sells credits: checkout, payment, confirmation, statement', async () => {
    const { bearer } = await signUp();
    const { data } = await ask('{ creditPacks { id dollars credits } }');
    expect(data.creditPacks).toContainEqual({ id: 'pack-20', dollars: 20, credits: 20_000 });
    const start = `mutation { startCheckout(input: { packId: "pack-20", dollars: null }) { url purchase { id status isSimulated checkoutUrl } } }`;
    const { url: checkoutUrl, purchase } = (await ask(start, bearer)).data.startCheckout;
    expect(purchase).toMatchObject({ status: 'PENDING', isSimulated: true, checkoutUrl });
    await gateway.payCheckoutSession(purchase.id);
    const confirm = `mutation { confirmPurchase(id: "${purchase.id}") { status dollars credits paidAt checkoutUrl } }`;
    expect((await ask(confirm, bearer)).data.confirmPurchase).toMatchObject({
      status: 'PAID',
      dollars: 20,
      credits: 20_000,
      checkoutUrl: null,
    });
    const after = await ask(
      '{ viewer { balance { available held } } statement { edges { node { type amount balanceAfter callId } } } purchases { edges { node { id } } } }',
      bearer,
    );
    expect(after.data).toMatchObject({
      viewer: { balance: { available: 20_000, held: 0 } },
      statement: { edges: [{ node: { type: 'PURCHASE', amount: 20_000, balanceAfter: 20_000, callId: null } }] },
      purchases: { edges: [{ node: { id: purchase.id } }] },
    });
  });

  it('shows calls with their keys, to the account alone, page by page', async () => {
    const { accountId, bearer } = await signUp();
    const created = await ask('mutation { createApiKey(input: { name: "k" }) { apiKey { id } } }', bearer);
    const keyId: string = created.data.createApiKey.apiKey.id;
    await fixture.ledger.grantCredits(grantOf(accountId, 2_000));
    const callIds: string[] = [];
    while (callIds.length < 3) {
      const known = { price: 2, heldMillicredits: 20 };
      callIds.push(await fixture.call({ accountId, keyId }, endingWith(3, 4), known));
    }
    const calls = (after: string | null) =>
      ask(
        `query($after: String) { calls(first: 2, after: $after) { pageInfo { hasNextPage endCursor } edges { cursor node { id outcome
          usageSource tier creditsPerThousandTokens held charged absorbed promptTokens completionTokens apiKey { id } } } } }`,
        bearer,
        { after },
      );
    const { edges, pageInfo } = (await calls(null)).data.calls;
    expect(edges[0].node).toEqual({
      id: callIds[2],
      outcome: 'COMPLETED',
      usageSource: 'REPORTED',
      tier: 'higher',
      creditsPerThousandTokens: 2,
      held: 0.02,
      charged: 0.014,
      absorbed: 0,
      promptTokens: 3,
      completionTokens: 4,
      apiKey: { id: keyId },
    });
    expect(pageInfo).toEqual({ hasNextPage: true, endCursor: edges[1].cursor });
    const rest = (await calls(pageInfo.endCursor)).data.calls;
    expect(rest).toMatchObject({ edges: [{ node: { id: callIds[0] } }], pageInfo: { hasNextPage: false } });

    const lines = (await ask('{ statement { edges { node { callId model callsFrom } } } }', bearer)).data.statement
      .edges;
    const used = [...callIds].reverse().map((callId) => ({ callId, model: 'demo-large', callsFrom: null }));
    const granted = { callId: null, model: null, callsFrom: null };
    expect(lines.map(({ node }: { node: object }) => node)).toEqual([...used, granted]);

    const eve = await ask(signUpAda.replace('ada@', 'eve@'));
    const stranger = { authorization: `Bearer ${eve.data.signUp.sessionToken}` };
    const receipt = (id: string, viewer: Record<string, string>) =>
      ask(`{ call(id: "${id}") { model streamed } }`, viewer);
    expect((await receipt(callIds[0] ?? '', bearer)).data.call).toEqual({ model: 'demo-large', streamed: false });
    expect((await receipt(callIds[0] ?? '', stranger)).data.call).toBeNull();
  });

  it.each([
    'apiKeys { id }',
    'calls { edges { cursor } }',
    'statement { edges { cursor } }',
    'purchases { edges { cursor } }',
  ])('asks the signed-out for a sign-in at %s', async (field) =>
    expect(codesOf(await ask(`{ ${field} }`))).toEqual(['UNAUTHENTICATED']),
  );

  it('refuses pages out of bounds and cursors that are none', async () => {
    const { bearer } = await signUp();
    for (const [args, field] of [
      ['first: 0', 'first'],
      ['first: 101', 'first'],
      ['after: "nonsense"', 'after'],
      [`after: "${Buffer.from("x' OR 1=1").toString('base64url')}"`, 'after'],
    ]) {
      const { errors } = await ask(`{ calls(${args}) { edges { cursor } } }`, bearer);
      expect(errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field });
    }
    expect(codesOf(await ask('{ calls(first: 1000000000000) { edges { cursor } } }', bearer))).toEqual([
      'GRAPHQL_VALIDATION_FAILED',
    ]);
  });

  it('tells everybody about the models, and integrators about the schema', async () => {
    const { data } = await ask(
      '{ models { id tier creditsPerThousandTokens contextTokens maxOutputTokens providers isDemo } }',
    );
    expect(data.models).toContainEqual(
      expect.objectContaining({ id: 'demo-large', tier: 'higher', creditsPerThousandTokens: 2, providers: ['demo'] }),
    );
    const { bearer } = await signUp();
    expect((await ask(getIntrospectionQuery(), bearer)).data.__schema.queryType.name).toBe('Query');
  });

  it('lets nothing that it answers be stored, be it data, a fault or a refusal', async () => {
    const answers = [
      await ask('{ models { id } }'),
      await ask('{ viewer { id } }'),
      await ask('{ nothing }'),
      await ask('{'),
    ];
    answers.push(await post('no JSON'));
    expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual(Array(5).fill('no-store'));
  });

  it('refuses a request with the cookie that comes from another site, and takes our own two names', async () => {
    const cookie = String((await ask(signUpAda)).headers.getSetCookie()[0]?.split(';')[0]);
    const from = (origin: string) => ask('{ viewer { name } }', { cookie, origin });
    for (const origin of ['https://evil.example', 'null', 'http://tollgate.example.evil.example']) {
      const answer = await from(origin);
      expect([answer.status, codesOf(answer)]).toEqual([403, ['FORBIDDEN']]);
    }
    for (const origin of [publicUrl, new URL(url).origin]) {
      expect((await from(origin)).data.viewer).toEqual({ name: 'Ada' });
    }
  });

  it.each([
    ['GET', 405, { method: 'GET' }],
    ['another content type', 415, { headers: { 'content-type': 'text/plain' }, body: '{}' }],
    ['no JSON', 400, { body: '{' }],
    ['Latin-1', 400, { body: Buffer.from('{"query":"{ models { id } } # Zoë"}', 'latin1') }],
    ['more than 100 kB', 413, { body: JSON.stringify({ query: `{ models { id } } #${'x'.repeat(100_000)}` }) }],
    ['a batch', 400, { body: JSON.stringify([{ query: '{ models { id } }' }, { query: '{ models { id } }' }]) }],
    [
      'a persisted query',
      200,
      { body: JSON.stringify({ extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }) },
    ],
    ['1,001 tokens', 400, { body: JSON.stringify({ query: `{ models { ${'id '.repeat(1_001)} } }` }) }],
    ['two mutations', 400, { body: JSON.stringify({ query: 'mutation { signOut x: signOut }' }) }],
  ])('answers %s with %i and a GraphQL error', async (_, status, init) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, ...init });
    expect(response.status).toBe(status);
    const { errors } = (await response.json()) as Answer;
    expect(errors[0]?.extensions.code).toEqual(expect.any(String));
    expect(JSON.stringify(errors)).not.toMatch(/node_modules|\.ts:|\.js:/);
  });
});
