import { totpCodeAt } from '../../factors/totp.js';
import type { FakeClock } from '../../kernel/clock.js';
import { answerOf, type BrowserAnswer, browserPassword, CookieBrowser, reasonOf } from '../../test/cookie-browser.js';
import type { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { FactorApp } from '../../test/factor-app.js';
import { LocalOidcProvider } from '../../test/local-oidc-provider.js';
import { SoftwarePasskey } from '../../test/software-passkey.js';

const publicUrl = 'http://tollgate.test';
const minuteMs = 60_000;

interface SignedInPayload {
  readonly account: { readonly id: string; readonly email: string; readonly emailVerifiedAt: string | null };
}

describeOnEachDatabase('Signing in by another provider', (openTestDatabase) => {
  let provider: LocalOidcProvider;
  let opened: FactorApp;
  let app: TestApp;
  let clock: FakeClock;
  let people = 0;

  beforeAll(async () => {
    provider = await LocalOidcProvider.start(`${publicUrl}/sign-in/callback/local`);
    const more = { ...provider.settings, OIDC_LOCAL_LABEL: 'Local Works', SIGNUPS_PER_HOUR: '1' };
    opened = await FactorApp.start(await openTestDatabase(), Date.now(), more);
    ({ app, clock } = opened);
  });
  afterAll(async () => {
    await opened.close();
    await provider.close();
  });
  beforeEach(() => {
    provider.disturb = () => false;
    people += 1;
    provider.person = {
      sub: `person-${people}`,
      email: `ada-${people}@example.com`,
      email_verified: true,
      name: 'Ada',
    };
  });

  const pathOf = (address: string | null) => String(address).replace(publicUrl, '');
  const startPath = '/sign-in/with/local';
  /** As far as the provider's answer, which no browser has taken to the app yet. */
  const askProvider = async (browser: CookieBrowser, change = (address: string) => address) =>
    pathOf(await provider.visit(change(String(await browser.open(startPath)))));
  const finish = (browser: CookieBrowser) =>
    browser.ask('mutation { finishProviderSignIn { account { id email emailVerifiedAt } } }');
  const signIn = async (browser: CookieBrowser): Promise<BrowserAnswer> => {
    expect(pathOf(await browser.open(await askProvider(browser)))).toBe('/sign-in?with=local');
    return finish(browser);
  };
  const accountOf = (answer: BrowserAnswer) => answerOf<SignedInPayload>(answer).account;
  const messageOf = (answer: BrowserAnswer) => String(answer.errors?.[0]?.message);
  const startLink = (browser: CookieBrowser) => browser.ask('mutation { startIdentityLink(provider: "local") }');
  const finishLink = (browser: CookieBrowser) => browser.ask('mutation { finishIdentityLink { id provider label } }');
  const link = async (browser: CookieBrowser): Promise<string> => {
    const back = await provider.visit(answerOf<string>(await startLink(browser)));
    expect(pathOf(await browser.open(pathOf(back)))).toBe('/settings?linking=local');
    return answerOf<{ id: string }>(await finishLink(browser)).id;
  };
  const unlink = (browser: CookieBrowser, id: string) =>
    browser.ask('mutation ($id: ID!) { unlinkIdentity(id: $id) }', { id });
  const linkedOf = async (browser: CookieBrowser) =>
    answerOf<{ id: string; label: string }[]>(await browser.ask('{ linkedIdentities { id label } }'));
  const isSignedIn = async (browser: CookieBrowser) => (await browser.ask('{ viewer { id } }')).data?.viewer !== null;
  const countAccounts = async () => Number((await app.query('SELECT COUNT(*) AS n FROM account'))[0]?.n);
  const kindsOf = async (accountId: string) =>
    (await app.query(`SELECT kind FROM account_event WHERE account_id = '${accountId}'`)).map(({ kind }) => kind);
  const titlesOf = async (accountId: string) =>
    (await app.query(`SELECT title FROM notice WHERE account_id = '${accountId}'`)).map(({ title }) => title);

  it('makes an account of a verified address, without a password, and signs in to the same one ever after', async () => {
    const first = opened.newBrowser();
    const account = accountOf(await signIn(first));
    expect(account).toMatchObject({ email: provider.person.email, emailVerifiedAt: expect.any(String) });
    expect(await kindsOf(account.id)).toEqual(expect.arrayContaining(['signed_up', 'identity_linked', 'signed_in']));
    // Whatever its address at the provider is by then.
    provider.person = { ...provider.person, email: 'renamed@example.com', email_verified: false };
    expect(accountOf(await signIn(opened.newBrowser())).id).toBe(account.id);
    const removal = `mutation { deleteAccount(input: { password: "${browserPassword}" }) }`;
    expect(messageOf(await first.ask(removal))).toContain('Your account has no password yet.');
    expect(messageOf(await opened.newBrowser().signIn(account.email))).toBe('The e-mail or the password is wrong.');
    expect(answerOf(await first.ask('{ signInProviders { id label startPath } }'))).toEqual([
      { id: 'local', label: 'Local Works', startPath: startPath },
    ]);
  });

  it('takes no address that the provider has not verified, in the same words whether it has an account', async () => {
    await opened.newBrowser().signUp(String(provider.person.email));
    const before = await countAccounts();
    const words: string[] = [];
    for (const email of [provider.person.email, 'unknown@example.com', undefined]) {
      provider.person = { sub: provider.person.sub, ...(email === undefined ? {} : { email }), email_verified: false };
      const browser = opened.newBrowser();
      words.push(messageOf(await signIn(browser)));
      expect(await isSignedIn(browser)).toBe(false);
    }
    expect(new Set(words).size).toBe(1);
    expect(words[0]).toMatch(/^Local Works has not verified an e-mail address of yours\. Have it verified there, or /);
    expect(await countAccounts()).toBe(before);
  });

  it.each([0, 1])(
    'lets nobody in to an account by its address, even a verified one, before its owner has linked the provider (address verified here: %s)',
    async (isVerified) => {
      const owner = opened.newBrowser();
      const email = String(provider.person.email);
      const accountId = await owner.signUp(email);
      if (isVerified) await app.query(`UPDATE account SET email_verified_at_ms = 1 WHERE id = '${accountId}'`);
      const stranger = opened.newBrowser();
      const refused = await signIn(stranger);
      expect(messageOf(refused)).toBe(
        'There is an account with this e-mail address already. Sign in to it as you did before, then link Local Works in its settings.',
      );
      expect(await isSignedIn(stranger)).toBe(false);
      expect(await linkedOf(owner)).toEqual([]);
      clock.advanceMs(11 * minuteMs);
      expect(reasonOf(await startLink(owner))).toBe('fresh_factor_required');
      await owner.ask(`mutation { proveFactor(input: { password: "${browserPassword}" }) }`);
      const id = await link(owner);
      expect(await linkedOf(owner)).toEqual([{ id, label: email }]);
      expect(accountOf(await signIn(stranger)).id).toBe(accountId);
      expect(await kindsOf(accountId)).toContain('identity_linked');
      clock.advanceMs(11 * minuteMs);
      expect(reasonOf(await unlink(owner, id))).toBe('fresh_factor_required');
      await owner.ask(`mutation { proveFactor(input: { password: "${browserPassword}" }) }`);
      expect(reasonOf(await unlink(opened.newBrowser(), id))).not.toBe('done');
      expect(answerOf(await unlink(owner, id))).toBe(true);
      expect(await kindsOf(accountId)).toContain('identity_unlinked');
      const told = isVerified
        ? ['Another way to sign in was linked to your account', 'A way to sign in was unlinked from your account']
        : [];
      expect((await titlesOf(accountId)).filter((title) => /way to sign in/.test(String(title)))).toEqual(told);
      expect(messageOf(await signIn(opened.newBrowser()))).toMatch(/^There is an account/);
    },
  );

  it('takes an answer once, in the browser that began, within ten minutes, with its own state and nonce', async () => {
    const over = '/sign-in?with=local&fault=over';
    const browser = opened.newBrowser();
    const answer = await askProvider(browser);
    expect(pathOf(await opened.newBrowser().open(answer))).toBe(over);
    const other = opened.newBrowser();
    await other.open(startPath);
    expect(pathOf(await other.open(answer))).toBe(over);
    expect(pathOf(await browser.open(answer))).toBe('/sign-in?with=local');
    // The cookie of the sign-in is still there, and its answer was taken.
    expect(pathOf(await browser.open(answer))).toBe(over);
    const wrongState = opened.newBrowser();
    const changed = (await askProvider(wrongState)).replace(/state=[^&]+/, 'state=guessed');
    expect(pathOf(await wrongState.open(changed))).toBe(over);
    const late = opened.newBrowser();
    const lateAnswer = await askProvider(late);
    clock.advanceMs(10 * minuteMs);
    expect(pathOf(await late.open(lateAnswer))).toBe(over);
    const wrongNonce = opened.newBrowser();
    const ofOther = await askProvider(wrongNonce, (url) => url.replace(/nonce=[^&]+/, 'nonce=of-another-sign-in'));
    expect(pathOf(await wrongNonce.open(ofOther))).toBe('/sign-in?with=local&fault=refused');
    const wrongVerifier = opened.newBrowser();
    const challenge = `code_challenge=${'A'.repeat(43)}`;
    const ofAnother = await askProvider(wrongVerifier, (url) => url.replace(/code_challenge=[^&]+/, challenge));
    expect(pathOf(await wrongVerifier.open(ofAnother))).toBe('/sign-in?with=local&fault=refused');
    for (const nobody of [other, wrongState, late, wrongNonce, wrongVerifier]) {
      expect(messageOf(await finish(nobody))).toMatch(
        /^This sign-in took longer than 10 minutes, was finished already/,
      );
      expect(await isSignedIn(nobody)).toBe(false);
    }
  });

  it('begins one session of one proof, however often it is asked for at once, and none ten minutes later', async () => {
    const browser = opened.newBrowser();
    await browser.open(await askProvider(browser));
    const twin = new CookieBrowser(app, '203.0.113.77', { provider: browser.cookie('provider') });
    const outcomes = (await Promise.all([finish(browser), finish(twin)])).map(reasonOf);
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
    const late = opened.newBrowser();
    await late.open(await askProvider(late));
    clock.advanceMs(10 * minuteMs);
    expect(messageOf(await finish(late))).toMatch(/^This sign-in took longer/);
  });

  it('links for the session that began it alone, and an identity to one account', async () => {
    const owner = opened.newBrowser();
    await owner.signUp('grace@example.com');
    const back = pathOf(await provider.visit(answerOf<string>(await startLink(owner))));
    await owner.open(back);
    const thief = opened.newBrowser();
    await thief.signUp('mallory@example.com');
    const planted = new CookieBrowser(app, '203.0.113.78', {
      provider: owner.cookie('provider'),
      sid: thief.cookie('sid'),
    });
    expect(messageOf(await finishLink(planted))).toMatch(/^This sign-in took longer/);
    // Nor does what was begun as a link sign anybody in.
    await owner.open(pathOf(await provider.visit(answerOf<string>(await startLink(owner)))));
    expect(messageOf(await finish(owner))).toMatch(/^This sign-in took longer/);
    await link(owner);
    const again = pathOf(await provider.visit(answerOf<string>(await startLink(thief))));
    await thief.open(again);
    expect(messageOf(await finishLink(thief))).toMatch(/^This sign-in is linked already/);
    expect(await linkedOf(thief)).toEqual([]);
    // Of a deleted account nothing is left, so that the same person may begin anew.
    const removal = `mutation { deleteAccount(input: { password: "${browserPassword}" }) }`;
    expect(answerOf(await owner.ask(removal))).toBe(true);
    expect(accountOf(await signIn(opened.newBrowser())).email).toBe(provider.person.email);
  });

  it('still asks for the second factor of the account', async () => {
    const browser = opened.newBrowser();
    const { id } = accountOf(await signIn(browser));
    const { secret } = answerOf<{ secret: string }>(await browser.ask('mutation { startAuthenticatorApp { secret } }'));
    const confirm = 'mutation ($code: String!) { confirmAuthenticatorApp(input: { code: $code }) }';
    await browser.ask(confirm, { code: totpCodeAt(secret, clock.nowMs()) });
    const elsewhere = opened.newBrowser();
    expect(reasonOf(await signIn(elsewhere))).toBe('second_factor_required');
    expect(await isSignedIn(elsewhere)).toBe(false);
    clock.advanceMs(minuteMs);
    expect(accountOf(await elsewhere.finish(totpCodeAt(secret, clock.nowMs()))).id).toBe(id);
  });

  it('keeps the last way to sign in: a link, a passkey or a password', async () => {
    const browser = opened.newBrowser();
    const { id: accountId } = accountOf(await signIn(browser));
    const [linked] = await linkedOf(browser);
    const words = /^You could no longer sign in\. Set a password first/;
    expect(messageOf(await unlink(browser, String(linked?.id)))).toMatch(words);
    expect(await linkedOf(browser)).toHaveLength(1);
    const options = answerOf<string>(await browser.ask('mutation { startPasskey }'));
    const add = 'mutation ($input: AddPasskeyInput!) { addPasskey(input: $input) { passkey { id } } }';
    const input = { name: 'Laptop', response: new SoftwarePasskey().create(options) };
    const { passkey } = answerOf<{ passkey: { id: string } }>(await browser.ask(add, { input }));
    expect(answerOf(await unlink(browser, String(linked?.id)))).toBe(true);
    const removal = 'mutation ($id: ID!) { removePasskey(id: $id) }';
    expect(messageOf(await browser.ask(removal, passkey))).toMatch(words);
    await app.query(`UPDATE account SET password_hash = 'of a password' WHERE id = '${accountId}'`);
    expect(answerOf(await browser.ask(removal, passkey))).toBe(true);
  });

  it('makes no more accounts of one network than signing up does', async () => {
    const signUpFrom = async (address: string) => {
      people += 1;
      provider.person = { sub: `person-${people}`, email: `ada-${people}@example.com`, email_verified: true };
      return signIn(new CookieBrowser(app, address));
    };
    expect(reasonOf(await signUpFrom('203.0.112.1'))).toBe('done');
    expect(messageOf(await signUpFrom('203.0.112.1'))).toMatch(/^Too many sign-ups from your network/);
  });

  it('leads to the page with the remedy when the person declines, and when the provider fails', async () => {
    const declining = opened.newBrowser();
    const asked = new URL(String(await declining.open(`${startPath}?next=/credits`)));
    const declined = `/sign-in/callback/local?error=access_denied&state=${asked.searchParams.get('state')}&iss=${encodeURIComponent(provider.issuer)}`;
    expect(pathOf(await declining.open(declined))).toBe('/sign-in?with=local&fault=declined&next=%2Fcredits');
    const unlucky = opened.newBrowser();
    const answer = await askProvider(unlucky);
    provider.disturb = (_request, response) => {
      response.writeHead(503, { 'content-type': 'application/json' }).end('{"secret":"of-the-provider"}');
      return true;
    };
    expect(pathOf(await unlucky.open(answer))).toBe('/sign-in?with=local&fault=away');
    expect(messageOf(await unlucky.ask('mutation { finishProviderSignIn { sessionToken } }'))).toMatch(/^This sign-in/);
    // Whatever was done so far, no code, token or secret stands in the log.
    const log = app.logLines.join('');
    expect(log).toContain('sign_in_provider_failed');
    const code = new URLSearchParams(answer.split('?')[1]).get('code');
    for (const secret of [code, provider.clientSecret, 'of-the-provider', unlucky.cookie('provider') || 'none']) {
      expect(log).not.toContain(secret);
    }
  });

  it('begins thirty times of one network in a quarter of an hour, and answers for a provider that nobody has set up as for any wrong address', async () => {
    const eager = opened.newBrowser();
    for (let n = 0; n < 30; n += 1) expect(await eager.open(startPath)).toContain(provider.issuer);
    expect(pathOf(await eager.open(startPath))).toBe('/sign-in?with=local&fault=too_many');
    expect((await fetch(`${app.baseUrl}/sign-in/with/nobody`, { redirect: 'manual' })).status).toBe(404);
  });

  it('begins nothing for a page of another site, but shows the page with the button', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const response = await fetch(`${app.baseUrl}${startPath}?next=/credits`, { redirect: 'manual', headers });
    expect(pathOf(response.headers.get('location'))).toBe('/sign-in?next=%2Fcredits');
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it('binds itself to the browser by a cookie that no script reads and that no other site has sent but on the way back', async () => {
    const response = await fetch(`${app.baseUrl}${startPath}`, { redirect: 'manual' });
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^provider=[\w-]{43}; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/),
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    const { searchParams } = new URL(String(response.headers.get('location')));
    expect(Object.fromEntries(searchParams)).toMatchObject({ code_challenge_method: 'S256', response_type: 'code' });
  });
});
