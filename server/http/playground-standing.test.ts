import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';

const metricsToken = 'a-token-of-the-operator';
const [begun, rest] = ['{"model":"demo-small","messages":', '[{"role":"user","content":"Hello"}]}'];
const call = '/playground/chat/completions';

interface People {
  readonly owner: TestAccount;
  readonly member: TestAccount;
}

describeOnEachDatabase('A call of the playground that waits', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { METRICS_TOKEN: metricsToken });
  let people: People;
  beforeEach(async () => {
    const [owner, member] = [await app.createAccount(5), await app.createAccount(5)];
    people = { owner, member };
    await app.query(
      `INSERT INTO membership (account_id, person_id, role, created_at_ms) VALUES ('${owner.accountId}', '${member.accountId}', 'developer', 0)`,
    );
    await change(member, `switchAccount(accountId: "${owner.accountId}")`);
  });

  const change = (by: TestAccount, mutation: string) => app.graphql(`mutation { ${mutation} }`, {}, by.sessionToken);
  const countRunning = async () => {
    const response = await fetch(`${app.baseUrl}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
    return Number(/^tollgate_calls_running (\d+)$/m.exec(await response.text())?.[1]);
  };
  /** What the member asks is begun; `end` goes before the rest of it. */
  const ask = async (path: string, end: () => Promise<unknown>, headers: Record<string, string> = {}) => {
    const cookie = `sid=${people.member.sessionToken}`;
    const asked = request(`${app.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, ...headers },
    });
    asked.write(begun);
    if (path === call) await eventually(async () => (await countRunning()) === 1);
    await end();
    asked.end(rest);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: response.statusCode, body: await text(response) };
  };
  const readHolds = () => app.query('SELECT * FROM ledger_hold');

  it('is answered to whoever still may', async () => {
    expect(await ask(call, async () => {})).toMatchObject({ status: 200 });
  });

  it.each<readonly [string, number, (of: People) => Promise<unknown>]>([
    ['their session has ended', 401, ({ member }) => change(member, 'signOut')],
    ['every session of theirs has', 401, ({ member }) => change(member, 'signOutEverywhere')],
    [
      'they were removed',
      401,
      ({ owner, member }) => change(owner, `removeMember(personId: "${member.accountId}") { personId }`),
    ],
    [
      'they only look by now',
      403,
      ({ owner, member }) =>
        change(owner, `setMemberRole(input: { personId: "${member.accountId}", role: VIEWER }) { personId }`),
    ],
    [
      'they have a budget',
      403,
      ({ owner, member }) =>
        change(owner, `setMemberBudget(input: { personId: "${member.accountId}", monthlyBudget: 1 }) { personId }`),
    ],
    [
      'they act for another account',
      409,
      ({ member }) => change(member, `switchAccount(accountId: "${member.accountId}")`),
    ],
  ])('is refused where meanwhile %s, and reserves nothing', async (_, status, end) => {
    const before = await readHolds();
    expect(await ask(call, () => end(people), { 'idempotency-key': 'claimed' })).toMatchObject({ status });
    expect(await readHolds()).toEqual(before);
    // Nor is its key kept from the next who asks with it.
    expect(await app.query('SELECT * FROM idempotent_answer WHERE is_finished = 0')).toEqual([]);
  });

  it('is given no earlier answer again where meanwhile its session has ended', async () => {
    const headers = { 'idempotency-key': 'the-same' };
    expect(await ask(call, async () => {}, headers)).toMatchObject({ status: 200 });
    const again = await ask(call, () => change(people.member, 'signOut'), headers);
    expect(again.status).toBe(401);
  });
});
