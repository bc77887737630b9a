import { totpCodeAt } from '../../factors/totp.js';
import { answerOf, reasonOf } from '../../test/cookie-browser.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { FactorApp } from '../../test/factor-app.js';
import { operatorPassword, putInvitation, TestOperator } from '../../test/operator-desk.js';

const startJoining = 'mutation ($token: String!) { operator { startJoining(token: $token) { secret role } } }';
const join = 'mutation ($input: OperatorJoinInput!) { operator { join(input: $input) } }';
const signIn = 'mutation ($input: OperatorSignInInput!) { operator { signIn(input: $input) } }';
const me = '{ operator { me { name role may } } }';

describeOnEachDatabase('Operators', (openTestDatabase) => {
  const of = FactorApp.forAll(openTestDatabase);
  const owner = TestOperator.forAll(of, 'owner', 'grace@tollgate.test');

  const readMe = async (browser = of.newBrowser()) => answerOf<{ me: object | null }>(await browser.ask(me)).me;
  const signInAs = (code: string, { password = operatorPassword, browser = of.newBrowser() } = {}) =>
    browser.ask(signIn, { input: { email: 'Grace@Tollgate.test', password, code } });

  it('come in by a link that is good once and for a day, of which the database has only a hash', async () => {
    const token = await putInvitation(of, 'support');
    const rows = JSON.stringify(await of.app.query('SELECT * FROM operator_invitation'));
    expect(rows).not.toContain(token);
    const browser = of.newBrowser();
    const open = async () => (await browser.ask(startJoining, { token })) as never;
    const { secret, role } = answerOf<{ startJoining: { secret: string; role: string } }>(await open()).startJoining;
    expect(role).toBe('SUPPORT');
    const input = { token, email: 'ada@tollgate.test', name: 'Ada', password: operatorPassword, code: '000000' };
    expect(reasonOf(await browser.ask(join, { input }))).toBe('invalid_value');
    expect(reasonOf(await browser.ask(join, { input: { ...input, password: 'too short' } }))).toBe('invalid_value');
    const right = { ...input, code: totpCodeAt(secret, of.clock.nowMs()) };
    expect(reasonOf(await browser.ask(join, { input: { ...right, email: 'GRACE@tollgate.test' } }))).toBe('conflict');
    // Of two at once one gets in.
    const both = await Promise.all([browser.ask(join, { input: right }), of.newBrowser().ask(join, { input: right })]);
    expect(both.map(reasonOf).toSorted()).toEqual(['done', 'not_found']);
    expect(reasonOf(await open())).toBe('not_found');
    const late = await putInvitation(of, 'owner');
    of.clock.advanceMs(24 * 60 * 60_000 + 1);
    expect(reasonOf(await browser.ask(startJoining, { token: late }))).toBe('not_found');
  });

  it('who open their link in two tabs join by the key that was shown last, and are told so where they use the other', async () => {
    const token = await putInvitation(of, 'support');
    const open = async () =>
      answerOf<{ startJoining: { secret: string } }>(await of.newBrowser().ask(startJoining, { token })).startJoining;
    const [first, last] = [await open(), await open()];
    const joinWith = ({ secret }: { secret: string }) => {
      const code = totpCodeAt(secret, of.clock.nowMs());
      const input = { token, email: 'tabs@tollgate.test', name: 'Tabs', password: operatorPassword, code };
      return of.newBrowser().ask(join, { input });
    };
    const refused = await joinWith(first);
    expect(refused.errors?.[0]).toMatchObject({
      message: expect.stringContaining('only the key that was shown last is good: load this page again'),
      extensions: { reason: 'invalid_value', field: 'code' },
    });
    expect(reasonOf(await joinWith(last))).toBe('done');
  });

  it('sign in by password and code, always both, and the words do not tell which was wrong', async () => {
    const browser = of.newBrowser();
    const wrong = await signInAs(owner.nextCode(), { password: 'another long password' });
    const wrongCode = await signInAs('000000');
    const unknown = await of
      .newBrowser()
      .ask(signIn, { input: { email: 'nobody@tollgate.test', password: operatorPassword, code: '000000' } });
    expect([wrong, wrongCode, unknown].map(reasonOf)).toEqual(Array(3).fill('unauthenticated'));
    expect(new Set([wrong, wrongCode, unknown].map(({ errors }) => errors?.[0]?.message)).size).toBe(1);
    const code = owner.nextCode();
    const done = await signInAs(code, { browser });
    expect(reasonOf(done)).toBe('done');
    expect(done.cookies.join()).toMatch(/operator=[\w-]{43};.*HttpOnly; SameSite=Strict/i);
    expect(await readMe(browser)).toMatchObject({ role: 'OWNER', may: expect.arrayContaining(['grantCredits']) });
    // A code is good once.
    expect(reasonOf(await signInAs(code))).toBe('unauthenticated');
  });

  it('have a line in the log for each sign-in that was refused: whose, from where, and what was wrong', async () => {
    const begun = of.app.logLines.length;
    const listRefused = () =>
      of.app.logLines
        .slice(begun)
        .map((line) => JSON.parse(line))
        .filter(({ event }) => event === 'operator_sign_in_refused' || event === 'operator_proof_refused');
    await signInAs('000000', { password: 'another long password' });
    await signInAs('000000');
    const input = { email: 'nobody@tollgate.test', password: operatorPassword, code: '000000' };
    await of.newBrowser().ask(signIn, { input });
    const browser = of.newBrowser();
    await signInAs(owner.nextCode(), { browser });
    await browser.ask('mutation { operator { prove(code: "000000") } }');
    const [{ operatorId }] = listRefused();
    expect(operatorId).toMatch(/^op_/);
    const refused = {
      event: 'operator_sign_in_refused',
      level: 40,
      network: expect.stringMatching(/^[\d.]+$/),
      code: 'unauthenticated',
    };
    expect(listRefused()).toMatchObject([
      { ...refused, operatorId, wrong: 'password' },
      { ...refused, operatorId, wrong: 'code' },
      { ...refused, operatorId: null, wrong: 'e-mail' },
      { event: 'operator_proof_refused', operatorId, wrong: 'code' },
    ]);
    expect(of.app.logLines.slice(begun).join()).not.toContain('nobody@tollgate.test');
  });

  it('are slowed down when passwords are guessed, which closes neither customers’ way in nor the other way round', async () => {
    const browser = of.newBrowser();
    const guesses = [];
    for (let guess = 0; guess < 11; guess += 1) {
      guesses.push(reasonOf(await signInAs('000000', { password: `guess number ${guess} of many`, browser })));
    }
    expect(guesses).toContain('rate_limit_exceeded');
    await of.newBrowser().signUp('customer@example.com');
    expect(reasonOf(await browser.signIn('customer@example.com'))).toBe('done');
    of.clock.advanceMs(16 * 60_000);
  });

  it('are signed out an hour after the last use, twelve hours after the first, and at once when they say so', async () => {
    const browser = of.newBrowser();
    await signInAs(owner.nextCode(), { browser });
    const token = browser.cookie('operator');
    of.clock.advanceMs(59 * 60_000);
    expect(await readMe(browser)).not.toBeNull();
    of.clock.advanceMs(60 * 60_000);
    expect(await readMe(browser)).toBeNull();
    await signInAs(owner.nextCode(), { browser });
    for (let hour = 0; hour < 13; hour += 1) {
      of.clock.advanceMs(55 * 60_000);
      await readMe(browser);
    }
    of.clock.advanceMs(6 * 60_000);
    expect(await readMe(browser)).toBeNull();
    await signInAs(owner.nextCode(), { browser });
    const again = browser.cookie('operator');
    expect(again).not.toBe(token);
    expect(reasonOf(await browser.ask('mutation { operator { signOut } }'))).toBe('done');
    expect(browser.cookie('operator')).toBe('');
    expect(await readMe(of.newBrowser({ operator: again }))).toBeNull();
  });

  it('may do nothing any more once they are disabled, and the last owner stays', async () => {
    const browser = of.newBrowser();
    await signInAs(owner.nextCode(), { browser });
    const helper = await TestOperator.join(of, 'support');
    const disable = 'mutation ($id: ID!) { operator { disable(id: $id, reason: "Has left") } }';
    expect(reasonOf(await browser.ask(disable, { id: helper.id }))).toBe('done');
    expect(await readMe(helper.browser)).toBeNull();
    const input = { email: helper.email, password: operatorPassword, code: helper.nextCode() };
    expect(reasonOf(await of.newBrowser().ask(signIn, { input }))).toBe('unauthenticated');
    expect(reasonOf(await browser.ask(disable, { id: owner.id }))).toBe('conflict');
  });

  it('set password and app anew by a link, which ends all of their sessions', async () => {
    const browser = of.newBrowser();
    await signInAs(owner.nextCode(), { browser });
    const helper = await TestOperator.join(of, 'finance', 'finance@tollgate.test');
    const renew = 'mutation ($id: ID!) { operator { renew(id: $id, reason: "Lost the phone") } }';
    const link = answerOf<{ renew: string }>(await browser.ask(renew, { id: helper.id })).renew;
    expect(link).toMatch(/^http:\/\/tollgate\.test\/operator\/join#[\w-]{43}$/);
    const token = link.split('#')[1];
    const fresh = of.newBrowser();
    const { secret } = answerOf<{ startJoining: { secret: string } }>(
      await fresh.ask(startJoining, { token }),
    ).startJoining;
    const password = 'quite another long password';
    const code = totpCodeAt(secret, of.clock.nowMs());
    const input = { token, email: 'finance@tollgate.test', name: 'Finance', password, code };
    expect(reasonOf(await fresh.ask(join, { input }))).toBe('done');
    expect(await readMe(helper.browser)).toBeNull();
    expect(await readMe(fresh)).toMatchObject({ role: 'FINANCE' });
  });

  it('show no password, code, token or secret in the log of the server', () => {
    const lines = of.app.logLines.join('\n');
    expect(lines).not.toContain(operatorPassword);
    expect(lines).not.toContain('/operator/join#');
  });
});
