import { createHash } from 'node:crypto';
import { createId } from '../kernel/ids.js';
import { type MemberRole, memberRoles } from '../kernel/member-role.js';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { postGraphql } from '../test/post-graphql.js';

interface Answer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[];
}

const setAlert = 'mutation { setBalanceAlert(input: { threshold: 5, email: false }) { threshold } }';
const makeKey =
  'mutation { createApiKey(input: { name: "of a key", scopes: [USAGE_READ, BILLING_WRITE] }) { apiKey { id } } }';
const read = '{ viewer { id } }';

describeOnEachDatabase('A key with scopes that write, made by an admin', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { MAX_KEYS_PER_ACCOUNT: '100' });
  let owner: TestAccount;
  let member: TestAccount;
  let key: string;
  let readOnly: string;

  const ask = async (query: string, token: string): Promise<Answer> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const response = await postGraphql(app.baseUrl, { query }, headers);
    return (await response.json()) as Answer;
  };
  const setRole = async (role: MemberRole | null): Promise<void> => {
    await app.query(`DELETE FROM membership WHERE person_id = '${member.accountId}'`);
    if (role === null) return;
    await app.query(
      `INSERT INTO membership (account_id, person_id, role, created_at_ms) VALUES ('${owner.accountId}', '${member.accountId}', '${role}', 1)`,
    );
  };
  const makeAs = async (scopes: string): Promise<string> => {
    const token = `session-of-a-maker-${scopes.length}`;
    const hash = createHash('sha256').update(token).digest('hex');
    const nowMs = Date.now();
    await app.query(
      `INSERT INTO session (id, account_id, token_hash, created_at_ms, last_used_at_ms, expires_at_ms, acting_account_id)
       VALUES ('${createId('session')}', '${member.accountId}', '${hash}', ${nowMs}, ${nowMs}, ${nowMs + 600_000}, '${owner.accountId}')`,
    );
    const made = await ask(`mutation { createApiKey(input: { name: "k", scopes: [${scopes}] }) { secret } }`, token);
    const { createApiKey } = (made.data ?? {}) as { readonly createApiKey: { readonly secret: string } };
    return createApiKey.secret;
  };

  beforeAll(async () => {
    [owner, member] = [await app.createAccount(5), await app.createAccount(0)];
    await setRole('admin');
    key = await makeAs('CHAT, USAGE_READ, KEYS_WRITE, BILLING_WRITE');
    readOnly = await makeAs('USAGE_READ');
  }, 60_000);

  it.each([...memberRoles, null])(
    'writes no more than the present role of its maker (%s; null: no member any more), and goes on reading',
    async (role) => {
      await setRole(role);
      const mayWrite = role === null || role === 'owner' || role === 'admin';
      for (const mutation of [setAlert, makeKey]) {
        const { errors } = await ask(mutation, key);
        expect(errors?.[0]?.extensions.reason).toBe(mayWrite ? undefined : 'role_required');
        if (!mayWrite) expect(errors?.[0]?.message).toContain(`now has the role ${role}`);
      }
      for (const token of [key, readOnly]) {
        expect((await ask(read, token)).data).toMatchObject({ viewer: { id: owner.accountId } });
        const credits = await fetch(`${app.baseUrl}/v1/credits`, { headers: { authorization: `Bearer ${token}` } });
        expect(credits.status).toBe(200);
      }
    },
  );

  it('made by whoever signed up for the account, writes no more once they were lowered', async () => {
    await app.query(
      `INSERT INTO membership (account_id, person_id, role, created_at_ms) VALUES ('${owner.accountId}', '${owner.accountId}', 'owner', 1)`,
    );
    const make = 'mutation { createApiKey(input: { name: "f", scopes: [BILLING_WRITE] }) { secret } }';
    const { createApiKey } = await app.graphql<{ createApiKey: { secret: string } }>(make, {}, owner.sessionToken);
    // As keys from before there were members.
    await app.query(`UPDATE api_key SET made_by = NULL WHERE name = 'f'`);
    expect((await ask(setAlert, createApiKey.secret)).errors).toBeUndefined();
    await app.query(`UPDATE membership SET role = 'viewer' WHERE person_id = '${owner.accountId}'`);
    expect((await ask(setAlert, createApiKey.secret)).errors?.[0]?.extensions.reason).toBe('role_required');
  });
});
