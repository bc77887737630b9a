import { createHash } from 'node:crypto';
import { createId } from '../kernel/ids.js';
import { type MemberRole, memberRoles } from '../kernel/member-role.js';
import { closed } from '../schema/access.js';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { listDeclaredAccess } from '../test/declared-access.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { listOperations, toSampleRequest } from '../test/sample-request.js';
import { enterAs } from './enter-as-member.js';
import { buildGraphqlSchema } from './graphql-schema.js';
import { resolverClasses } from './resolvers.js';

const schema = buildGraphqlSchema(resolverClasses, new Map());
const operations = listOperations(schema);
const declared = listDeclaredAccess(schema);

interface Answer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[];
}

async function ask(app: TestApp, request: object, token: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const response = await fetch(`${app.baseUrl}/graphql`, { method: 'POST', headers, body: JSON.stringify(request) });
  return (await response.json()) as Answer;
}

/** Whether a member with this role may ask about an account that others have signed up for. */
function isOpenTo(role: MemberRole, name: string): boolean {
  const roles = declared[name]?.members ?? [];
  return roles === 'person' || (roles !== 'own account' && roles.includes(role));
}

describe('The roles of an operation', () => {
  it('are none where it declares nothing: it is closed to every member', () => {
    const ids = { accountId: 'acct_1', personId: 'acct_1', sessionId: 'sess_1', key: null };
    for (const role of memberRoles) {
      expect(() => enterAs(closed.members, { ...ids, role })).toThrow(
        expect.objectContaining({ code: 'role_required' }),
      );
    }
  });
});

describeOnEachDatabase('Members at GraphQL', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { MAX_KEYS_PER_ACCOUNT: '1000' });
  let owner: TestAccount;
  let stranger: TestAccount;
  const people = new Map<MemberRole, TestAccount>();
  let sessions = 0;

  /** A session of a person that acts for an account, beside the rules that lead there. */
  const openSession = async (personId: string, actingAccountId: string): Promise<string> => {
    sessions += 1;
    const token = `session-of-the-matrix-${sessions}`;
    const hash = createHash('sha256').update(token).digest('hex');
    const nowMs = Date.now();
    await app.query(
      `INSERT INTO session (id, account_id, token_hash, created_at_ms, last_used_at_ms, expires_at_ms, acting_account_id)
       VALUES ('${createId('session')}', '${personId}', '${hash}', ${nowMs}, ${nowMs}, ${nowMs + 600_000}, '${actingAccountId}')`,
    );
    return token;
  };
  const makeMember = async (role: MemberRole, { accountId: personId } = people.get(role) as TestAccount) => {
    await app.query(`DELETE FROM membership WHERE person_id = '${personId}'`);
    await app.query(
      `INSERT INTO membership (account_id, person_id, role, created_at_ms) VALUES ('${owner.accountId}', '${personId}', '${role}', 1)`,
    );
    return personId;
  };

  beforeAll(async () => {
    [owner, stranger] = [await app.createAccount(5), await app.createAccount(0)];
    for (const role of memberRoles) people.set(role, await app.createAccount(0));
  }, 60_000);

  const cells = memberRoles.flatMap((role) => operations.map((one) => [one.name, role, one] as const));
  it.each(cells)(
    '%s by a member who is %s, of their account and of a foreign one: as the table says',
    async (name, role, one) => {
      const personId = await makeMember(role);
      const answer = await ask(app, toSampleRequest(one), await openSession(personId, owner.accountId));
      const refusal = answer.errors?.find(({ extensions }) => extensions.reason === 'role_required');
      // What a developer may make is less than what the operation makes: that is another test's.
      expect(refusal === undefined).toBe(isOpenTo(role, name));
      if (refusal) {
        const needed = declared[name]?.members;
        const words = needed === 'own account' ? 'Switch to it first' : String((needed as MemberRole[]).join(' or '));
        expect(refusal).toMatchObject({ message: expect.stringContaining(words), extensions: { code: 'FORBIDDEN' } });
        expect(answer.data?.[name] ?? null).toBeNull();
      }
      const foreign = await ask(app, toSampleRequest(one), await openSession(personId, stranger.accountId));
      // What is about nobody is answered to them as to anybody who is not signed in.
      if (declared[name]?.members !== 'person') expect(foreign.data?.[name] ?? null).toBeNull();
    },
  );

  it('are refused as nobody where a session acts for an account that they are no member of', async () => {
    const token = await openSession(await makeMember('admin'), stranger.accountId);
    const { errors } = await ask(app, { query: '{ viewer { id } }' }, token);
    expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });

  it('see the account that the session acts for, with their role in it, and themselves as the person', async () => {
    const token = await openSession(await makeMember('billing'), owner.accountId);
    const query = '{ viewer { id role balance { available } } person { id accounts { accountId role isCurrent } } }';
    const { data } = await ask(app, { query }, token);
    const { accountId } = people.get('billing') as TestAccount;
    expect(data).toEqual({
      viewer: { id: owner.accountId, role: 'BILLING', balance: { available: 5_000 } },
      person: {
        id: accountId,
        accounts: [
          { accountId, role: 'OWNER', isCurrent: false },
          { accountId: owner.accountId, role: 'BILLING', isCurrent: true },
        ],
      },
    });
  });

  it('lose what a role opened with the next request after it was changed', async () => {
    const personId = await makeMember('admin');
    const token = await openSession(personId, owner.accountId);
    const query = { query: '{ invitations { id } }' };
    expect((await ask(app, query, token)).errors).toBeUndefined();
    await app.graphql(
      'mutation ($input: SetMemberRoleInput!) { setMemberRole(input: $input) { personId } }',
      { input: { personId, role: 'VIEWER' } },
      owner.sessionToken,
    );
    expect((await ask(app, query, token)).errors?.[0]?.extensions.reason).toBe('role_required');
  });

  it('take along what the table opens to them, and the events of a person only that person', async () => {
    const read = async (path: string, role: MemberRole) => {
      const token = await openSession(await makeMember(role), owner.accountId);
      const response = await fetch(`${app.baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
      return { status: response.status, text: await response.text() };
    };
    for (const path of ['/export/account.json', '/export/calls.csv', '/export/events.csv', '/export/statement.csv']) {
      for (const role of memberRoles) {
        const { status, text } = await read(path, role);
        expect([path, role, status]).toEqual([path, role, isOpenTo(role, `GET ${path}`) ? 200 : 403]);
        if (status === 403) expect(JSON.parse(text).error.code).toBe('role_required');
      }
    }
    const { text } = await read('/export/events.csv', 'admin');
    expect(text).toContain('key_created');
    expect(text).not.toContain('signed_in');
    const own = await fetch(`${app.baseUrl}/export/events.csv`, {
      headers: { authorization: `Bearer ${owner.sessionToken}` },
    });
    expect(await own.text()).toContain('signed_in');
  });

  it.each(['/playground/chat/completions', '/playground/estimate'])(
    'may POST %s only where the role spends credits',
    async (path) => {
      for (const role of memberRoles) {
        const token = await openSession(await makeMember(role), owner.accountId);
        const response = await fetch(`${app.baseUrl}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', cookie: `sid=${token}` },
          body: JSON.stringify({ model: 'demo-small', max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] }),
        });
        await response.text();
        expect([role, response.status]).toEqual([role, isOpenTo(role, `POST ${path}`) ? 200 : 403]);
      }
      await app.waitUntilSettled(owner.accountId);
    },
  );

  it('are named in the events of what they do, and in the keys that they make', async () => {
    const personId = await makeMember('developer');
    await app.query(`UPDATE account SET name = 'Dora' WHERE id = '${personId}'`);
    const token = await openSession(personId, owner.accountId);
    const made = await ask(
      app,
      { query: 'mutation { createApiKey(input: { name: "dev" }) { apiKey { madeBy } } }' },
      token,
    );
    expect(made.data).toEqual({ createApiKey: { apiKey: { madeBy: 'Dora' } } });
    const keys = await ask(app, { query: '{ apiKeys { name mayChange } }' }, token);
    expect(keys.data?.apiKeys).toContainEqual({ name: 'dev', mayChange: true });
    expect(keys.data?.apiKeys).toContainEqual({ name: 'test', mayChange: false });
    const query = '{ accountEvents(first: 1) { edges { node { kind personId personName role } } } }';
    const { data } = await ask(app, { query }, owner.sessionToken);
    const node = { kind: 'KEY_CREATED', personId, personName: 'Dora', role: 'DEVELOPER' };
    expect(data).toEqual({ accountEvents: { edges: [{ node }] } });
  });
});
