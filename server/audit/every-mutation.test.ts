import { createHash } from 'node:crypto';
import { totpCodeAt } from '../factors/totp.js';
import { buildGraphqlSchema } from '../graphql/graphql-schema.js';
import { resolverClasses } from '../graphql/resolvers.js';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { testSecretsKey } from '../test/factor-app.js';
import { SoftwarePasskey } from '../test/software-passkey.js';
import type { EventKind } from './event-kinds.js';

const password = 'a long enough password';
const token = 'tgl_a_token_of_this_test';
const browserToken = 'b'.repeat(43);
const tokenHash = createHash('sha256').update(token).digest('hex');

/** Mutations that write no event, each with the reason. */
const silent: Readonly<Record<string, string>> = {
  requestPasswordReset:
    'nothing has changed, and who asks may be anybody; nobody may learn whether there is an account',
  sendVerificationEmail: 'nothing has changed: a mail is sent to the address on record',
  startCardSetup: 'nothing has changed until the card is saved, which is an event',
  openBillingPortal: 'nothing has changed: a page of the payment service is opened',
  startAuthenticatorApp: 'nothing has changed until its first code puts it in force, which is an event',
  requestFactorRecovery: 'nothing has changed: a mail is sent to the verified address',
  startPasskey: 'nothing has changed until the passkey is added, which is an event',
  startPasskeyProof: 'nothing has changed: a browser is given a challenge',
  startPasskeySignIn: 'nothing has changed: a browser is given a challenge',
  finishPasskeySignIn: 'the session that it begins is the event',
  finishSignIn: 'the session that it begins is the event',
  finishProviderSignIn: 'the session that it begins is the event, and for a new account that it was made and linked',
  startIdentityLink: 'nothing has changed until the identity is linked, which is an event',
  proveFactor:
    'nothing has changed but for how long the session is trusted; a recovery code that it used up is an event',
  provePasskey: 'nothing has changed but for how long the session is trusted',
  switchAccount: 'nothing has changed but for which account the session acts; what it does there is an event there',
  operator: 'operators write a log of their own, which another test looks at',
  savePersonalItem: 'nothing of the account has changed, but what one person keeps for themselves',
  deletePersonalItem: 'nothing of the account has changed, but what one person keeps for themselves',
  deletePersonalItems: 'nothing of the account has changed, but what one person keeps for themselves',
  markNoticesRead: 'nothing of the account has changed, but what one person has read of what it was told',
  resendWebhookDelivery: 'nothing has changed: what the account was told is sent once more to where it wants it',
  sendTestWebhook: 'nothing has changed: a message without content is sent to where the account wants them',
  confirmPurchase: 'the credits that it finds are the event, whoever finds them first',
};

interface Step {
  readonly mutation: string;
  readonly kind: EventKind;
  readonly query: string;
  /** Makes ready what the mutation needs. */
  before?(): Promise<unknown>;
  /** Of the browser that asks. */
  readonly cookie?: string;
}

const schema = buildGraphqlSchema(resolverClasses, new Map());
const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});

describeOnEachDatabase('Every mutation', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, {
    PUBLIC_URL: 'http://localhost:8080',
    SECRETS_KEY: testSecretsKey,
  });
  let session: string | undefined;
  let accountId = '';
  const passkey = new SoftwarePasskey('http://localhost:8080', 'localhost');
  const ids = {
    call: '',
    key: '',
    invitation: '',
    team: '',
    other: '',
    purchase: '',
    code: 'AAAAA-BBBBB-CCCCC-DDDDD',
    totp: '',
    passkey: '',
    passkeyAnswer: '',
    endpoint: '',
  };

  const ask = <Data>(query: string) => app.graphql<Data>(`mutation { ${query} }`, {}, session);
  const askWithCookie = async (query: string, cookie: string) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${session}`, cookie };
    const body = JSON.stringify({ query: `mutation { ${query} }` });
    const response = await fetch(`${app.baseUrl}/graphql`, { method: 'POST', headers, body });
    expect(await response.json()).not.toHaveProperty('errors');
  };
  const signIn = async () => {
    session = undefined;
    const query = `signIn(input: { email: "ada@example.com", password: "${password}" }) { sessionToken }`;
    session = (await ask<{ signIn: { sessionToken: string } }>(query)).signIn.sessionToken;
  };
  /** The sender gives a link another token as its mail leaves: no mail leaves from here on, and one that does is waited for. */
  const holdMailsOfLinks = async () => {
    await app.query(
      `UPDATE notice SET state = 'dropped' WHERE link_id IS NOT NULL AND state = 'waiting' AND attempts = 0`,
    );
    const leaving = `SELECT id FROM notice WHERE link_id IS NOT NULL AND state = 'waiting'`;
    await eventually(async () => (await app.query(leaving)).length === 0, 50);
  };
  const giveToken = async (purpose: string) => {
    await holdMailsOfLinks();
    await app.query(
      `UPDATE account_link SET token_hash = '${tokenHash}', account_id = '${accountId}', expires_at_ms = ${Date.now() + 60_000}, email_normalised = CASE WHEN purpose = 'reset_password' THEN 'ada@example.com' ELSE email_normalised END WHERE purpose = '${purpose}'`,
    );
  };
  const verifyAddress = () => app.query(`UPDATE account SET email_verified_at_ms = 1 WHERE id = '${accountId}'`);
  const makeGift = () => {
    const hash = createHash('sha256').update(ids.code.replaceAll('-', '')).digest('hex');
    return app.query(
      `INSERT INTO gift_code (id, code_hash, hint, credits_millicredits, created_at_ms) VALUES ('gift_1', '${hash}', 'DDDD', 1000, 1)`,
    );
  };
  const makeCall = async () => {
    const question = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 };
    const response = await fetch(`${app.baseUrl}/playground/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `sid=${session}` },
      body: JSON.stringify(question),
    });
    expect([response.status, response.status === 200 ? '' : await response.text()]).toEqual([200, '']);
    ids.call = response.headers.get('x-generation-id') ?? '';
    await app.waitUntilSettled(accountId);
  };
  const joinTeam = (role = 'viewer') =>
    app.query(
      `INSERT INTO membership (account_id, person_id, role, created_at_ms) VALUES ('${accountId}', '${ids.team}', '${role}', 1)`,
    );
  const inviteToTeam = () =>
    app.query(
      `INSERT INTO invitation (id, account_id, email, email_normalised, role, invited_by, token_hash, created_at_ms, expires_at_ms) VALUES ('invt_1', '${ids.team}', 'ada@example.com', 'ada@example.com', 'viewer', '${ids.team}', '${tokenHash}', 1, ${Date.now() + 60_000})`,
    );
  const endpoint = '{ name: "Pager", url: "https://example.com/", events: [CALL_FAILED] }';
  const findEndpoint = async () => {
    ids.endpoint = String((await app.query('SELECT id FROM webhook_endpoint'))[0]?.id);
  };
  const changeEmail = `changeEmail(input: { newEmail: "lovelace@example.com", password: "${password}" })`;

  const steps = (): readonly Step[] => [
    { mutation: 'updateProfile', kind: 'profile_changed', query: 'updateProfile(input: { name: "Ada L" }) { id }' },
    {
      mutation: 'createApiKey',
      kind: 'key_created',
      query: 'createApiKey(input: { name: "Laptop" }) { apiKey { id } }',
    },
    {
      mutation: 'updateApiKey',
      kind: 'key_changed',
      before: async () => {
        ids.key = String((await app.query('SELECT id FROM api_key'))[0]?.id);
      },
      query: 'updateApiKey(id: "$key", input: { name: "Desktop" }) { id }',
    },
    { mutation: 'rotateApiKey', kind: 'key_rotated', query: 'rotateApiKey(id: "$key") { apiKey { id } }' },
    { mutation: 'revokeApiKey', kind: 'key_revoked', query: 'revokeApiKey(id: "$key") { id }' },
    {
      mutation: 'setPreferredProvider',
      kind: 'provider_preferred',
      query: 'setPreferredProvider(provider: "demo") { id }',
    },
    {
      mutation: 'inviteMember',
      kind: 'member_invited',
      before: verifyAddress,
      query: 'inviteMember(input: { email: "eve@example.com", role: ADMIN }) { id }',
    },
    {
      mutation: 'revokeInvitation',
      kind: 'invitation_revoked',
      before: async () => {
        ids.invitation = String((await app.query('SELECT id FROM invitation'))[0]?.id);
      },
      query: 'revokeInvitation(id: "$invitation")',
    },
    {
      mutation: 'setMemberRole',
      kind: 'member_role_changed',
      before: async () => {
        ids.team = (await app.createAccount(0)).accountId;
        await joinTeam();
      },
      query: 'setMemberRole(input: { personId: "$team", role: BILLING }) { name }',
    },
    {
      mutation: 'setMemberBudget',
      kind: 'member_budget_set',
      query: 'setMemberBudget(input: { personId: "$team", monthlyBudget: 5 }) { name }',
    },
    {
      mutation: 'transferOwnership',
      kind: 'ownership_transferred',
      query: 'transferOwnership(personId: "$team") { name }',
    },
    {
      mutation: 'removeMember',
      kind: 'member_removed',
      before: async () => {
        await app.query('DELETE FROM membership');
        await joinTeam();
      },
      query: 'removeMember(personId: "$team") { name }',
    },
    {
      mutation: 'declineInvitation',
      kind: 'invitation_declined',
      before: inviteToTeam,
      query: `declineInvitation(token: "${token}")`,
    },
    {
      mutation: 'acceptInvitation',
      kind: 'member_joined',
      before: inviteToTeam,
      query: `acceptInvitation(token: "${token}")`,
    },
    {
      mutation: 'setBalanceAlert',
      kind: 'balance_alert_set',
      query: 'setBalanceAlert(input: { threshold: 5, email: true }) { threshold }',
    },
    {
      mutation: 'createWebhookEndpoint',
      kind: 'webhook_endpoint_created',
      query: `createWebhookEndpoint(input: ${endpoint}) { id }`,
    },
    {
      mutation: 'updateWebhookEndpoint',
      kind: 'webhook_endpoint_changed',
      before: findEndpoint,
      query: `updateWebhookEndpoint(id: "$endpoint", input: ${endpoint}) { id }`,
    },
    {
      mutation: 'rotateWebhookSecret',
      kind: 'webhook_endpoint_changed',
      query: 'rotateWebhookSecret(id: "$endpoint") { id }',
    },
    {
      mutation: 'deleteWebhookEndpoint',
      kind: 'webhook_endpoint_deleted',
      query: 'deleteWebhookEndpoint(id: "$endpoint")',
    },
    { mutation: 'startCheckout', kind: 'checkout_started', query: 'startCheckout(input: { dollars: 5 }) { url }' },
    {
      mutation: 'confirmCardSetup',
      kind: 'card_saved',
      query: `confirmCardSetup(id: "simcard_${accountId}-${accountId}") { isOn }`,
    },
    {
      mutation: 'setAutoTopUp',
      kind: 'auto_top_up_set',
      query:
        'setAutoTopUp(input: { isOn: false, threshold: 100, dollars: 5, monthlyCapDollars: 50, hasConsent: false }) { isOn }',
    },
    {
      mutation: 'redeemGiftCode',
      kind: 'gift_claimed',
      before: makeGift,
      query: 'redeemGiftCode(code: "$code") { credits }',
    },
    {
      mutation: 'shareReceipt',
      kind: 'receipt_shared',
      before: makeCall,
      query: 'shareReceipt(callId: "$call") { token }',
    },
    { mutation: 'stopSharingReceipt', kind: 'receipt_unshared', query: 'stopSharingReceipt(callId: "$call")' },
    {
      mutation: 'saveItem',
      kind: 'item_saved',
      query: 'saveItem(input: { kind: PROMPT, name: "Ours", content: "{}" }) { name }',
    },
    {
      mutation: 'deleteSavedItem',
      kind: 'item_deleted',
      query: 'deleteSavedItem(kind: PROMPT, name: "Ours") { name }',
    },
    {
      mutation: 'changePassword',
      kind: 'password_changed',
      query: `changePassword(input: { currentPassword: "${password}", newPassword: "${password}" })`,
    },
    { mutation: 'changeEmail', kind: 'email_change_asked', before: verifyAddress, query: changeEmail },
    {
      mutation: 'cancelEmailChange',
      kind: 'email_change_cancelled',
      before: () => ask(changeEmail),
      query: 'cancelEmailChange',
    },
    {
      mutation: 'confirmEmailChange',
      kind: 'email_changed',
      before: async () => {
        await ask(changeEmail);
        await giveToken('confirm_email');
      },
      query: `confirmEmailChange(token: "${token}")`,
    },
    {
      mutation: 'undoEmailChange',
      kind: 'email_change_undone',
      before: () => giveToken('undo_email'),
      query: `undoEmailChange(input: { token: "${token}", newPassword: "${password}" })`,
    },
    {
      mutation: 'resetPassword',
      kind: 'password_reset',
      before: async () => {
        await ask('requestPasswordReset(input: { email: "ada@example.com" })');
        await giveToken('reset_password');
      },
      query: `resetPassword(input: { token: "${token}", newPassword: "${password}" })`,
    },
    {
      mutation: 'verifyEmail',
      kind: 'email_verified',
      before: async () => {
        await app.query('UPDATE account SET email_verified_at_ms = NULL');
        const addressHash = createHash('sha256').update('ada@example.com').digest('hex');
        const row = `'veri_1', '${accountId}', '${addressHash}', '${tokenHash}', 1, ${Date.now() + 60_000}`;
        await app.query('DELETE FROM email_verification');
        await app.query(
          `INSERT INTO email_verification (id, account_id, address_hash, token_hash, created_at_ms, expires_at_ms) VALUES (${row})`,
        );
      },
      query: `verifyEmail(token: "${token}")`,
    },
    {
      mutation: 'leaveAccount',
      kind: 'member_left',
      before: async () => {
        await signIn();
        await ask(`switchAccount(accountId: "${ids.team}")`);
      },
      query: 'leaveAccount',
    },
    {
      mutation: 'endSession',
      kind: 'session_ended',
      before: async () => {
        await signIn();
        const mine = await app.query(`SELECT id FROM session WHERE account_id = '${accountId}'`);
        ids.other = String(mine[0]?.id);
        await signIn();
      },
      query: 'endSession(id: "$other")',
    },
    {
      mutation: 'confirmAuthenticatorApp',
      kind: 'authenticator_added',
      before: async () => {
        await signIn();
        const query = 'startAuthenticatorApp { secret }';
        const { startAuthenticatorApp } = await ask<{ startAuthenticatorApp: { secret: string } }>(query);
        ids.totp = totpCodeAt(startAuthenticatorApp.secret, Date.now());
      },
      query: 'confirmAuthenticatorApp(input: { code: "$totp" })',
    },
    { mutation: 'renewRecoveryCodes', kind: 'recovery_codes_made', query: 'renewRecoveryCodes' },
    { mutation: 'removeAuthenticatorApp', kind: 'authenticator_removed', query: 'removeAuthenticatorApp' },
    {
      mutation: 'addPasskey',
      kind: 'passkey_added',
      before: async () => {
        const { startPasskey } = await ask<{ startPasskey: string }>('startPasskey');
        ids.passkeyAnswer = JSON.stringify(passkey.create(startPasskey)).slice(1, -1);
      },
      query: 'addPasskey(input: { name: "Laptop", response: "$passkeyAnswer" }) { passkey { id } }',
    },
    {
      mutation: 'renamePasskey',
      kind: 'passkey_renamed',
      before: async () => {
        ids.passkey = String((await app.query('SELECT id FROM passkey'))[0]?.id);
      },
      query: 'renamePasskey(id: "$passkey", name: "Desktop") { id }',
    },
    {
      mutation: 'startFactorRecovery',
      kind: 'factor_recovery_begun',
      before: () =>
        app.query(
          `INSERT INTO factor_recovery (account_id, link_id, token_hash, link_ends_at_ms) VALUES ('${accountId}', 'frec_1', '${tokenHash}', ${Date.now() + 60_000})`,
        ),
      query: `startFactorRecovery(token: "${token}")`,
    },
    { mutation: 'cancelFactorRecovery', kind: 'factor_recovery_ended', query: 'cancelFactorRecovery' },
    { mutation: 'removePasskey', kind: 'passkey_removed', query: 'removePasskey(id: "$passkey")' },
    {
      mutation: 'finishIdentityLink',
      kind: 'identity_linked',
      before: async () => {
        const holder = createHash('sha256').update(`provider answered ${browserToken}`).digest('hex');
        const identity = { issuer: 'https://elsewhere.example', subject: '1', email: null, isEmailVerified: false };
        const sessionId = String((await app.query('SELECT id FROM session ORDER BY id DESC'))[0]?.id);
        const payload = JSON.stringify({
          provider: 'local',
          identity: { ...identity, name: null, login: 'ada' },
          sessionId,
        });
        await app.query(
          `INSERT INTO pending_proof (holder_hash, account_id, payload, expires_at_ms) VALUES ('${holder}', '${accountId}', '${payload}', ${Date.now() + 60_000})`,
        );
      },
      cookie: `provider=${browserToken}`,
      query: 'finishIdentityLink { id }',
    },
    {
      mutation: 'unlinkIdentity',
      kind: 'identity_unlinked',
      before: async () => {
        ids.other = String((await app.query('SELECT id FROM linked_identity'))[0]?.id);
      },
      query: 'unlinkIdentity(id: "$other")',
    },
    { mutation: 'signOut', kind: 'signed_out', before: signIn, query: 'signOut' },
    { mutation: 'signOutEverywhere', kind: 'all_sessions_ended', before: signIn, query: 'signOutEverywhere' },
    {
      mutation: 'deleteAccount',
      kind: 'account_deleted',
      before: signIn,
      query: `deleteAccount(input: { password: "${password}" })`,
    },
  ];

  it('writes its event with who did it and from where, or stands in the list with its reason', async () => {
    const signUp = `signUp(input: { email: "ada@example.com", password: "${password}", name: "Ada" }) { sessionToken account { id } }`;
    const made = await ask<{ signUp: { sessionToken: string; account: { id: string } } }>(signUp);
    session = made.signUp.sessionToken;
    accountId = made.signUp.account.id;
    const seen = new Set(['signUp', 'signIn', ...Object.keys(silent)]);
    const kindsOf = async () => (await app.query('SELECT kind FROM account_event')).map(({ kind }) => kind);
    expect(await kindsOf()).toEqual(expect.arrayContaining(['signed_up', 'signed_in']));
    for (const { mutation, kind, query, before, cookie } of steps()) {
      await before?.();
      await app.query('DELETE FROM account_event');
      const asked = query.replace(/\$(\w+)/g, (_, name: keyof typeof ids) => ids[name]);
      await (cookie ? askWithCookie(asked, cookie) : ask(asked));
      const events = await app.query('SELECT kind, network, actor_id FROM account_event');
      const known = kind === 'account_deleted' ? { network: null } : { network: '127.0.0.1' };
      expect({ mutation, events }).toEqual({
        mutation,
        events: expect.arrayContaining([expect.objectContaining({ kind, ...known })]),
      });
      const isOfLink = ['undoEmailChange', 'resetPassword', 'deleteAccount'].includes(mutation);
      if (!isOfLink && session)
        expect(events.some(({ actor_id: actor }) => String(actor).startsWith('sess_'))).toBe(true);
      if (['undoEmailChange', 'resetPassword', 'signOut', 'signOutEverywhere'].includes(mutation)) session = undefined;
      seen.add(mutation);
    }
    expect(mutations.filter((mutation) => !seen.has(mutation))).toEqual([]);
    expect(Object.keys(silent).filter((mutation) => !mutations.includes(mutation))).toEqual([]);
  }, 60_000);
});
