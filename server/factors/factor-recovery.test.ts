import { createHash, randomBytes } from 'node:crypto';
import type { FakeClock } from '../kernel/clock.js';
import { answerOf, type CookieBrowser, reasonOf } from '../test/cookie-browser.js';
import type { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventuallyFind } from '../test/eventually.js';
import { FactorApp } from '../test/factor-app.js';
import type { FakeSmtp } from '../test/fake-smtp.js';
import { SoftwarePasskey } from '../test/software-passkey.js';
import { totpCodeAt } from './totp.js';

const hourMs = 3_600_000;

describeOnEachDatabase('The way back after all factors were lost', (openTestDatabase) => {
  const opened = FactorApp.forAll(openTestDatabase);
  let app: TestApp;
  let smtp: FakeSmtp;
  let clock: FakeClock;
  let people = 0;

  beforeAll(async () => {
    ({ app, smtp, clock } = opened);
  });

  const newBrowser = () => {
    people += 1;
    return opened.newBrowser();
  };
  /** An account with an app and a passkey, its verified address, and a browser that has entered the password. */
  const loseFactors = async () => {
    const browser = newBrowser();
    const email = `lost-${people}@example.com`;
    const accountId = await browser.signUp(email);
    await app.query(`UPDATE account SET email_verified_at_ms = 1 WHERE id = '${accountId}'`);
    const begun = await browser.ask('mutation { startAuthenticatorApp { secret } }');
    const { secret } = answerOf<{ secret: string }>(begun);
    const confirm = 'mutation ($code: String!) { confirmAuthenticatorApp(input: { code: $code }) }';
    await browser.ask(confirm, { code: totpCodeAt(secret, clock.nowMs()) });
    const options = answerOf<string>(await browser.ask('mutation { startPasskey }'));
    await browser.ask('mutation ($input: AddPasskeyInput!) { addPasskey(input: $input) { recoveryCodes } }', {
      input: { name: 'Laptop', response: new SoftwarePasskey().create(options) },
    });
    const outside = newBrowser();
    await outside.signIn(email);
    return { browser, email, accountId, outside };
  };
  const request = (of: CookieBrowser) => of.ask('mutation { requestFactorRecovery }');
  /** The token of the link that was mailed to this address, once it is there. */
  const readMailedToken = (email: string): Promise<string> =>
    eventuallyFind(() => {
      const mail = smtp.mails.find((text) => text.includes(`To: ${email}`) && text.includes('recover-factors'));
      return /recover-factors#(tgf_[\w-]{43})/.exec(mail?.replace(/=\r?\n/g, '') ?? '')?.[1];
    }, 50);
  /** As if the mail of this moment had left. */
  const mailToken = async (accountId: string): Promise<string> => {
    const token = `tgf_${randomBytes(32).toString('base64url')}`;
    const hash = createHash('sha256').update(token).digest('hex');
    const endsAtMs = clock.nowMs() + 24 * hourMs;
    await app.query(
      `UPDATE factor_recovery SET token_hash = '${hash}', link_ends_at_ms = ${endsAtMs} WHERE account_id = '${accountId}'`,
    );
    return token;
  };
  const start = (token: string, of = newBrowser()) =>
    of.ask('mutation ($token: String!) { startFactorRecovery(token: $token) }', { token });
  const titlesOf = async (accountId: string) => {
    const rows = await app.query(`SELECT title FROM notice WHERE account_id = '${accountId}' ORDER BY id`);
    return rows.map(({ title }) => String(title));
  };

  it('takes the password, a mailed link, and 72 hours: then the password alone signs in, and the owner was told twice', async () => {
    const { email, accountId, outside } = await loseFactors();
    expect(reasonOf(await newBrowser().ask('mutation { requestFactorRecovery }'))).toBe('unauthenticated');
    expect(reasonOf(await request(outside))).toBe('done');
    const token = await readMailedToken(email);
    const stored = JSON.stringify(await app.query('SELECT * FROM factor_recovery'));
    expect(stored).not.toContain(token);
    expect(reasonOf(await start(`${token.slice(0, -4)}AAAA`))).toBe('not_found');
    const both = await Promise.all([start(token), start(token)]);
    expect(both.map(reasonOf).toSorted()).toEqual(['done', 'not_found']);
    expect(reasonOf(await start(token))).toBe('not_found');
    expect(await titlesOf(accountId)).toContain('All second factors of your account will be removed in 72 hours');

    clock.advanceMs(72 * hourMs - 60_000);
    expect(reasonOf(await newBrowser().signIn(email))).toBe('second_factor_required');
    clock.advanceMs(60_000);
    const back = newBrowser();
    // The clock of a database server cannot be moved here, and without it this machine's alone is not believed.
    const isBelieved = app.database.address.kind === 'sqlite';
    expect(reasonOf(await back.signIn(email))).toBe(isBelieved ? 'done' : 'second_factor_required');
    if (!isBelieved) return;
    const { data } = await back.ask(
      '{ factors { authenticatorAppSince recoveryCodesLeft recoveryDueAt passkeys { id } } }',
    );
    const nothing = { authenticatorAppSince: null, recoveryCodesLeft: 0, recoveryDueAt: null, passkeys: [] };
    expect(data).toEqual({ factors: nothing });
    expect(await titlesOf(accountId)).toContain('All second factors were removed from your account');
  }, 60_000);

  it('is shown to every session, and cancelled by each; then the link is worth nothing', async () => {
    const { browser, email, accountId, outside } = await loseFactors();
    await request(outside);
    answerOf(await start(await mailToken(accountId)));
    const due = new Date(clock.nowMs() + 72 * hourMs).toISOString();
    expect((await browser.ask('{ factors { recoveryDueAt } }')).data).toEqual({ factors: { recoveryDueAt: due } });
    expect(reasonOf(await request(outside))).toBe('conflict');
    expect(answerOf(await browser.ask('mutation { cancelFactorRecovery }'))).toBe(true);
    expect(answerOf(await browser.ask('mutation { cancelFactorRecovery }'))).toBe(false);
    clock.advanceMs(73 * hourMs);
    expect(reasonOf(await newBrowser().signIn(email))).toBe('second_factor_required');
  }, 60_000);

  it('has a link that ends after 24 hours, or with the next one, and three of them a day', async () => {
    const { accountId, outside } = await loseFactors();
    await request(outside);
    const first = await mailToken(accountId);
    await request(outside);
    const second = await mailToken(accountId);
    expect(reasonOf(await start(first))).toBe('not_found');
    expect(reasonOf(await request(outside))).toBe('done');
    expect(reasonOf(await request(outside))).toBe('rate_limit_exceeded');
    expect(reasonOf(await start(second))).toBe('not_found');
    const third = await mailToken(accountId);
    clock.advanceMs(24 * hourMs);
    expect(reasonOf(await start(third))).toBe('not_found');
  }, 60_000);

  it('is closed to accounts without a verified address or a factor', async () => {
    const { accountId, outside } = await loseFactors();
    await app.query(`UPDATE account SET email_verified_at_ms = NULL WHERE id = '${accountId}'`);
    expect(reasonOf(await request(outside))).toBe('conflict');
    const without = newBrowser();
    const id = await without.signUp(`without-${people}@example.com`);
    await app.query(`UPDATE account SET email_verified_at_ms = 1 WHERE id = '${id}'`);
    expect(reasonOf(await request(without))).toBe('conflict');
  });
});
