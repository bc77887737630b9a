import { type GraphQLObjectType, type GraphQLSchema, graphql } from 'graphql';
import { type Core, createCore } from '../composition/create-core.js';
import { listCloseStages } from '../composition/list-close-stages.js';
import { loadConfig } from '../config/config.js';
import { AppError } from '../kernel/app-error.js';
import { FakeClock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { closeInOrder } from '../kernel/jobs/close-in-order.js';
import { silentLogger } from '../kernel/logger.js';
import type { Caller } from '../schema/graphql-context.js';
import { createLoadOnce } from '../schema/graphql-context.js';
import { databaseUrlOf, describeOnEachDatabase } from '../test/each-database.js';
import { testSecretsKey } from '../test/factor-app.js';
import { giveSchema } from '../test/schema-template.js';
import { makeTestFolder } from '../test/test-folder.js';
import { openMutations, standingOf } from './caller-standing.js';
import { buildGraphqlSchema } from './graphql-schema.js';
import { createResolvers, resolverClasses } from './resolvers.js';

const password = 'a long enough password';
const id = (kind: Parameters<typeof createId>[0]) => `"${createId(kind)}"`;

/** Each mutation that somebody asks by a session or a key, as it is asked. */
const asked: Readonly<Record<string, string>> = {
  acceptInvitation: '(token: "tgi_token")',
  addPasskey: '(input: { name: "n", response: "{}" }) { recoveryCodes }',
  cancelEmailChange: '',
  cancelFactorRecovery: '',
  changeEmail: `(input: { newEmail: "new@example.com", password: "${password}" })`,
  changePassword: `(input: { currentPassword: "${password}", newPassword: "four words that do not match" })`,
  confirmAuthenticatorApp: '(input: { code: "123456" })',
  confirmCardSetup: `(id: ${id('purchase')}) { isOn }`,
  confirmPurchase: `(id: ${id('purchase')}) { id }`,
  createApiKey: '(input: { name: "late" }) { secret }',
  createWebhookEndpoint: '(input: { name: "late", url: "https://example.com/x", events: [CALL_COMPLETED] }) { id }',
  declineInvitation: '(token: "tgi_token")',
  deleteAccount: `(input: { password: "${password}" })`,
  deletePersonalItem: '(kind: CONVERSATION, name: "n") { name }',
  deletePersonalItems: '',
  deleteSavedItem: '(kind: PROMPT, name: "n") { name }',
  deleteWebhookEndpoint: `(id: ${id('webhookEndpoint')})`,
  endSession: `(id: ${id('session')})`,
  finishIdentityLink: '{ id }',
  inviteMember: '(input: { email: "late@example.com", role: VIEWER }) { id }',
  leaveAccount: '',
  markNoticesRead: '(until: "2026-01-01T00:00:00Z")',
  openBillingPortal: '',
  proveFactor: `(input: { password: "${password}" })`,
  provePasskey: '(input: { response: "{}" })',
  redeemGiftCode: '(code: "GIFT") { credits }',
  removeAuthenticatorApp: '',
  removeMember: '(personId: "PERSON") { personId }',
  removePasskey: `(id: ${id('passkey')})`,
  renamePasskey: `(id: ${id('passkey')}, name: "n") { id }`,
  renewRecoveryCodes: '',
  resendWebhookDelivery: `(id: ${id('notice')}) { id }`,
  revokeApiKey: '(id: "KEY") { id }',
  revokeInvitation: `(id: ${id('invitation')})`,
  rotateApiKey: '(id: "KEY") { secret }',
  rotateWebhookSecret: `(id: ${id('webhookEndpoint')}) { id }`,
  saveItem: '(input: { kind: PROMPT, name: "late", content: "{}" }) { name }',
  savePersonalItem: '(input: { kind: CONVERSATION, name: "late", content: "{}" }) { name }',
  sendVerificationEmail: '',
  sendTestWebhook: '{ id }',
  setAutoTopUp: '(input: { isOn: false }) { isOn }',
  setBalanceAlert: '(input: { threshold: 1, use: true, webhookUrl: "https://example.com/b" }) { threshold }',
  setMemberBudget: '(input: { personId: "PERSON", monthlyBudget: 0 }) { personId }',
  setMemberRole: '(input: { personId: "PERSON", role: VIEWER }) { personId }',
  setPreferredProvider: '(provider: "openai") { id }',
  shareReceipt: `(callId: ${id('call')}) { expiresAt }`,
  signOut: '',
  signOutEverywhere: '',
  startAuthenticatorApp: '{ secret }',
  startCheckout: '(input: { dollars: 5 }) { url }',
  startIdentityLink: '(provider: "github")',
  startPasskey: '',
  startPasskeyProof: '',
  stopSharingReceipt: `(callId: ${id('call')})`,
  switchAccount: '(accountId: "PERSON")',
  transferOwnership: '(personId: "PERSON") { personId }',
  unlinkIdentity: `(id: ${id('linkedIdentity')})`,
  updateApiKey: '(id: "KEY", input: { name: "late" }) { id }',
  updateProfile: '(input: { name: "Late" }) { name }',
  updateWebhookEndpoint: `(id: ${id('webhookEndpoint')}, input: { name: "late" }) { id }`,
};

/** Why a mutation is not among these. */
const elsewhere: Readonly<Record<string, string>> = {
  operator: 'what operators ask: operator-standing.test.ts',
  startCardSetup: 'the simulated shop writes nothing down for it',
};

/** What asks for more first, which is not there: no transaction was begun. */
const refusedBefore = new Set([
  ...['acceptInvitation', 'addPasskey', 'confirmAuthenticatorApp', 'confirmCardSetup', 'confirmPurchase'],
  ...['openBillingPortal', 'provePasskey', 'redeemGiftCode', 'renewRecoveryCodes', 'resendWebhookDelivery'],
  ...['sendTestWebhook', 'sendVerificationEmail', 'shareReceipt', 'startIdentityLink', 'startPasskeyProof'],
]);

const schemaAlone = buildGraphqlSchema(resolverClasses, new Map());
const listMutations = () => Object.keys((schemaAlone.getMutationType() as GraphQLObjectType).getFields());

describe('Every mutation', () => {
  it('is asked here behind the end of whoever asks it, takes nothing from a session, or has a reason', () => {
    const known = [...Object.keys(asked), ...openMutations, ...Object.keys(elsewhere)];
    expect(known.toSorted()).toEqual(listMutations().toSorted());
  });
});

describeOnEachDatabase('A request that was let in before its caller was ended', (openTestDatabase) => {
  let core: Core;
  let schema: GraphQLSchema;
  let drop: () => Promise<void>;
  let owner: Person;

  interface Person {
    readonly accountId: string;
    readonly email: string;
    readonly caller: Caller;
  }

  beforeAll(async () => {
    const database = await openTestDatabase();
    await giveSchema(database);
    drop = () => database.drop();
    const settings = {
      ...{ PUBLIC_URL: 'http://tollgate.test', SECRETS_KEY: testSecretsKey, OPENAI_API_KEY: 'sk-0123456789' },
      ...{
        DATABASE_URL: databaseUrlOf(database.address),
        SPOOL_DIR: makeTestFolder('spool'),
        SIGNUPS_PER_HOUR: '1000',
        MAX_KEYS_PER_ACCOUNT: '100',
      },
    };
    const config = loadConfig(settings, () => null);
    core = await createCore(config, silentLogger, new FakeClock(Date.now()));
    // A mail that leaves makes its link anew, and one that a test has made before would be worth nothing then.
    await core.toClose.work.mails?.();
    const resolvers = createResolvers(core.resolverServices);
    schema = buildGraphqlSchema([...resolvers.keys()], resolvers);
  }, 60_000);
  afterAll(async () => {
    await closeInOrder(listCloseStages(core.toClose), silentLogger);
    await drop();
  });

  /** Asks as somebody who was let in already. @returns what refused it; null: nothing. */
  const ask = async (caller: Caller | null, mutation: string): Promise<unknown> => {
    const contextValue = {
      ...{ viewer: caller, isSessionOver: false, token: null, idempotencyKey: null, addressOfCaller: '192.0.2.1' },
      ...{ userAgent: null, isSignedInByCookie: false, deviceTokens: [], stepToken: null, providerToken: null },
      ...{ loadOnce: createLoadOnce(), refuseOtherOwner: () => {}, requireFresh: async () => {} },
      standingOf: (of: Caller) => standingOf(of, core.members),
      ...{ setStepCookie: () => {}, clearStepCookie: () => {}, setProviderCookie: () => {} },
      ...{ clearProviderCookie: () => {}, setDeviceCookie: () => {}, setSessionCookie: () => {} },
      clearSessionCookie: () => {},
    };
    const { errors } = await graphql({ schema, source: `mutation { ${mutation} }`, contextValue });
    return errors?.[0]?.originalError ?? errors?.[0] ?? null;
  };
  const codeOf = (error: unknown) => (error instanceof AppError ? error.code : error);
  const query = (sql: string) => core.source.query(sql);

  const people = { count: 0 };
  const signUp = async (): Promise<Person> => {
    people.count += 1;
    const email = `person-${people.count}@example.com`;
    const error = await ask(null, `signUp(input: { email: "${email}", password: "${password}" }) { sessionToken }`);
    expect(error).toBeNull();
    const [{ id: accountId }] = await query(`SELECT id FROM account WHERE email = '${email}'`);
    const [{ id: sessionId }] = await query(`SELECT id FROM session WHERE account_id = '${accountId}'`);
    const caller: Caller = { accountId, personId: accountId, role: 'owner', sessionId, key: null };
    return { accountId, email, caller };
  };
  const newKey = (accountId: string) =>
    core.resolverServices.keys.createKey(accountId, {
      name: 'k',
      scopes: ['keys:write', 'billing:write', 'usage:read'],
    });
  const byKey = (accountId: string, { apiKey }: Awaited<ReturnType<typeof newKey>>): Caller => ({
    ...{ accountId, personId: null, role: null, sessionId: null },
    key: { keyId: apiKey.id, permissions: apiKey },
  });
  const join = async (host: Person, role: 'admin' | 'viewer') => {
    const member = await signUp();
    await query(
      `INSERT INTO membership (account_id, person_id, role, created_at_ms) VALUES ('${host.accountId}', '${member.accountId}', '${role}', 0)`,
    );
    return { ...member, caller: { ...member.caller, accountId: host.accountId, role } };
  };

  /** All that is written, but how often something was tried. */
  const readAll = async () => {
    const isSqlite = core.source.options.type === 'better-sqlite3';
    const tables: { name: string }[] = await query(
      isSqlite
        ? `SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`
        : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name',
    );
    const dump: Record<string, string> = {};
    for (const { name } of tables) {
      // What all servers have read of changes of keys is removed meanwhile; their number stays.
      if (/attempt|sqlite_|mark$|_hour$|instance|migration|^key_change$/.test(name)) continue;
      dump[name] = JSON.stringify(await query(`SELECT * FROM ${name}`));
    }
    return dump;
  };

  describe('whatever it asks', () => {
    let before: Record<string, string>;
    let key: Caller;
    let keyId = '';
    let member: Person;

    beforeAll(async () => {
      owner = await signUp();
      member = await join(owner, 'viewer');
      keyId = (await newKey(owner.accountId)).apiKey.id;
      const ended = await newKey(owner.accountId);
      key = byKey(owner.accountId, ended);
      await core.resolverServices.keys.revokeKey({ accountId: owner.accountId, keyId: ended.apiKey.id });
      await core.sessions.endAllSessions(owner.accountId);
      await query(`UPDATE account SET email_verified_at_ms = 1 WHERE id = '${owner.accountId}'`);
      before = await readAll();
    }, 60_000);

    const fill = (args: string) => args.replace('KEY', keyId).replace('PERSON', member.accountId);

    it.each(Object.entries(asked))(
      'is refused %s behind the end of its session, and writes nothing',
      async (name, args) => {
        const code = codeOf(await ask(owner.caller, name + fill(args)));
        if (refusedBefore.has(name)) expect(code).toMatch(/^(not_found|conflict|invalid_value|forbidden)$/);
        else expect(code).toBe('unauthenticated');
        expect(await readAll()).toEqual(before);
      },
    );

    it.each(['createApiKey', 'createWebhookEndpoint', 'setBalanceAlert', 'updateApiKey'])(
      'is refused %s behind the end of its key, and writes nothing',
      async (name) => {
        expect(codeOf(await ask(key, name + fill(asked[name] ?? '')))).toMatch(/^(invalid_api_key|session_required)$/);
        expect(await readAll()).toEqual(before);
      },
    );
  });

  const tokenOf = (link: string | null | undefined) => String(link).replace(/^.*#/, '');
  const chosen = 'four words that do not match';

  /** What ends somebody, each as its owner asks it. */
  const ends: Readonly<Record<string, (person: Person, host: Person) => Promise<unknown>>> = {
    'their password was reset, with every key': async ({ email }) => {
      const token = tokenOf(await core.resolverServices.resets.createLinkFor(email));
      return ask(null, `resetPassword(input: { token: "${token}", newPassword: "${chosen}", revokeKeys: true })`);
    },
    'another address was taken back': async ({ email, accountId, caller }) => {
      const { emailChanges } = core.resolverServices;
      await query(`UPDATE account SET email_verified_at_ms = 1 WHERE id = '${accountId}'`);
      const at: Caller = { ...caller, accountId, role: 'owner' };
      expect(await ask(at, `changeEmail(input: { newEmail: "thief-${email}", password: "${password}" })`)).toBeNull();
      const confirming = tokenOf(await emailChanges.createLinkFor(`thief-${email}`));
      expect(await ask(null, `confirmEmailChange(token: "${confirming}")`)).toBeNull();
      const [{ id: linkId }] = await query(
        `SELECT id FROM account_link WHERE purpose = 'undo_email' AND account_id = '${accountId}'`,
      );
      const token = tokenOf((await emailChanges.createLink(linkId))?.url);
      return ask(null, `undoEmailChange(input: { token: "${token}", newPassword: "${chosen}", revokeKeys: true })`);
    },
    'their account was deleted': ({ accountId, caller }) =>
      ask({ ...caller, accountId, role: 'owner' }, `deleteAccount(input: { password: "${password}" })`),
    'they signed out': ({ caller }) => ask(caller, 'signOut'),
    'they signed out everywhere': ({ accountId }) => core.sessions.endAllSessions(accountId).then(() => null),
    'they were removed': ({ accountId }, { caller }) =>
      ask(caller, `removeMember(personId: "${accountId}", revokeKeys: true) { personId }`),
    'they were lowered': ({ accountId }, { caller }) =>
      ask(caller, `setMemberRole(input: { personId: "${accountId}", role: VIEWER }) { personId }`),
    'they left': ({ caller }) => ask(caller, 'leaveAccount'),
    'the account was deleted': (_, { caller }) => ask(caller, `deleteAccount(input: { password: "${password}" })`),
  };

  it.each(Object.entries(ends))('is refused once %s, and adds nothing', async (_, end) => {
    const host = await signUp();
    const person = await join(host, 'admin');
    expect(await end(person, host)).toBeNull();
    const before = await readAll();
    for (const name of ['createApiKey', 'createWebhookEndpoint', 'saveItem', 'setBalanceAlert']) {
      const refused = codeOf(await ask(person.caller, name + (asked[name] ?? '')));
      expect(refused).toMatch(/^(unauthenticated|forbidden)$/);
      expect(await readAll()).toEqual(before);
    }
  });

  it('is refused once the key that asks was revoked by another, or lost the scope that it was let in by', async () => {
    const { accountId } = await signUp();
    const { keys } = core.resolverServices;
    const [revoked, lowered] = [await newKey(accountId), await newKey(accountId)];
    await keys.revokeKey({ accountId, keyId: revoked.apiKey.id });
    await keys.updateKey({ accountId, keyId: lowered.apiKey.id }, { scopes: ['usage:read'] });
    for (const [key, code] of [[revoked, 'invalid_api_key'] as const, [lowered, 'forbidden'] as const]) {
      expect(codeOf(await ask(byKey(accountId, key), 'createApiKey(input: { name: "late" }) { secret }'))).toBe(code);
    }
  });

  it('goes on behind its own end, as an account does that is deleted by its owner', async () => {
    const { accountId, caller } = await signUp();
    expect(await ask(caller, `deleteAccount(input: { password: "${password}" })`)).toBeNull();
    expect(await query(`SELECT id FROM account WHERE id = '${accountId}' AND closed_at_ms IS NULL`)).toEqual([]);
  });
});
