import { totpCodeAt } from '../../factors/totp.js';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnMysql, openSqliteDatabase } from '../../test/each-database.js';
import { testSecretsKey } from '../../test/factor-app.js';
import { postGraphql } from '../../test/post-graphql.js';
import { describeOnRedis, PrivateRedis } from '../../test/private-redis.js';

const password = 'a long enough password';
const signUpMutation = 'mutation ($input: SignUpInput!) { signUp(input: $input) { sessionToken } }';
const signInMutation = 'mutation ($input: SignInInput!) { signIn(input: $input) { sessionToken } }';
const redeemMutation = 'mutation ($code: String!) { redeemGiftCode(code: $code) { credits } }';
const resetMutation = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }';
const checkoutMutation = 'mutation { startCheckout(input: { dollars: 5 }) { purchase { id } } }';

const common = { TRUST_PROXY: '1', SIGNUPS_PER_HOUR: '5', SECRETS_KEY: testSecretsKey };

/** What two instances on one store refuse together, and what they let through all the same. */
function defineSharedStrangerTests(openApps: () => readonly TestApp[]): void {
  let people = 0;
  const here = () => openApps()[0] as TestApp;
  const there = () => openApps()[1] as TestApp;
  const ask = async (app: TestApp, query: string, variables: object, from: string, token = '') => {
    const response = await postGraphql(
      app.baseUrl,
      { query, variables },
      { 'x-forwarded-for': from, authorization: `Bearer ${token}` },
    );
    return (await response.json()) as {
      data: Record<string, { sessionToken: string }> | null;
      errors?: { extensions: { code: string } }[];
    };
  };
  const codeOf = async (...question: Parameters<typeof ask>) =>
    (await ask(...question)).errors?.[0]?.extensions.code ?? 'let through';
  const signUp = (app: TestApp, from: string, email?: string) => {
    people += 1;
    const input = { email: email ?? `stranger-${people}@example.com`, password, name: 'A Person' };
    return ask(app, signUpMutation, { input }, from);
  };

  it('keys that nobody has: 60 of a network in a minute, and good keys from there pass', async () => {
    const account = await here().createAccount(5);
    const call = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] };
    const from = { 'x-forwarded-for': '198.51.100.1' };
    const secret = `${account.secret.slice(0, -4)}0000`;
    const statuses: number[] = [];
    for (let n = 0; n < 30; n += 1) {
      const answers = await Promise.all([here(), there()].map((app) => app.call(secret, call, undefined, from)));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses).toEqual(Array(60).fill(401));
    for (const app of [here(), there()]) {
      const refused = await app.call(secret, call, undefined, from);
      expect([refused.status, refused.headers.get('x-ratelimit-remaining-requests')]).toEqual([429, '0']);
      expect(Number(refused.headers.get('retry-after-ms'))).toBeGreaterThan(0);
      expect((await app.call(account.secret, call, undefined, from)).status).toBe(200);
      const elsewhere = { 'x-forwarded-for': '198.51.100.2' };
      expect((await app.call(secret, call, undefined, elsewhere)).status).toBe(401);
    }
  });

  it('wrong passwords: ten of a network, and the owner signs in from elsewhere', async () => {
    const email = 'guessed@example.com';
    await signUp(here(), '192.0.2.1', email);
    const guess = (app: TestApp, attempt: string, from = '203.0.113.1') =>
      codeOf(app, signInMutation, { input: { email, password: attempt } }, from);
    for (let n = 0; n < 10; n += 1) expect(await guess(n % 2 ? here() : there(), 'wrong')).toBe('UNAUTHENTICATED');
    expect([await guess(here(), password), await guess(there(), password)]).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
    expect(await guess(there(), password, '203.0.113.99')).toBe('let through');
  });

  it('sign-ups: as many of a network in an hour as the setting says', async () => {
    const codes: string[] = [];
    for (let n = 0; n < 7; n += 1) {
      const { errors } = await signUp(n % 2 ? here() : there(), '192.0.2.77');
      codes.push(errors?.[0]?.extensions.code ?? 'let through');
    }
    expect(codes).toEqual([...Array(5).fill('let through'), 'RATE_LIMITED', 'RATE_LIMITED']);
  });

  it('requests for new passwords: five of a network for an address in an hour, known or not', async () => {
    await signUp(here(), '192.0.2.41', 'forgetful@example.com');
    const tryOften = async (email: string, from: string) => {
      const codes: string[] = [];
      for (let n = 0; n < 7; n += 1) {
        codes.push(await codeOf(n % 2 ? here() : there(), resetMutation, { input: { email } }, from));
      }
      return codes;
    };
    const known = await tryOften('forgetful@example.com', '192.0.2.42');
    expect(known).toEqual([...Array(5).fill('let through'), 'RATE_LIMITED', 'RATE_LIMITED']);
    expect(await tryOften('nobody-at-all@example.com', '192.0.2.43')).toEqual(known);
    // Of the five requests for an address only one is to be mailed; whether it has an account is looked up when the mail leaves.
    const asked = await here().query("SELECT id FROM account_link WHERE purpose = 'reset_password'");
    // The row of the address that nobody has goes when its mail would have left, which may be now.
    expect([1, 2]).toContain(asked.length);
  });

  it('gift codes: ten wrong ones of an account in an hour', async () => {
    const { data } = await signUp(here(), '192.0.2.20');
    const token = data?.signUp?.sessionToken;
    const codes: string[] = [];
    for (let n = 0; n < 11; n += 1) {
      codes.push(await codeOf(n % 2 ? here() : there(), redeemMutation, { code: 'ABCDE-FGHJK' }, '192.0.2.20', token));
    }
    expect(codes).toEqual([...Array(10).fill('NOT_FOUND'), 'RATE_LIMITED']);
  });

  it('codes of apps: ten wrong ones of an account, whatever networks they come from, and a recovery code is the owner’s way in', async () => {
    const email = 'with-an-app@example.com';
    const token = (await signUp(here(), '192.0.2.50', email)).data?.signUp?.sessionToken;
    const askHere = async (query: string, variables: object = {}) =>
      Object.values((await ask(here(), query, variables, '192.0.2.50', token)).data ?? {})[0] as unknown;
    const { secret } = (await askHere('mutation { startAuthenticatorApp { secret } }')) as { secret: string };
    const confirm = 'mutation ($code: String!) { confirmAuthenticatorApp(input: { code: $code }) }';
    const [recoveryCode] = (await askHere(confirm, { code: totpCodeAt(secret, Date.now()) })) as string[];
    const enter = (app: TestApp, code: string | undefined, n: number) =>
      codeOf(app, signInMutation, { input: { email, password, code } }, `203.0.113.${100 + n}`);
    for (let n = 0; n < 10; n += 1) expect(await enter(n % 2 ? here() : there(), '000000', n)).toBe('BAD_USER_INPUT');
    const right = totpCodeAt(secret, Date.now());
    expect([await enter(here(), right, 10), await enter(there(), right, 11)]).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
    expect(await enter(there(), recoveryCode, 12)).toBe('let through');
  });

  it('what an account changes: sixty checkouts in an hour', async () => {
    const { data } = await signUp(there(), '192.0.2.30');
    const token = data?.signUp?.sessionToken;
    const checkout = (app: TestApp) => codeOf(app, checkoutMutation, {}, '192.0.2.30', token);
    // One on each at a time: where Redis takes three seconds to answer, as on a machine that is overloaded by sixty at once, each process
    // counts by itself, and lets through as many as it has not heard of.
    const codes: string[] = [];
    for (let n = 0; n < 31; n += 1) codes.push(...(await Promise.all([checkout(here()), checkout(there())])));
    expect(codes.filter((code) => code === 'let through')).toHaveLength(60);
    expect(await checkout(here())).toBe('RATE_LIMITED');
  });
}

describeOnRedis('Two instances with REDIS_URL', () => {
  let redis: PrivateRedis;
  let apps: readonly TestApp[];
  beforeAll(async () => {
    redis = await PrivateRedis.start();
    apps = await TestApp.startTwo(await openSqliteDatabase(), { ...common, REDIS_URL: redis.url.reveal() });
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
    await redis.kill();
  });

  defineSharedStrangerTests(() => apps);

  it('Redis stands still: strangers are still told apart, good callers and owners still come in', async () => {
    const [app] = apps as [TestApp];
    const account = await app.createAccount(5);
    const call = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] };
    redis.freeze();
    try {
      for (let n = 0; n < 5; n += 1) expect((await app.call(account.secret, call)).status).toBe(200);
      expect((await app.call(`${account.secret.slice(0, -4)}0000`, call)).status).toBe(401);
      const signedIn = await postGraphql(
        app.baseUrl,
        {
          query: signUpMutation,
          variables: { input: { email: 'in-the-cold@example.com', password, name: 'A Person' } },
        },
        { 'x-forwarded-for': '192.0.2.90' },
      );
      expect(JSON.stringify(await signedIn.json())).toContain('sessionToken');
    } finally {
      redis.thaw();
    }
  });
});

describeOnMysql('Two instances without Redis', (openTestDatabase) => {
  let apps: readonly TestApp[];
  beforeAll(async () => {
    apps = await TestApp.startTwo(await openTestDatabase(), common);
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
  });

  defineSharedStrangerTests(() => apps);
});
