import { answerOf, type BrowserAnswer, reasonOf } from '../../test/cookie-browser.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { FactorApp } from '../../test/factor-app.js';
import { TestOperator } from '../../test/operator-desk.js';
import { postGraphql } from '../../test/post-graphql.js';
import { operatorAccess } from '../operator-access.js';
import { personOperations, tokenOperations } from './operator-token-access.js';

const dayMs = 86_400_000;

describe('The table of what tokens do', () => {
  it('decides for every operation of operators', () => {
    const decided = [...tokenOperations, ...personOperations];
    expect(decided.toSorted()).toEqual(Object.keys(operatorAccess).toSorted());
  });
});

describeOnEachDatabase('Tokens of operators', (openTestDatabase) => {
  const of = FactorApp.forAll(openTestDatabase);
  const owner = TestOperator.forAll(of, 'owner');
  const support = TestOperator.forAll(of, 'support');
  beforeEach(async () => {
    for (const one of [owner, support]) await one.prove();
  });

  const create = (by: TestOperator, more: object = {}) =>
    by.change('createToken(input: $token)', {
      token: { name: 'Nightly', role: 'READ_ONLY', days: 30, reason: 'A script', ...more },
    });
  const make = async (by: TestOperator, more: object = {}) => {
    return answerOf<{ createToken: string }>(await create(by, more)).createToken;
  };
  const ask = async (token: string, query: string, headers: Record<string, string> = {}): Promise<BrowserAnswer> => {
    const response = await postGraphql(of.app.baseUrl, { query }, { authorization: `Bearer ${token}`, ...headers });
    return { ...((await response.json()) as BrowserAnswer), cookies: [] };
  };
  const me = async (token: string) => reasonOf(await ask(token, '{ operator { me { name role may } } }'));
  const give = (accountId: string, credits: number) =>
    `mutation { operator { grantCredits(input: { accountId: "${accountId}", credits: ${credits}, reason: "A script gives", once: "w-${credits}" }) { __typename } } }`;

  it('do what their role may and the list names, in their own name, without a code', async () => {
    const { accountId } = await of.app.createAccount(5);
    const token = await make(owner, { role: 'FINANCE', name: 'Payroll' });
    expect(token).toMatch(/^op-tg-[\w-]{43}$/);
    const found = await ask(token, '{ operator { me { role may } accounts(text: "person") { __typename } } }');
    const { role, may } = answerOf<{ me: { role: string; may: readonly string[] } }>(found).me;
    expect(role).toBe('FINANCE');
    expect(may.filter((name) => personOperations.has(name))).toEqual([]);
    expect(may).toContain('grantCredits');
    of.clock.advanceMs(11 * 60_000);
    expect(reasonOf(await ask(token, give(accountId, 3)))).toBe('done');
    const [event] = await of.app.query(`SELECT actor FROM operator_event WHERE reason = 'A script gives'`);
    expect(event?.actor).toMatch(/^.+, token Payroll \(op_\w+\)$/);
    const setLimits = `mutation { operator { setAccountLimits(input: { accountId: "${accountId}", reason: "why not" }) } }`;
    expect(reasonOf(await ask(token, setLimits))).toBe('forbidden');
    // The database knows no token.
    const rows = JSON.stringify(await of.app.query('SELECT * FROM operator_token'));
    expect(rows).toContain(`"ending":"${token.slice(-4)}"`);
    expect(rows).not.toContain(token.slice(6, 30));
  });

  it('are refused what only a person may, whatever their role', async () => {
    const token = await make(owner, { role: 'OWNER' });
    for (const query of [
      'mutation { operator { invite(role: OWNER, reason: "one more") } }',
      'mutation { operator { createToken(input: { name: "x", role: OWNER, reason: "one more" }) } }',
      'mutation { operator { prove(code: "123456") } }',
      'mutation { operator { signOut } }',
      'mutation { operator { approveCredits(id: "creq_1") } }',
      'mutation { operator { startJoining(token: "x") { secret } } }',
      '{ operator { tokens { id } } }',
    ]) {
      const answer = await ask(token, query);
      expect([query, reasonOf(answer)]).toEqual([query, 'forbidden']);
      expect(answer.errors?.[0]?.message).toContain('Sign in at /operator');
    }
  });

  it('open nothing of a customer’s, no call and no look, also beside a session', async () => {
    const customer = await of.app.createAccount(5);
    const token = await make(owner, { role: 'OWNER' });
    const makeKey = 'mutation { createApiKey(input: { name: "x" }) { secret } }';
    for (const beside of [{}, { cookie: `sid=${customer.sessionToken}` }, { 'tollgate-view': 'cview_1' }]) {
      expect(reasonOf(await ask(token, makeKey, beside))).toBe('unauthenticated');
      expect((await ask(token, '{ viewer { id } }', beside)).data?.viewer ?? null).toBeNull();
    }
    const call = await of.app.call(token, { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] });
    expect(call.status).toBe(401);
    const file = await fetch(`${of.app.baseUrl}/export/account.json`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(file.status).toBe(401);
    // As a cookie it is nothing, and a wrong one takes nothing from the cookie of a browser but the request.
    const asCookie = await postGraphql(
      of.app.baseUrl,
      { query: '{ operator { people { id } } }' },
      { cookie: `operator=${token}` },
    );
    expect(reasonOf({ ...((await asCookie.json()) as BrowserAnswer), cookies: [] })).toBe('unauthenticated');
    const session = { cookie: `operator=${owner.browser.cookie('operator')}` };
    const wrong = await ask('op-tg-wrong', '{ operator { people { id } } }', session);
    expect(reasonOf(wrong)).toBe('unauthenticated');
  });

  it('give no more than whoever makes them may, and are worth nothing once that is less', async () => {
    expect(reasonOf(await create(support, { role: 'FINANCE' }))).toBe('forbidden');
    expect(reasonOf(await create(support, { role: 'OWNER' }))).toBe('forbidden');
    const own = await make(support, { role: 'SUPPORT' });
    expect(await me(own)).toBe('done');
    const [row] = await of.app.query(`SELECT operator_id FROM operator_token WHERE ending = '${own.slice(-4)}'`);
    const setRole = (role: string) =>
      of.app.query(`UPDATE operator SET role = '${role}' WHERE id = '${row?.operator_id}'`);
    await setRole('finance');
    expect(await me(own)).toBe('unauthenticated');
    await setRole('support');
    expect(await me(own)).toBe('done');
    for (const wrong of [{ name: ' ' }, { name: 'a\u0000b' }, { days: 0 }, { days: 366 }, { reason: '' }])
      expect(reasonOf(await create(support, wrong))).toMatch(/^(invalid_value|BAD_USER_INPUT)$/);
  });

  it('are 20 for each at most, also of those that are made at once', async () => {
    const many = await TestOperator.join(of, 'support');
    for (let n = 0; n < 18; n += 1) expect(reasonOf(await create(many))).toBe('done');
    const made = (await Promise.all(Array.from({ length: 6 }, () => create(many)))).map(reasonOf);
    expect(made.toSorted()).toEqual(['conflict', 'conflict', 'conflict', 'conflict', 'done', 'done']);
  });

  it('end by themselves, when they are taken back, and with their operator', async () => {
    const short = await make(support, { days: 1 });
    const taken = await make(support, { name: 'Taken' });
    const [row] = await of.app.query("SELECT id FROM operator_token WHERE name = 'Taken'");
    const finance = await TestOperator.join(of, 'finance');
    const revoke = (by: TestOperator) =>
      by.change('revokeToken(id: $id, reason: $reason)', { id: String(row?.id), reason: 'No use' });
    expect(reasonOf(await revoke(finance))).toBe('not_found');
    expect(reasonOf(await revoke(owner))).toBe('done');
    expect([await me(taken), await me(short)]).toEqual(['unauthenticated', 'done']);
    of.clock.advanceMs(dayMs);
    expect(await me(short)).toBe('unauthenticated');
    const gone = await TestOperator.join(of, 'support');
    const token = await make(gone);
    expect(await me(token)).toBe('done');
    const [operator] = await of.app.query(`SELECT operator_id FROM operator_token WHERE ending = '${token.slice(-4)}'`);
    const again = await TestOperator.join(of, 'owner');
    expect(
      reasonOf(
        await again.change('disable(id: $id, reason: $reason)', {
          id: String(operator?.operator_id),
          reason: 'Has left',
        }),
      ),
    ).toBe('done');
    expect(await me(token)).toBe('unauthenticated');
  });
});
