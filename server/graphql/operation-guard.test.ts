import { getNamedType, isInputObjectType } from 'graphql';
import { keyScopes } from '../kernel/api-key.js';
import { createId } from '../kernel/ids.js';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { listDeclaredAccess } from '../test/declared-access.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { listOperations, type SampleOperation, sampleOf, toSampleRequest } from '../test/sample-request.js';
import { findKeyId } from '../test/test-keys.js';
import { buildGraphqlSchema } from './graphql-schema.js';
import { resolverClasses } from './resolvers.js';

const schema = buildGraphqlSchema(resolverClasses, new Map());
const declared = listDeclaredAccess(schema);
const operations = listOperations(schema);
const downloads = ['account.json', 'calls.csv', 'events.csv', 'requests.csv', 'statement.csv'].map(
  (name) => `GET /export/${name}`,
);

interface Answer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: { message: string; extensions: Record<string, unknown> }[];
}

async function ask(app: TestApp, request: object, token: string | null): Promise<Answer> {
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const headers = { 'content-type': 'application/json', ...authorization };
  const response = await fetch(`${app.baseUrl}/graphql`, { method: 'POST', headers, body: JSON.stringify(request) });
  return (await response.json()) as Answer;
}

const refusals = ['missing_scope', 'session_required'];
const isRefused = ({ errors }: Answer) => refusals.includes(String(errors?.[0]?.extensions.reason));

/** Which scopes the schema's own words open an operation to. */
function readScopes({ description }: SampleOperation): readonly string[] {
  const words = /API keys: (any|none|with the scope (.+))\.$/.exec(description ?? '');
  if (words?.[1] === 'any') return keyScopes;
  return [...(words?.[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, scope]) => String(scope));
}

describe('The access of operations', () => {
  it('is declared at every operation of the schema and every route, and nowhere else', () => {
    const subscriptions = Object.keys(schema.getSubscriptionType()?.getFields() ?? {});
    const playground = ['POST /playground/chat/completions', 'POST /playground/estimate'];
    const names = [...operations.map(({ name }) => name), ...subscriptions, ...downloads, ...playground];
    // `operator` is a query and a mutation.
    expect(Object.keys(declared).toSorted()).toEqual([...new Set(names)].toSorted());
  });

  it.each(operations.map((operation) => [operation.name, operation] as const))('is written at %s', (_, operation) => {
    expect(operation.description).toMatch(/ API keys: (any|none|with the scope `[\w:]+`( or `[\w:]+`)*)\.$/);
  });
});

describeOnEachDatabase('API keys at GraphQL', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { MAX_KEYS_PER_ACCOUNT: '1000' });
  let owner: TestAccount;
  const secretOf = new Map<string, string>();

  const createKey = async (settings: object, token = owner.sessionToken) => {
    const input = { name: 'key', ...settings };
    const query = 'mutation ($input: ApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id scopes } } }';
    return ask(app, { query, variables: { input } }, token);
  };
  const createdKey = async (settings: object, token = owner.sessionToken) => {
    const { data } = await createKey(settings, token);
    return data?.createApiKey as { secret: string; apiKey: { id: string } };
  };

  beforeAll(async () => {
    owner = await app.createAccount(5);
    for (const scope of keyScopes) {
      // Of an account of its own: the mutations of a whole row are about what one account may ask in a minute.
      const { sessionToken } = await app.createAccount(5);
      const { secret } = await createdKey({ scopes: [scope.toUpperCase().replace(':', '_')] }, sessionToken);
      secretOf.set(scope, secret);
    }
  }, 60_000);

  const cells = operations.flatMap((operation) =>
    keyScopes.map((scope) => [operation.name, scope, operation, readScopes(operation).includes(scope)] as const),
  );
  it.each(cells)('%s by a key with %s: as written', async (name, scope, operation, isAllowed) => {
    const answer = await ask(app, toSampleRequest(operation), secretOf.get(scope) ?? '');
    expect(isRefused(answer)).toBe(!isAllowed);
    if (isAllowed) return;
    expect(answer.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    expect(answer.data?.[name] ?? null).toBeNull();
  });

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s by a session: never a matter of scopes',
    async (_, operation) => {
      const { sessionToken } = operation.kind === 'query' ? owner : await app.createAccount(0);
      expect(isRefused(await ask(app, toSampleRequest(operation), sessionToken))).toBe(false);
    },
  );

  it.each(operations.filter(({ name }) => Array.isArray(declared[name]?.keys)).map((one) => [one.name, one] as const))(
    '%s by nobody: no answer',
    async (_, operation) => {
      const { data } = await ask(app, toSampleRequest(operation), null);
      expect(data?.[operation.name] ?? null).toBeNull();
    },
  );

  it.each(downloads.flatMap((download) => keyScopes.map((scope) => [download, scope] as const)))(
    '%s by a key with %s: as it is declared',
    async (download, scope) => {
      const headers = { authorization: `Bearer ${secretOf.get(scope)}` };
      const response = await fetch(`${app.baseUrl}${download.slice(4)}`, { headers });
      const body = await response.text();
      if (declared[download]?.keys.includes(scope)) expect(response.status).toBe(200);
      else {
        expect(response.status).toBe(403);
        expect(refusals).toContain(JSON.parse(body).error.code);
      }
    },
  );

  it.each([
    ['a wrong key', `sk-tg-${'a'.repeat(46)}`],
    ['no key at all', 'sk-tg-'],
  ])('says at once that it is %s', async (_, secret) => {
    const { errors } = await ask(app, { query: '{ models { id } }' }, secret);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'invalid_api_key' });
  });

  it('refuses a key from a foreign address, an expired and a revoked one', async () => {
    const { secret, apiKey } = await createdKey({ addresses: ['192.0.2.1'] });
    const viewer = { query: '{ viewer { id } }' };
    expect((await ask(app, viewer, secret)).errors?.[0]?.extensions.reason).toBe('ip_not_authorized');
    await app.query(`UPDATE api_key SET addresses = NULL WHERE id = '${apiKey.id}'`);
    expect((await ask(app, viewer, secret)).data).toEqual({ viewer: { id: owner.accountId } });
    await app.query(`UPDATE api_key SET expires_at_ms = 1 WHERE id = '${apiKey.id}'`);
    expect((await ask(app, viewer, secret)).errors?.[0]?.extensions.reason).toBe('invalid_api_key');
    await app.query(`UPDATE api_key SET expires_at_ms = NULL, revoked_at_ms = 1 WHERE id = '${apiKey.id}'`);
    expect((await ask(app, viewer, secret)).errors?.[0]?.extensions.reason).toBe('invalid_api_key');
  });

  it('lets a key rotate itself, and gain nothing by it', async () => {
    const own = await createdKey({ scopes: ['KEYS_WRITE', 'CHAT'], models: ['demo-small'] });
    const rotate = (id: string, token: string) =>
      ask(
        app,
        {
          query: 'mutation ($id: ID!) { rotateApiKey(id: $id) { secret apiKey { id scopes models } } }',
          variables: { id },
        },
        token,
      );
    const { data } = await rotate(own.apiKey.id, own.secret);
    const rotated = data?.rotateApiKey as { secret: string; apiKey: object };
    expect(rotated.apiKey).toEqual({ id: own.apiKey.id, scopes: ['CHAT', 'KEYS_WRITE'], models: ['demo-small'] });
    const stronger = await createdKey({});
    for (const answer of [await rotate(stronger.apiKey.id, rotated.secret), await createKey({}, rotated.secret)]) {
      expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', reason: 'beyond_own_permissions' });
    }
    const child = await createKey({ scopes: ['CHAT'], models: ['demo-small'] }, rotated.secret);
    expect(child.data?.createApiKey).toMatchObject({ apiKey: { scopes: ['CHAT'] } });
  });

  it('writes no secret into the log on all these ways', () => {
    expect(app.logLines.length).toBeGreaterThan(0);
    expect(app.logLines.join('\n')).not.toMatch(/sk-tg-[0-9A-Za-z]{10,}/);
  });
});

/** What each id of an operation names; null: nothing that belongs to an account. */
type IdKind =
  | 'account'
  | 'call'
  | 'key'
  | 'purchase'
  | 'cardSetup'
  | 'session'
  | 'passkey'
  | 'identity'
  | 'member'
  | 'invitation'
  | 'delivery'
  | 'endpoint';
const idKinds: Readonly<Record<string, IdKind | null>> = {
  'accountEvents.filter.actorId': 'session',
  'apiKey.id': 'key',
  'call.id': 'call',
  'calls.filter.apiKeyId': 'key',
  'endSession.id': 'session',
  'removeMember.personId': 'member',
  'revokeInvitation.id': 'invitation',
  'setMemberBudget.input.personId': 'member',
  'setMemberRole.input.personId': 'member',
  'switchAccount.accountId': 'account',
  'transferOwnership.personId': 'member',
  'removePasskey.id': 'passkey',
  'renamePasskey.id': 'passkey',
  'unlinkIdentity.id': 'identity',
  'startIdentityLink.provider': null,
  'purchase.id': 'purchase',
  'confirmPurchase.id': 'purchase',
  'confirmCardSetup.id': 'cardSetup',
  'updateApiKey.id': 'key',
  'rotateApiKey.id': 'key',
  'revokeApiKey.id': 'key',
  'requests.filter.apiKeyId': 'key',
  'resendWebhookDelivery.id': 'delivery',
  'sendTestWebhook.endpointId': 'endpoint',
  'webhookDeliveries.endpointId': 'endpoint',
  'updateWebhookEndpoint.id': 'endpoint',
  'rotateWebhookSecret.id': 'endpoint',
  'deleteWebhookEndpoint.id': 'endpoint',
  'shareReceipt.callId': 'call',
  'stopSharingReceipt.callId': 'call',
  'startCheckout.input.packId': null,
  'setPreferredProvider.provider': null,
};

/** What an input asks for beside what its type does. */
const askedFor: Readonly<Record<string, object>> = { 'setMemberBudget.input': { monthlyBudget: 5 } };

interface IdPlace {
  readonly place: string;
  readonly toValues: (id: string) => object;
}

/** Every place for an id, as `operation.argument` or `operation.argument.field`. */
function listIdPlaces(operation: SampleOperation): IdPlace[] {
  return operation.args.flatMap((arg): IdPlace[] => {
    const place = `${operation.name}.${arg.name}`;
    const type = getNamedType(arg.type);
    if (type.name === 'ID') return [{ place, toValues: (id: string) => ({ [arg.name]: id }) }];
    if (!isInputObjectType(type)) return [];
    return Object.values(type.getFields())
      .filter((field) => getNamedType(field.type).name === 'ID')
      .map((field) => ({
        place: `${place}.${field.name}`,
        toValues: (id: string) => ({
          [arg.name]: { ...(sampleOf(arg.type) as object), ...askedFor[place], [field.name]: id },
        }),
      }));
  });
}

const idPlaces = operations.flatMap((operation) => listIdPlaces(operation).map((found) => ({ ...found, operation })));

describeOnEachDatabase('Ids of another account', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const owner = app.accountForAll(5);
  const stranger = app.accountForAll(5);
  let ids: Readonly<Record<IdKind, string>>;

  beforeAll(async () => {
    const body = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] };
    const answer = await app.call(owner.secret, body);
    await answer.text();
    const [purchase] = await app.query(`SELECT id FROM purchase WHERE account_id = '${owner.accountId}'`);
    const call = String(answer.headers.get('x-generation-id'));
    const cardSetup = `simcard_${owner.accountId}-${owner.accountId}`;
    const [session] = await app.query(`SELECT id FROM session WHERE account_id = '${owner.accountId}'`);
    const [purchaseId, sessionId] = [String(purchase?.id), String(session?.id)];
    const passkey = createId('passkey');
    const columns =
      'id, account_id, name, credential_id, credential_hash, public_key, counter, transports, created_at_ms';
    await app.query(
      `INSERT INTO passkey (${columns}) VALUES ('${passkey}', '${owner.accountId}', 'n', 'c', 'c', 'k', 0, '', 0)`,
    );
    const identity = createId('linkedIdentity');
    await app.query(
      `INSERT INTO linked_identity (id, account_id, provider, identity_hash, label, created_at_ms) VALUES ('${identity}', '${owner.accountId}', 'p', 'h', 'l', 0)`,
    );
    const member = (await app.createAccount(0)).accountId;
    const invitation = createId('invitation');
    await app.query(
      `INSERT INTO invitation (id, account_id, email, email_normalised, role, invited_by, created_at_ms, expires_at_ms) VALUES ('${invitation}', '${owner.accountId}', 'e', 'e', 'viewer', '${owner.accountId}', 0, ${Date.now() + 600_000})`,
    );
    const delivery = createId('notice');
    await app.query(
      `INSERT INTO notice (id, subject_key, account_id, channel, recipient, title, body, state, attempts, due_at_ms, created_at_ms) VALUES ('${delivery}', 'd', '${owner.accountId}', 'webhook', 'r', 't', 'b', 'sent', 1, 0, ${Date.now()})`,
    );
    const endpoint = createId('webhookEndpoint');
    await app.query(
      `INSERT INTO webhook_endpoint (id, account_id, name, url, secret, events, is_on, created_at_ms) VALUES ('${endpoint}', '${owner.accountId}', 'n', 'https://example.com/', 's', 'call.failed', 1, 0)`,
    );
    await app.query(
      `INSERT INTO notice (id, subject_key, account_id, channel, endpoint_id, recipient, title, body, state, attempts, due_at_ms, created_at_ms) VALUES ('${createId('notice')}', 'e', '${owner.accountId}', 'endpoint', '${endpoint}', 'r', 't', 'b', 'sent', 1, 0, ${Date.now()})`,
    );
    // So that it is not for want of a webhook that the stranger's request is refused.
    const setWebhook =
      'mutation { setBalanceAlert(input: { email: false, webhookUrl: "https://example.com/" }) { email } }';
    await app.graphql(setWebhook, {}, stranger.sessionToken);
    const ofTeam = { account: owner.accountId, member, invitation };
    const key = await findKeyId(app, owner);
    ids = {
      call,
      key,
      purchase: purchaseId,
      cardSetup,
      session: sessionId,
      passkey,
      identity,
      delivery,
      endpoint,
      ...ofTeam,
    };
  }, 60_000);

  it('are asked for at every place that takes an id', () => {
    expect(Object.keys(idKinds).toSorted()).toEqual(idPlaces.map(({ place }) => place).toSorted());
  });

  it.each(idPlaces.filter(({ place }) => idKinds[place]).map((found) => [found.place, found] as const))(
    'answer at %s exactly as a missing one',
    async (place, { operation, toValues }) => {
      // Whatever the place before did to the members.
      await app.query('DELETE FROM membership');
      await app.query(
        `INSERT INTO membership (account_id, person_id, role, created_at_ms) VALUES ('${owner.accountId}', '${ids.member}', 'viewer', 0)`,
      );
      const theirs = ids[idKinds[place] as keyof typeof ids];
      const missing = theirs.replace(/.{8}$/, '00000000');
      const askFor = (id: string, { sessionToken }: TestAccount) =>
        ask(app, toSampleRequest(operation, undefined, toValues(id) as Record<string, unknown>), sessionToken);
      const [forTheirs, forMissing] = [await askFor(theirs, stranger), await askFor(missing, stranger)];
      expect(JSON.stringify(forTheirs).replaceAll(theirs, 'ID')).toBe(
        JSON.stringify(forMissing).replaceAll(missing, 'ID'),
      );
      expect(await askFor(theirs, owner)).not.toEqual(forMissing);
    },
  );
});
