import type { FakeClock } from '../../kernel/clock.js';
import { answerOf, type CookieBrowser, reasonOf } from '../../test/cookie-browser.js';
import type { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { FactorApp } from '../../test/factor-app.js';
import { SoftwarePasskey } from '../../test/software-passkey.js';
import { totpCodeAt } from '../totp.js';

const tenMinutesMs = 10 * 60_000;

interface Added {
  readonly passkey: { readonly id: string };
  readonly recoveryCodes: string[];
}

describeOnEachDatabase('A passkey', (openTestDatabase) => {
  const opened = FactorApp.forAll(openTestDatabase);
  let app: TestApp;
  let clock: FakeClock;
  let people = 0;

  beforeAll(async () => {
    ({ app, clock } = opened);
  });

  const newBrowser = (cookies?: Readonly<Record<string, string>>) => opened.newBrowser(cookies);
  const signUp = async () => {
    people += 1;
    const email = `passkey-${people}@example.com`;
    const browser = newBrowser();
    return { email, browser, accountId: await browser.signUp(email) };
  };
  const begin = async (browser: CookieBrowser) => answerOf<string>(await browser.ask('mutation { startPasskey }'));
  const add = (browser: CookieBrowser, response: string, name = 'Laptop') =>
    browser.ask(
      'mutation ($input: AddPasskeyInput!) { addPasskey(input: $input) { passkey { id name } recoveryCodes } }',
      { input: { name, response } },
    );
  const signUpWithPasskey = async () => {
    const person = await signUp();
    const passkey = new SoftwarePasskey();
    const added = answerOf<Added>(await add(person.browser, passkey.create(await begin(person.browser))));
    return { ...person, passkey, id: added.passkey.id, recoveryCodes: added.recoveryCodes };
  };
  const startSignIn = async (browser: CookieBrowser) =>
    answerOf<string>(await browser.ask('mutation { startPasskeySignIn }'));
  const finishSignIn = (browser: CookieBrowser, response: string) =>
    browser.ask(
      'mutation ($input: FinishPasskeySignInInput!) { finishPasskeySignIn(input: $input) { account { id } } }',
      { input: { response } },
    );
  const list = async (browser: CookieBrowser) =>
    answerOf<{ passkeys: { id: string; name: string; lastUsedAt: string | null }[]; recoveryCodesLeft: number }>(
      await browser.ask('{ factors { recoveryCodesLeft passkeys { id name lastUsedAt } } }'),
    );

  it('signs its owner in without e-mail, password and code, and says when it was last used', async () => {
    const { passkey, accountId } = await signUpWithPasskey();
    const browser = newBrowser();
    const options = await startSignIn(browser);
    expect(JSON.parse(options)).toMatchObject({ rpId: 'tollgate.test', userVerification: 'required' });
    const signedIn = answerOf(await finishSignIn(browser, passkey.get(options)));
    expect(signedIn).toEqual({ account: { id: accountId } });
    expect(await list(browser)).toMatchObject({ passkeys: [{ lastUsedAt: new Date(clock.nowMs()).toISOString() }] });
    // It counts as a fresh factor.
    expect(reasonOf(await browser.ask('mutation { renewRecoveryCodes }'))).toBe('done');
  });

  it('answers a challenge once, in the browser that asked for it, within ten minutes', async () => {
    const { passkey } = await signUpWithPasskey();
    const browser = newBrowser();
    const response = passkey.get(await startSignIn(browser));
    const step = browser.cookie('step');
    expect(step).toMatch(/^[\w-]{43}$/);
    expect(reasonOf(await finishSignIn(newBrowser(), response))).toBe('unauthenticated');
    expect(reasonOf(await finishSignIn(newBrowser({ step: 'A'.repeat(43) }), response))).toBe('invalid_value');
    const both = await Promise.all([1, 2].map(() => finishSignIn(newBrowser({ step }), response)));
    expect(both.map(reasonOf).toSorted()).toEqual(['done', 'invalid_value']);
    expect(reasonOf(await finishSignIn(newBrowser({ step }), response))).toBe('invalid_value');
    const late = newBrowser();
    const lateResponse = passkey.get(await startSignIn(late));
    clock.advanceMs(tenMinutesMs);
    expect(reasonOf(await finishSignIn(late, lateResponse))).toBe('invalid_value');
    // What answers one challenge answers no other.
    const other = newBrowser();
    await startSignIn(other);
    expect(reasonOf(await finishSignIn(other, lateResponse))).toBe('invalid_value');
  });

  it.each([
    ['without a verified user', { isUserVerified: false }],
    ['of another site', { origin: 'https://tollgate.test.evil.example' }],
    ['of another port', { origin: 'http://tollgate.test:8443' }],
    ['bound to another name', { rpId: 'evil.example' }],
  ])('is refused %s, when it is made and when it signs', async (_, flags) => {
    const { passkey, browser } = await signUpWithPasskey();
    const signingIn = newBrowser();
    expect(reasonOf(await finishSignIn(signingIn, passkey.get(await startSignIn(signingIn), flags)))).toBe(
      'invalid_value',
    );
    const response = new SoftwarePasskey().create(await begin(browser), flags);
    expect(reasonOf(await add(browser, response))).toBe('invalid_value');
    expect((await list(browser)).passkeys).toHaveLength(1);
  });

  it('is refused when another key signs for it, it names another account, or its count goes back', async () => {
    const { passkey } = await signUpWithPasskey();
    const other = await signUpWithPasskey();
    const forged = async (change: (answer: { id: string; rawId: string }) => void, handle?: string) => {
      const browser = newBrowser();
      const answer = JSON.parse(passkey.get(await startSignIn(browser), {}, handle)) as { id: string; rawId: string };
      change(answer);
      return reasonOf(await finishSignIn(browser, JSON.stringify(answer)));
    };
    const theirs = other.passkey.credentialId.toString('base64url');
    expect(await forged((answer) => Object.assign(answer, { id: theirs, rawId: theirs }))).toBe('invalid_value');
    expect(await forged(() => {}, Buffer.from(other.accountId).toString('base64url'))).toBe('invalid_value');
    expect(await forged(() => {})).toBe('done');
    passkey.counter = 0;
    expect(await forged(() => {})).toBe('invalid_value');
    for (const nonsense of ['', '{}', 'null', '[]', '{"id":1}', JSON.stringify({ id: theirs, response: {} })]) {
      const browser = newBrowser();
      await startSignIn(browser);
      expect(reasonOf(await finishSignIn(browser, nonsense))).toBe('invalid_value');
    }
  });

  it('is added by the session that began it, once, and belongs to one account', async () => {
    const { browser } = await signUp();
    const stranger = await signUp();
    const passkey = new SoftwarePasskey();
    const response = passkey.create(await begin(browser));
    expect(reasonOf(await add(stranger.browser, response))).toBe('invalid_value');
    await begin(stranger.browser);
    expect(reasonOf(await add(stranger.browser, response))).toBe('invalid_value');
    const both = await Promise.all([add(browser, response), add(browser, response)]);
    expect(both.map(reasonOf).toSorted()).toEqual(['done', 'invalid_value']);
    const again = passkey.create(await begin(stranger.browser));
    expect(reasonOf(await add(stranger.browser, again))).toBe('conflict');
    const late = new SoftwarePasskey().create(await begin(browser));
    clock.advanceMs(tenMinutesMs);
    expect(reasonOf(await add(browser, late))).toBe('invalid_value');
  });

  it('stands beside others: each has a name, and goes alone; recovery codes come with the first and go with the last', async () => {
    const { browser, id, recoveryCodes } = await signUpWithPasskey();
    expect(recoveryCodes).toHaveLength(10);
    const options = JSON.parse(await begin(browser)) as { excludeCredentials: unknown[] };
    expect(options.excludeCredentials).toHaveLength(1);
    const second = answerOf<Added>(
      await add(browser, new SoftwarePasskey().create(JSON.stringify(options)), ' Phone '),
    );
    expect(second.recoveryCodes).toEqual([]);
    const rename = 'mutation ($id: ID!, $name: String!) { renamePasskey(id: $id, name: $name) { name } }';
    expect(answerOf(await browser.ask(rename, { id, name: 'Old laptop' }))).toEqual({ name: 'Old laptop' });
    expect(reasonOf(await browser.ask(rename, { id, name: '' }))).toBe('invalid_value');
    expect((await list(browser)).passkeys.map(({ name }) => name)).toEqual(['Old laptop', 'Phone']);
    const remove = (passkeyId: string) =>
      browser.ask('mutation ($id: ID!) { removePasskey(id: $id) }', { id: passkeyId });
    expect(reasonOf(await remove(id))).toBe('done');
    expect(reasonOf(await remove(id))).toBe('not_found');
    expect(await list(browser)).toMatchObject({ passkeys: [{ name: 'Phone' }], recoveryCodesLeft: 10 });
    expect(reasonOf(await remove(second.passkey.id))).toBe('done');
    expect(await list(browser)).toEqual({ passkeys: [], recoveryCodesLeft: 0 });
  });

  it('that was removed, or whose account was deleted, opens nothing', async () => {
    const { browser, passkey, id, accountId } = await signUpWithPasskey();
    const signingIn = newBrowser();
    const response = passkey.get(await startSignIn(signingIn));
    await browser.ask('mutation ($id: ID!) { removePasskey(id: $id) }', { id });
    expect(reasonOf(await finishSignIn(signingIn, response))).toBe('invalid_value');
    const other = await signUpWithPasskey();
    const deletion = 'mutation { deleteAccount(input: { password: "a long enough password" }) }';
    expect(reasonOf(await other.browser.ask(deletion))).toBe('done');
    expect(reasonOf(await finishSignIn(signingIn, other.passkey.get(await startSignIn(signingIn))))).toBe(
      'invalid_value',
    );
    expect(await app.query(`SELECT * FROM passkey WHERE account_id IN ('${accountId}', '${other.accountId}')`)).toEqual(
      [],
    );
  });

  it('is what the dangerous asks for; its challenge is of this session and account', async () => {
    const { browser, passkey, email } = await signUpWithPasskey();
    // With a passkey alone the password still signs in; it is no proof for the dangerous.
    const later = newBrowser();
    expect(reasonOf(await later.signIn(email))).toBe('done');
    const dangerous = 'mutation { renewRecoveryCodes }';
    expect((await later.ask(dangerous)).errors?.[0]?.extensions).toMatchObject({
      reason: 'fresh_factor_required',
      proof: 'factor',
    });
    const start = async (of: CookieBrowser) => answerOf<string>(await of.ask('mutation { startPasskeyProof }'));
    const prove = (of: CookieBrowser, response: string) =>
      of.ask('mutation ($input: ProvePasskeyInput!) { provePasskey(input: $input) }', { input: { response } });
    const other = await signUpWithPasskey();
    expect(reasonOf(await prove(later, other.passkey.get(await start(later))))).toBe('invalid_value');
    expect(reasonOf(await prove(later, passkey.get(await start(browser))))).toBe('invalid_value');
    expect(reasonOf(await later.ask(dangerous))).toBe('fresh_factor_required');
    const response = passkey.get(await start(later));
    const both = await Promise.all([prove(later, response), prove(later, response)]);
    expect(both.map(reasonOf).toSorted()).toEqual(['done', 'invalid_value']);
    expect(reasonOf(await later.ask(dangerous))).toBe('done');
    clock.advanceMs(tenMinutesMs);
    expect(reasonOf(await later.ask(dangerous))).toBe('fresh_factor_required');
  });

  it('signs in where an app is asked for after the password, without its code', async () => {
    const { browser, passkey, email } = await signUpWithPasskey();
    const { secret } = answerOf<{ secret: string }>(await browser.ask('mutation { startAuthenticatorApp { secret } }'));
    const code = totpCodeAt(secret, clock.nowMs());
    const confirm = 'mutation ($code: String!) { confirmAuthenticatorApp(input: { code: $code }) }';
    expect(reasonOf(await browser.ask(confirm, { code }))).toBe('done');
    const later = newBrowser();
    expect(reasonOf(await later.signIn(email))).toBe('second_factor_required');
    expect(reasonOf(await finishSignIn(later, passkey.get(await startSignIn(later))))).toBe('done');
  });

  it('is one of twenty at most, and its owner is told of each by mail', async () => {
    const { browser, accountId } = await signUp();
    await app.query(`UPDATE account SET email_verified_at_ms = 1 WHERE id = '${accountId}'`);
    expect(reasonOf(await add(browser, new SoftwarePasskey().create(await begin(browser))))).toBe('done');
    const waiting = new SoftwarePasskey().create(await begin(browser));
    const columns =
      'id, account_id, name, credential_id, credential_hash, public_key, counter, transports, created_at_ms';
    for (let n = 1; n < 20; n += 1) {
      const id = `${accountId}-${n}`;
      await app.query(
        `INSERT INTO passkey (${columns}) VALUES ('${id}', '${accountId}', 'n', '${id}', '${id}', 'k', 0, '', 0)`,
      );
    }
    expect(reasonOf(await add(browser, waiting))).toBe('conflict');
    expect(reasonOf(await browser.ask('mutation { startPasskey }'))).toBe('conflict');
    const [mail] = await app.query(
      `SELECT COUNT(*) AS count FROM notice WHERE account_id = '${accountId}' AND subject_key LIKE 'factor:%'`,
    );
    expect(Number(mail?.count)).toBe(1);
  });
});

describe('The site of passkeys', () => {
  it('needs a name, and is refused at a number in words that name the setting', async () => {
    const { getPasskeySite } = await import('./passkey-site.js');
    expect(getPasskeySite('https://tollgate.example:8443/x')).toEqual({
      rpId: 'tollgate.example',
      origin: 'https://tollgate.example:8443',
    });
    expect(getPasskeySite('http://localhost:8080').rpId).toBe('localhost');
    for (const url of ['http://127.0.0.1:8080', 'http://[::1]:8080']) {
      expect(() => getPasskeySite(url)).toThrow('PUBLIC_URL');
    }
  });
});
