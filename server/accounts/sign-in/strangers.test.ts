import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { FakeSmtp } from '../../test/fake-smtp.js';
import { postGraphql } from '../../test/post-graphql.js';

const password = 'a long enough password';
const signUpMutation =
  'mutation ($input: SignUpInput!) { signUp(input: $input) { sessionToken account { id emailVerifiedAt } } }';
const signInMutation = 'mutation ($input: SignInInput!) { signIn(input: $input) { account { id } } }';

interface Answer {
  readonly data?: Record<string, Record<string, unknown>>;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

describeOnEachDatabase('What a stranger can do who knows an e-mail address', (openTestDatabase) => {
  let smtp: FakeSmtp;
  beforeAll(async () => {
    smtp = await FakeSmtp.start();
  });
  const app = TestApp.forAll(openTestDatabase, () => ({
    TRUST_PROXY: '1',
    SMTP_URL: smtp.url,
    MAIL_FROM: 'no-reply@tollgate.test',
  }));
  afterAll(() => smtp.close());

  const ask = async (query: string, variables: object, headers: Record<string, string> = {}) => {
    const response = await postGraphql(app.baseUrl, { query, variables }, headers);
    return { answer: (await response.json()) as Answer, cookies: response.headers.getSetCookie() };
  };
  const signUp = async (email: string, address = '192.0.2.1') => {
    const input = { email, password, name: 'A Person' };
    const { answer, cookies } = await ask(signUpMutation, { input }, { 'x-forwarded-for': address });
    const signedUp = answer.data?.signUp as { sessionToken: string; account: { id: string; emailVerifiedAt: unknown } };
    return { ...signedUp, cookies };
  };
  const signIn = async (email: string, attempt: string, headers: Record<string, string>) => {
    const { answer } = await ask(signInMutation, { input: { email, password: attempt } }, headers);
    return answer.errors?.[0]?.extensions.code ?? 'let in';
  };
  const listMails = (accountId: string) =>
    app.query(`SELECT title, recipient FROM notice WHERE channel = 'email' AND account_id = '${accountId}'`);

  it('keeps the owner’s known browser out with no number of wrong passwords, even from the same network', async () => {
    const { cookies } = await signUp('owner@example.com');
    const cookie = cookies.find((one) => one.startsWith('device=')) ?? '';
    expect(cookie).toMatch(/^device=[\w-]{43}; Max-Age=34560000; Path=\/;.* HttpOnly; SameSite=Strict$/);
    const here = { 'x-forwarded-for': '192.0.2.1' };
    for (let n = 0; n < 12; n += 1) await signIn('owner@example.com', 'wrong password', here);
    expect(await signIn('owner@example.com', password, here)).toBe('RATE_LIMITED');
    expect(await signIn('owner@example.com', password, { 'x-forwarded-for': '203.0.113.9' })).toBe('let in');
    expect(await signIn('owner@example.com', password, { ...here, cookie: String(cookie.split(';')[0]) })).toBe(
      'let in',
    );
  });

  it('is told the same of a known and an unknown address, attempt by attempt', async () => {
    await signUp('known@example.com');
    const tryAll = async (email: string, address: string) => {
      const codes: string[] = [];
      for (let n = 0; n < 12; n += 1) codes.push(await signIn(email, 'wrong password', { 'x-forwarded-for': address }));
      return codes;
    };
    const known = await tryAll('known@example.com', '198.51.100.1');
    expect(await tryAll('unknown@example.com', '198.51.100.2')).toEqual(known);
    expect(known).toEqual([...Array(10).fill('UNAUTHENTICATED'), 'RATE_LIMITED', 'RATE_LIMITED']);
  });

  it('cannot sign in unseen: the owner is told of a device that was not known, once a day for one without cookies', async () => {
    const { account, cookies } = await signUp('watched@example.com');
    const from = { 'x-forwarded-for': '203.0.113.50', 'user-agent': 'Firefox/1' };
    await signIn('watched@example.com', password, from);
    const told = async () =>
      (await listMails(account.id)).filter(({ title }) => String(title).startsWith('A new device'));
    expect(await told()).toEqual([]);
    await app.query(`UPDATE account SET email_verified_at_ms = 1 WHERE id = '${account.id}'`);
    const cookie = String(cookies.find((one) => one.startsWith('device='))?.split(';')[0]);
    await signIn('watched@example.com', password, { ...from, cookie });
    expect(await told()).toEqual([]);
    for (let n = 0; n < 3; n += 1) await signIn('watched@example.com', password, from);
    expect(await told()).toHaveLength(1);
    await signIn('watched@example.com', password, { ...from, 'x-forwarded-for': '203.0.113.51' });
    expect(await told()).toHaveLength(2);
  });

  it('has nothing queued to the address but its verification, however often the alert is switched off and on', async () => {
    const { sessionToken, account } = await signUp('victim@example.com');
    const headers = { authorization: `Bearer ${sessionToken}` };
    expect(account.emailVerifiedAt).toBeNull();
    for (let round = 0; round < 40; round += 1) {
      const input = { threshold: round % 2 ? null : 1_000, email: true };
      await ask(
        'mutation ($input: BalanceAlertInput!) { setBalanceAlert(input: $input) { threshold } }',
        { input },
        headers,
      );
    }
    expect(await listMails(account.id)).toEqual([
      { title: 'Verify your e-mail address', recipient: 'victim@example.com' },
    ]);
  });

  it('cannot keep the owner from proving the address by the mail, and from then on being told', async () => {
    const { sessionToken, account } = await signUp('proven@example.com');
    const headers = { authorization: `Bearer ${sessionToken}` };
    const input = { threshold: 1_000, email: true };
    await ask(
      'mutation ($input: BalanceAlertInput!) { setBalanceAlert(input: $input) { threshold } }',
      { input },
      headers,
    );
    const findMail = () => smtp.mails.find((mail) => mail.includes('proven@example.com') && mail.includes('tgv_'));
    await eventually(() => findMail() !== undefined, 50);
    const text = String(findMail()).replace(/=\r?\n/g, '');
    const token = /tgv_[\w-]{43}/.exec(text)?.[0];
    const { answer } = await ask('mutation ($token: String!) { verifyEmail(token: $token) }', { token });
    expect(answer.data).toEqual({ verifyEmail: true });
    const viewer = await ask('{ viewer { emailVerifiedAt isMailSent } }', {}, headers);
    expect(viewer.answer.data?.viewer?.isMailSent).toBe(true);
    expect(viewer.answer.data?.viewer?.emailVerifiedAt).toMatch(/^20\d\d-/);
    await eventually(async () => (await listMails(account.id)).length >= 2, 20);
    expect((await listMails(account.id)).map(({ title }) => title)).toContain('Your balance is below 1,000 credits');
    expect(app.logLines.join('')).not.toContain('tgv_');
  }, 30_000);
});
