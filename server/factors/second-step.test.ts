import type { FakeClock } from '../kernel/clock.js';
import { answerOf, type CookieBrowser, browserPassword as password, reasonOf } from '../test/cookie-browser.js';
import type { TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { FactorApp } from '../test/factor-app.js';
import { listTableNames } from '../test/table-names.js';
import { totpCodeAt } from './totp.js';

const stepMs = 30_000;

describeOnEachDatabase('A second factor', (openTestDatabase) => {
  let opened: FactorApp;
  let app: TestApp;
  let clock: FakeClock;
  let people = 0;

  beforeAll(async () => {
    // Its clock stands still at the begin of a period of codes.
    opened = await FactorApp.start(await openTestDatabase(), Math.ceil(Date.now() / stepMs) * stepMs);
    ({ app, clock } = opened);
  });
  afterAll(() => opened.close());

  const newBrowser = (cookies?: Readonly<Record<string, string>>) => opened.newBrowser(cookies);
  const signUp = async () => {
    people += 1;
    const email = `factor-${people}@example.com`;
    const browser = newBrowser();
    return { email, browser, accountId: await browser.signUp(email) };
  };
  /** The code of a period that lies so many periods ahead; each is taken once, so a test goes on to the next. */
  const codeOf = (secret: string, ahead = 0) => totpCodeAt(secret, clock.nowMs() + ahead * stepMs);
  /** An account with an app whose code of the period before this one was taken at its confirmation. */
  const signUpWithApp = async () => {
    const person = await signUp();
    const { browser } = person;
    const begun = await browser.ask('mutation { startAuthenticatorApp { secret uri } }');
    const { secret, uri } = answerOf<{ secret: string; uri: string }>(begun);
    const confirmed = await browser.ask(
      'mutation ($code: String!) { confirmAuthenticatorApp(input: { code: $code }) }',
      { code: codeOf(secret, -1) },
    );
    return { ...person, secret, uri, recoveryCodes: answerOf<string[]>(confirmed) };
  };
  it('is asked for after the password: no session begins before the code, and the browser then has one', async () => {
    const { email, secret, uri } = await signUpWithApp();
    expect(uri).toBe(`otpauth://totp/Tollgate:${encodeURIComponent(email)}?${uri.split('?')[1]}`);
    const browser = newBrowser();
    const first = await browser.signIn(email);
    expect(first.errors?.[0]?.extensions).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'second_factor_required' });
    expect(first.data ?? null).toBeNull();
    expect(first.cookies).toEqual([
      expect.stringMatching(/^step=[\w-]{43}; Max-Age=600; Path=\/;.* HttpOnly; SameSite=Strict$/),
    ]);
    expect((await browser.ask('{ viewer { id } }')).data).toEqual({ viewer: null });
    expect(reasonOf(await browser.finish('000000'))).toBe('invalid_value');
    expect(reasonOf(await browser.finish(codeOf(secret)))).toBe('done');
    expect((await browser.ask('{ viewer { email } }')).data).toEqual({ viewer: { email } });
    expect(browser.cookie('step')).toBe('');
  });

  it('is taken with the password at once, so that a script signs in by one request', async () => {
    const { email, secret } = await signUpWithApp();
    expect(reasonOf(await newBrowser().signIn(email, '000000'))).toBe('invalid_value');
    expect(reasonOf(await newBrowser().signIn(email, codeOf(secret)))).toBe('done');
  });

  it('takes each code once, also of twenty at the same moment', async () => {
    const { email, secret } = await signUpWithApp();
    const code = codeOf(secret);
    const answers = await Promise.all(Array.from({ length: 20 }, () => newBrowser().signIn(email, code)));
    // The others were used already, or one too many for the account.
    expect(answers.map(reasonOf).filter((reason) => reason === 'done')).toHaveLength(1);
    expect(reasonOf(await newBrowser().signIn(email, code))).not.toBe('done');
  });

  it('takes no code of an earlier period after a later one, and none of ten minutes ago', async () => {
    const { email, secret, browser } = await signUpWithApp();
    const device = { device: browser.cookie('device') };
    expect(reasonOf(await newBrowser(device).signIn(email, codeOf(secret, 1)))).toBe('done');
    for (const ahead of [0, -1, -20]) {
      expect(reasonOf(await newBrowser(device).signIn(email, codeOf(secret, ahead)))).toBe('invalid_value');
    }
  });

  it('finishes a sign-in in the browser that began it, once, and of two at the same moment once', async () => {
    const { email, recoveryCodes } = await signUpWithApp();
    const [one = '', two = '', three = '', four = ''] = recoveryCodes;
    const browser = newBrowser();
    await browser.signIn(email);
    const step = browser.cookie('step');
    expect(reasonOf(await newBrowser().finish(one))).toBe('unauthenticated');
    expect(reasonOf(await newBrowser({ step: `${step.slice(0, -4)}AAAA` }).finish(one))).toBe('unauthenticated');
    const both = await Promise.all([newBrowser({ step }).finish(one), newBrowser({ step }).finish(two)]);
    expect(both.map(reasonOf).toSorted()).toEqual(['done', 'unauthenticated']);
    expect(reasonOf(await newBrowser({ step }).finish(three))).toBe('unauthenticated');
    // What the step of one account is good for, the code of another does not open.
    const other = await signUpWithApp();
    const again = newBrowser();
    await again.signIn(email);
    expect(reasonOf(await again.finish(codeOf(other.secret)))).toBe('invalid_value');
    expect(reasonOf(await again.finish(other.recoveryCodes[0] ?? ''))).toBe('invalid_value');
    expect(reasonOf(await again.finish(four))).toBe('done');
  });

  it('does not finish a sign-in after ten minutes, nor one whose password was changed meanwhile', async () => {
    const { email, secret, browser, accountId } = await signUpWithApp();
    const late = newBrowser();
    await late.signIn(email);
    clock.advanceMs(10 * 60_000);
    expect(reasonOf(await late.finish(codeOf(secret)))).toBe('unauthenticated');
    await app.query(`UPDATE session SET proved_at_ms = ${clock.nowMs()} WHERE account_id = '${accountId}'`);
    const early = newBrowser();
    await early.signIn(email);
    const changed = await browser.ask('mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }', {
      input: { currentPassword: password, newPassword: 'another long password' },
    });
    expect(reasonOf(changed)).toBe('done');
    expect(reasonOf(await early.finish(codeOf(secret)))).toBe('unauthenticated');
  });

  it('counts the codes of whoever knows the password by account, and locks out neither known browsers nor recovery codes', async () => {
    const { email, secret, browser, recoveryCodes } = await signUpWithApp();
    for (let n = 0; n < 10; n += 1) expect(reasonOf(await newBrowser().signIn(email, '000000'))).toBe('invalid_value');
    expect(reasonOf(await newBrowser().signIn(email, codeOf(secret)))).toBe('rate_limit_exceeded');
    expect(reasonOf(await newBrowser().signIn(email, recoveryCodes[0]))).toBe('done');
    expect(reasonOf(await newBrowser({ device: browser.cookie('device') }).signIn(email, codeOf(secret)))).toBe('done');
  });

  it('has ten recovery codes, each good once and for its own account', async () => {
    const { email, recoveryCodes } = await signUpWithApp();
    const other = await signUpWithApp();
    expect(recoveryCodes).toHaveLength(10);
    expect(new Set(recoveryCodes).size).toBe(10);
    const [code = ''] = recoveryCodes;
    expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
    expect(reasonOf(await newBrowser().signIn(other.email, code))).toBe('invalid_value');
    const typed = ` ${code.toLowerCase().replaceAll('-', ' ')} `;
    const answers = await Promise.all([newBrowser().signIn(email, typed), newBrowser().signIn(email, code)]);
    expect(answers.map(reasonOf).toSorted()).toEqual(['done', 'invalid_value']);
    const guess = code.startsWith('A') ? `B${code.slice(1)}` : `A${code.slice(1)}`;
    expect(reasonOf(await newBrowser().signIn(email, guess))).toBe('invalid_value');
    const signedIn = newBrowser();
    await signedIn.signIn(email, recoveryCodes[1]);
    expect((await signedIn.ask('{ factors { recoveryCodesLeft } }')).data).toEqual({
      factors: { recoveryCodesLeft: 8 },
    });
    const renewed = answerOf<string[]>(await signedIn.ask('mutation { renewRecoveryCodes }'));
    expect(reasonOf(await newBrowser().signIn(email, recoveryCodes[2]))).toBe('invalid_value');
    expect(reasonOf(await newBrowser().signIn(email, renewed[2]))).toBe('done');
  });

  it('lies on the disk encrypted or as hashes, and is not in the log', async () => {
    const { secret, recoveryCodes, accountId } = await signUpWithApp();
    const rows = await Promise.all(listTableNames().map((table) => app.query(`SELECT * FROM ${table}`)));
    const stored = `${JSON.stringify(rows)}\n${app.logLines.join('\n')}`;
    expect(stored).toContain(accountId);
    for (const text of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))]) {
      expect(stored).not.toContain(text);
    }
  });

  it('is asked for nothing before its first code, and an app that was begun anew confirms by its own', async () => {
    const { email, browser } = await signUp();
    const confirm = (code: string) =>
      browser.ask('mutation ($code: String!) { confirmAuthenticatorApp(input: { code: $code }) }', { code });
    expect(reasonOf(await confirm('000000'))).toBe('conflict');
    const start = async () => {
      const begun = await browser.ask('mutation { startAuthenticatorApp { secret } }');
      return answerOf<{ secret: string }>(begun).secret;
    };
    const [old, secret] = [await start(), await start()];
    expect(reasonOf(await confirm(codeOf(old)))).toBe('invalid_value');
    expect(reasonOf(await newBrowser().signIn(email))).toBe('done');
    const both = await Promise.all([confirm(codeOf(secret)), confirm(codeOf(secret, 1))]);
    expect(both.map(reasonOf).toSorted()).toEqual(['conflict', 'done']);
    expect(reasonOf(await browser.ask('mutation { startAuthenticatorApp { secret } }'))).toBe('conflict');
    expect(reasonOf(await newBrowser().signIn(email))).toBe('second_factor_required');
  });

  it('is removed with its recovery codes, and the owner is told by mail of each change', async () => {
    const { email, browser, accountId } = await signUp();
    await app.query(`UPDATE account SET email_verified_at_ms = 1 WHERE id = '${accountId}'`);
    const begun = await browser.ask('mutation { startAuthenticatorApp { secret } }');
    const { secret } = answerOf<{ secret: string }>(begun);
    await browser.ask('mutation ($code: String!) { confirmAuthenticatorApp(input: { code: $code }) }', {
      code: codeOf(secret, -1),
    });
    expect(reasonOf(await browser.ask('mutation { removeAuthenticatorApp }'))).toBe('done');
    expect(reasonOf(await browser.ask('mutation { removeAuthenticatorApp }'))).toBe('not_found');
    expect(reasonOf(await newBrowser().signIn(email))).toBe('done');
    expect((await browser.ask('{ factors { authenticatorAppSince recoveryCodesLeft } }')).data).toEqual({
      factors: { authenticatorAppSince: null, recoveryCodesLeft: 0 },
    });
    const mails = await app.query(
      `SELECT title FROM notice WHERE account_id = '${accountId}' AND subject_key LIKE 'factor:%' ORDER BY id`,
    );
    expect(mails.map(({ title }) => title)).toEqual([
      'An authenticator app was added to your account',
      'The authenticator app was removed from your account',
    ]);
  });

  it('goes with its account, of which nothing is left', async () => {
    const { browser, accountId } = await signUpWithApp();
    expect(reasonOf(await browser.ask(`mutation { deleteAccount(input: { password: "${password}" }) }`))).toBe('done');
    for (const table of ['authenticator_app', 'recovery_code']) {
      expect(await app.query(`SELECT * FROM ${table} WHERE account_id = '${accountId}'`)).toEqual([]);
    }
  });

  describe('asked for anew', () => {
    const tenMinutesMs = 10 * 60_000;
    const prove = (browser: CookieBrowser, input: object) =>
      browser.ask('mutation ($input: ProveFactorInput!) { proveFactor(input: $input) }', { input });
    const dangerous = [
      'mutation { createApiKey(input: { name: "k", scopes: [CHAT, KEYS_WRITE] }) { secret } }',
      'mutation { openBillingPortal }',
      'mutation { startCardSetup { url } }',
      'mutation { startAuthenticatorApp { secret } }',
    ];
    const factorOnly = [
      'mutation { removeAuthenticatorApp }',
      'mutation { renewRecoveryCodes }',
      `mutation { deleteAccount(input: { password: "${password}" }) }`,
      `mutation { changePassword(input: { currentPassword: "${password}", newPassword: "${password}" }) }`,
    ];

    it('is the password where there is no factor: the dangerous waits for it, and goes on for ten minutes', async () => {
      const { browser } = await signUp();
      expect(reasonOf(await browser.ask('mutation { startAuthenticatorApp { secret } }'))).toBe('done');
      clock.advanceMs(tenMinutesMs);
      for (const query of dangerous) {
        const { errors } = await browser.ask(query);
        expect(errors?.[0]?.extensions).toMatchObject({
          code: 'FORBIDDEN',
          reason: 'fresh_factor_required',
          proof: 'password',
        });
      }
      expect(reasonOf(await browser.ask('mutation { createApiKey(input: { name: "k" }) { secret } }'))).toBe('done');
      expect(reasonOf(await prove(browser, { password: 'not this one' }))).toBe('invalid_value');
      expect(reasonOf(await browser.ask('mutation { startAuthenticatorApp { secret } }'))).toBe(
        'fresh_factor_required',
      );
      expect(reasonOf(await prove(browser, { password }))).toBe('done');
      expect(reasonOf(await browser.ask('mutation { startAuthenticatorApp { secret } }'))).toBe('done');
    });

    it('is a code where there is an app: the password is not enough, and a used code is none', async () => {
      const { browser, secret } = await signUpWithApp();
      clock.advanceMs(tenMinutesMs);
      for (const query of [...dangerous, ...factorOnly]) {
        const { errors } = await browser.ask(query);
        expect([query, errors?.[0]?.extensions.reason, errors?.[0]?.extensions.proof]).toEqual([
          query,
          'fresh_factor_required',
          'factor',
        ]);
      }
      expect(reasonOf(await prove(browser, { password }))).toBe('invalid_value');
      const code = codeOf(secret);
      const both = await Promise.all([prove(browser, { code }), prove(browser, { code })]);
      expect(both.map(reasonOf).toSorted()).toEqual(['done', 'invalid_value']);
      expect(reasonOf(await browser.ask('mutation { renewRecoveryCodes }'))).toBe('done');
    });

    it('lets scripts with a session token go on where there is no factor, and asks them where there is one', async () => {
      const account: TestAccount = await app.createAccount(0);
      clock.advanceMs(tenMinutesMs);
      const start = 'mutation { startAuthenticatorApp { secret } }';
      const { startAuthenticatorApp } = await app.graphql<{ startAuthenticatorApp: { secret: string } }>(
        start,
        {},
        account.sessionToken,
      );
      const code = codeOf(startAuthenticatorApp.secret, -1);
      await app.graphql(
        'mutation ($code: String!) { confirmAuthenticatorApp(input: { code: $code }) }',
        { code },
        account.sessionToken,
      );
      clock.advanceMs(tenMinutesMs);
      const asked = app.graphql('mutation { renewRecoveryCodes }', {}, account.sessionToken);
      await expect(asked).rejects.toThrow('fresh_factor_required');
    });

    it('asks no API key, whose scopes say what it may', async () => {
      const { browser } = await signUp();
      const made = await browser.ask(
        'mutation { createApiKey(input: { name: "k", scopes: [KEYS_WRITE, CHAT] }) { secret apiKey { id } } }',
      );
      const { secret, apiKey } = answerOf<{ secret: string; apiKey: { id: string } }>(made);
      clock.advanceMs(tenMinutesMs);
      const rename = 'mutation ($id: ID!) { updateApiKey(id: $id, input: { name: "n", scopes: [KEYS_WRITE] }) { id } }';
      await expect(app.graphql(rename, { id: apiKey.id }, secret)).resolves.toBeDefined();
      expect(reasonOf(await browser.ask(rename, { id: apiKey.id }))).toBe('fresh_factor_required');
    });
  });
});
