import { answerOf, type BrowserAnswer, type CookieBrowser, reasonOf } from '../../test/cookie-browser.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { FactorApp } from '../../test/factor-app.js';
import { putInvitation, TestOperator } from '../../test/operator-desk.js';
import { SoftwarePasskey } from '../../test/software-passkey.js';

interface Begun {
  readonly options: string;
  readonly token: string;
}

describeOnEachDatabase('A passkey of an operator', (openTestDatabase) => {
  const of = FactorApp.forAll(openTestDatabase);
  const owner = TestOperator.forAll(of, 'owner');
  beforeEach(() => owner.prove());

  const add = async (by: TestOperator, passkey = new SoftwarePasskey()) => {
    const { startPasskey } = answerOf<{ startPasskey: string }>(await by.change('startPasskey'));
    const input = { passkey: { name: 'Laptop', response: passkey.create(startPasskey) } };
    const added = await by.change('addPasskey(input: $passkey) { id name }', input);
    return { passkey, id: answerOf<{ addPasskey: { id: string } }>(added).addPasskey.id };
  };
  const begin = async (browser: CookieBrowser) =>
    answerOf<{ startPasskeySignIn: Begun }>(
      await browser.ask('mutation { operator { startPasskeySignIn { options token } } }'),
    ).startPasskeySignIn;
  const finish = (browser: CookieBrowser, token: string, response: string) =>
    browser.ask('mutation ($input: OperatorPasskeySignInInput!) { operator { finishPasskeySignIn(input: $input) } }', {
      input: { token, response },
    });
  const whoIs = async (browser: CookieBrowser) =>
    answerOf<{ me: { id: string } | null }>(await browser.ask('{ operator { me { id } } }')).me?.id ?? null;
  const signIn = async (passkey: SoftwarePasskey, browser = of.newBrowser()) => {
    const { options, token } = await begin(browser);
    return { browser, answer: await finish(browser, token, passkey.get(options)) };
  };

  it('signs in by itself, is proof as a code is, and each use stands in the log', async () => {
    const { passkey } = await add(owner);
    const { browser, answer } = await signIn(passkey);
    expect([reasonOf(answer), await whoIs(browser)]).toEqual(['done', owner.id]);
    of.clock.advanceMs(11 * 60_000);
    const invite = () => browser.ask('mutation { operator { invite(role: SUPPORT, reason: "Somebody new") } }');
    expect(reasonOf(await invite())).toBe('fresh_factor_required');
    const { startPasskeyProof } = answerOf<{ startPasskeyProof: string }>(
      await browser.ask('mutation { operator { startPasskeyProof } }'),
    );
    const proof = 'mutation ($input: OperatorPasskeyProofInput!) { operator { provePasskey(input: $input) } }';
    const response = passkey.get(startPasskeyProof);
    expect(reasonOf(await browser.ask(proof, { input: { response } }))).toBe('done');
    // A challenge is good for one answer.
    expect(reasonOf(await browser.ask(proof, { input: { response } }))).toBe('invalid_value');
    expect(reasonOf(await invite())).toBe('done');
    const log = await of.app.query('SELECT action, reason FROM operator_event ORDER BY id');
    expect(log.map(({ action, reason }) => `${action}: ${reason}`)).toEqual(
      expect.arrayContaining([
        'add_passkey: Passkey Laptop',
        'prove: Used a passkey',
        expect.stringMatching(/^sign_in: By a passkey, from /),
      ]),
    );
    const { passkeys } = answerOf<{ passkeys: object[] }>(await owner.ask('passkeys { name lastUsedAt }'));
    expect(passkeys).toContainEqual({ name: 'Laptop', lastUsedAt: expect.any(String) });
  });

  it('signs in once with what it has signed, however often that is sent', async () => {
    const { passkey } = await add(owner);
    const { options, token } = await begin(of.newBrowser());
    const response = passkey.get(options);
    expect(reasonOf(await finish(of.newBrowser(), token, response))).toBe('done');
    const again = of.newBrowser();
    expect(reasonOf(await finish(again, token, response))).toBe('invalid_value');
    expect(await whoIs(again)).toBeNull();
  });

  it('is added and removed after a fresh proof alone, by its own operator', async () => {
    const other = await TestOperator.join(of, 'support');
    const { passkey, id } = await add(other);
    expect(reasonOf(await owner.change('removePasskey(id: $id)', { id }))).toBe('not_found');
    of.clock.advanceMs(11 * 60_000);
    for (const field of ['startPasskey', 'removePasskey(id: "pkey_1")'])
      expect([field, reasonOf(await other.change(field))]).toEqual([field, 'fresh_factor_required']);
    await other.prove();
    expect(reasonOf(await other.change('removePasskey(id: $id)', { id }))).toBe('done');
    expect(reasonOf((await signIn(passkey)).answer)).toBe('invalid_value');
  });

  it('lets nobody in for another site, another browser’s challenge, without its user, or for a customer', async () => {
    const { passkey } = await add(owner);
    const browser = of.newBrowser();
    const refused = async (answer: (options: string) => string, token?: string): Promise<void> => {
      const begun = await begin(browser);
      const reason = reasonOf(await finish(browser, token ?? begun.token, answer(begun.options)));
      expect(reason).toBe('invalid_value');
      expect(await whoIs(browser)).toBeNull();
    };
    await refused((options) => passkey.get(options, { origin: 'http://elsewhere.test' }));
    await refused((options) => passkey.get(options, { isUserVerified: false }));
    await refused((options) => passkey.get(options), 'x'.repeat(43));
    await refused(() => '{}');
    const told = of.app.logLines.filter((line) => line.includes('"operator_sign_in_refused"'));
    expect(told.slice(-4).map((line) => JSON.parse(line))).toMatchObject(
      Array(4).fill({ network: expect.any(String), wrong: 'passkey' }),
    );
    // Customers' door knows it not, and neither does this one know theirs.
    const { startPasskeySignIn } = (await browser.ask('mutation { startPasskeySignIn }')).data as {
      startPasskeySignIn: string;
    };
    const asCustomer: BrowserAnswer = await browser.ask(
      'mutation ($input: FinishPasskeySignInInput!) { finishPasskeySignIn(input: $input) { account { id } } }',
      { input: { response: passkey.get(startPasskeySignIn) } },
    );
    expect(reasonOf(asCustomer)).not.toBe('done');
    const customer = of.newBrowser();
    await customer.signUp('has-a-passkey@example.com');
    const own = new SoftwarePasskey();
    const made = (await customer.ask('mutation { startPasskey }')).data as { startPasskey: string };
    const input = { name: 'Mine', response: own.create(made.startPasskey) };
    await customer.ask('mutation ($input: AddPasskeyInput!) { addPasskey(input: $input) { passkey { id } } }', {
      input,
    });
    await refused((options) => own.get(options));
  });

  it('ends with its operator, and when everything is set up anew', async () => {
    const gone = await TestOperator.join(of, 'support');
    const { passkey } = await add(gone);
    const disable = { id: gone.id, reason: 'Has left' };
    expect(reasonOf(await owner.change('disable(id: $id, reason: $reason)', disable))).toBe('done');
    expect(reasonOf((await signIn(passkey)).answer)).toBe('invalid_value');
    const lost = await TestOperator.join(of, 'support');
    const stolen = await add(lost);
    const token = await putInvitation(of, 'support');
    await of.app.query(`UPDATE operator_invitation SET operator_id = '${lost.id}' WHERE operator_id IS NULL`);
    await TestOperator.join(of, 'support', lost.email, token);
    expect(reasonOf((await signIn(stolen.passkey)).answer)).toBe('invalid_value');
  });

  it('is begun 60 times in a minute by a network, and no further', async () => {
    const browser = of.newBrowser();
    for (let n = 0; n < 60; n += 1) await begin(browser);
    expect(reasonOf(await browser.ask('mutation { operator { startPasskeySignIn { token } } }'))).toBe(
      'rate_limit_exceeded',
    );
    await begin(of.newBrowser());
  });
});
