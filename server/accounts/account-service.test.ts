import { mock } from 'node:test';
import { openMemoryCounter } from '../kernel/attempt-counter.js';
import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import type { Viewer } from '../kernel/viewer.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { AccountService } from './account-service.js';
import { KnownDevices } from './sign-in/known-devices.js';
import { Passwords, PasswordsBusyError } from './sign-in/passwords.js';
import { SessionService } from './sign-in/session-service.js';
import { noSignInFactors } from './sign-in/sign-in-factors.js';
import { SignInThrottle } from './sign-in/sign-in-throttle.js';
import { openSignUpGate } from './sign-up/sign-up-gate.js';
import { SignUpThrottle } from './sign-up/sign-up-throttle.js';
import { SignupGifts } from './sign-up/signup-gift.js';

const dayMs = 24 * 60 * 60 * 1_000;
const from = { address: '192.0.2.1', userAgent: 'test', deviceTokens: [] };
const ada = { email: 'Ada@Example.com', password: 'correct horse', name: 'Ada', from };

describeOnEachDatabase('AccountService', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let clock: FakeClock;
  let sessions: SessionService;
  let accounts: AccountService;

  const createAccounts = (signupMillicredits: number) => {
    const { unitOfWork } = fixture;
    sessions = new SessionService(unitOfWork, clock);
    const common = { unitOfWork, ledger: fixture.ledger, clock, logger: silentLogger };
    const limits = { perNetworkMax: 3, perHourMax: 100 };
    return new AccountService({
      ...common,
      sessions,
      passwords: new Passwords(),
      throttle: new SignInThrottle(openMemoryCounter),
      devices: new KnownDevices(unitOfWork, clock),
      factors: noSignInFactors,
      verifications: { greet: async () => {}, remind: async () => {} },
      signUpGate: openSignUpGate,
      signUpThrottle: new SignUpThrottle(openMemoryCounter, 20),
      signupGifts: new SignupGifts({ ...common, signupMillicredits, limits }),
    });
  };

  const signIn = (password: string, email = ada.email, address = '192.0.2.1') =>
    accounts.signIn({ email, password, from: { ...from, address } });

  beforeEach(async () => {
    clock = new FakeClock();
    accounts = createAccounts(0);
  });
  afterEach(() => mock.restoreAll());

  it('signs up at once: the account is signed in and has an open, empty wallet', async () => {
    const { account, sessionToken } = await accounts.signUp(ada);
    expect(await sessions.findAccountBySessionToken(sessionToken)).toMatchObject({ accountId: account.id });
    expect(await fixture.findWallet(account.id)).toEqual({ posted: 0, pending: 0 });
    expect(await accounts.findAccount(account.id)).toMatchObject({ email: 'Ada@Example.com', name: 'Ada' });
  });

  it('asks for no name: until one is given, the owner is called as the address is', async () => {
    const { account } = await accounts.signUp({ email: ' Grace.Hopper@example.com', password: ada.password, from });
    expect(account.name).toBe('Grace.Hopper');
    const named = await accounts.signUp({ ...ada, name: null });
    expect(named.account.name).toBe('Ada');
    await expect(accounts.signUp({ ...ada, email: 'b@example.com', name: ' ' })).rejects.toMatchObject({
      param: 'name',
    });
  });

  it('gives the sign-up credits', async () => {
    const { account } = await createAccounts(5_000).signUp(ada);
    expect(await fixture.findWallet(account.id)).toEqual({ posted: 5_000, pending: 0 });
  });

  it('makes one account of many sign-ups at once, however its e-mail is spelled', async () => {
    const spellings = ['ada@example.com', ' ADA@example.com', 'Ada@Example.com ', 'ａda@example.com'];
    const results = await Promise.allSettled(
      [...spellings, ...spellings].map((email) => accounts.signUp({ ...ada, email })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict', param: 'email' });
    }
    expect(await fixture.countRows('account')).toBe(1);
    expect(await fixture.countRows('ledger_account', "kind = 'wallet'")).toBe(1);
  });

  it.each([
    ['email', { email: 'ada' }],
    ['email', { email: '"ada"@example.com' }],
    ['email', { email: 'ada(comment)@example.com' }],
    ['email', { email: 'ada@[192.0.2.1]' }],
    ['email', { email: `${'a'.repeat(190)}@example.com` }],
    ['password', { password: '1234567' }],
    ['password', { password: 'x'.repeat(129) }],
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'a\u0000b' }],
  ])('refuses a sign-up by naming the field %s', async (param, part) => {
    await expect(accounts.signUp({ ...ada, ...part })).rejects.toMatchObject({ code: 'invalid_value', param });
    expect(await fixture.countRows('account')).toBe(0);
  });

  it('accepts a password of 128 characters that fill 512 bytes', async () => {
    const password = `${'😀'.repeat(127)}😎`;
    await accounts.signUp({ ...ada, password });
    expect((await signIn(password)).account.name).toBe('Ada');
  });

  it('lets so many sign up from one network in an hour, and others meanwhile', async () => {
    const signUp = (n: number, address: string) =>
      accounts.signUp({ ...ada, email: `${n}@example.com`, from: { ...from, address } });
    for (let n = 0; n < 20; n += 1) await signUp(n, `2001:db8:1:20${n % 10}::${n}`);
    await expect(signUp(20, '2001:db8:1:2ff::1')).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    await signUp(21, '2001:db8:1:300::1');
    await signUp(22, '192.0.2.77');
  });

  it('signs in with any spelling of the e-mail', async () => {
    const { account } = await accounts.signUp(ada);
    expect((await signIn(ada.password, ' ADA@EXAMPLE.COM')).account.id).toBe(account.id);
  });

  it('answers an unknown e-mail and a wrong password alike', async () => {
    await accounts.signUp(ada);
    const wrongPassword = await signIn('wrong password').catch((error: Error) => error);
    const unknownEmail = await signIn(ada.password, 'eve@example.com').catch((error: Error) => error);
    expect(wrongPassword).toMatchObject({ code: 'unauthenticated', param: null });
    expect(unknownEmail).toEqual(wrongPassword);
  });

  const guess = (n: number, email = ada.email) =>
    signIn('wrong password', email, `198.51.${n >> 8}.${n & 255}`).then(
      () => 'let in',
      (error: { code: string }) => error.code,
    );

  it('lets ten guesses of a network pass and no more, at one account or at many, also side by side', async () => {
    await accounts.signUp(ada);
    const codes = await Promise.all(Array.from({ length: 12 }, () => guess(1)));
    expect(codes.filter((code) => code === 'unauthenticated')).toHaveLength(10);
    expect(codes.filter((code) => code === 'rate_limit_exceeded')).toHaveLength(2);
    for (let n = 0; n < 10; n += 1) expect(await guess(2, `${n}@example.com`)).toBe('unauthenticated');
    expect(await guess(2, 'new@example.com')).toBe('rate_limit_exceeded');
  });

  it('lets the owner in, on a known device and on a new one, whatever strangers try elsewhere', async () => {
    const { deviceTokens } = await accounts.signUp(ada);
    for (let n = 0; n < 10; n += 1) expect(await guess(n)).toBe('unauthenticated');
    expect((await signIn(ada.password)).account.name).toBe('Ada');
    // Even from the network that the guesses come from.
    const from = { address: '198.51.0.3', userAgent: null, deviceTokens };
    for (let n = 0; n < 10; n += 1) await guess(3);
    await expect(signIn(ada.password, ada.email, from.address)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    expect((await accounts.signIn({ ...ada, from })).account.name).toBe('Ada');
  });

  it('lets ten guesses of a known device pass and no more, and knows it for no other account', async () => {
    const { deviceTokens } = await accounts.signUp(ada);
    const { deviceTokens: ofGrace } = await accounts.signUp({ ...ada, email: 'grace@example.com' });
    const from = { address: '192.0.2.1', userAgent: null, deviceTokens };
    const wrong = { ...ada, password: 'wrong password', from };
    for (let n = 0; n < 10; n += 1) {
      await expect(accounts.signIn(wrong)).rejects.toMatchObject({ code: 'unauthenticated' });
    }
    await expect(accounts.signIn({ ...ada, from })).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    for (let n = 0; n < 10; n += 1) await guess(7);
    const foreign = { address: '198.51.0.7', userAgent: null, deviceTokens: ofGrace };
    await expect(accounts.signIn({ ...ada, from: foreign })).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
  });

  it('stores no token of a device, takes none over that it does not know, and keeps those of other accounts', async () => {
    const planted = 'a'.repeat(43);
    const { deviceTokens } = await accounts.signUp({ ...ada, from: { ...from, deviceTokens: [planted] } });
    expect(deviceTokens).toEqual([expect.stringMatching(/^[\w-]{43}$/), planted]);
    expect(JSON.stringify(await fixture.source.query('SELECT * FROM known_device'))).not.toContain(deviceTokens[0]);
    expect(await fixture.countRows('known_device')).toBe(1);
    const again = await accounts.signIn({ ...ada, from: { ...from, deviceTokens } });
    expect(again.deviceTokens).toEqual(deviceTokens);
    const grace = { ...ada, email: 'grace@example.com', from: { ...from, deviceTokens } };
    expect((await accounts.signUp(grace)).deviceTokens).toEqual([expect.any(String), ...deviceTokens]);
    expect(await fixture.countRows('known_device')).toBe(2);
  });

  it('remembers twenty devices of an account, the last used ones', async () => {
    await accounts.signUp(ada);
    for (let n = 0; n < 30; n += 1) {
      clock.advanceMs(1_000);
      await signIn(ada.password);
    }
    expect(await fixture.countRows('known_device')).toBe(20);
    expect(await fixture.countRows('known_device', `created_at_ms > ${clock.nowMs() - 20_000}`)).toBe(20);
  });

  it.each([
    ['a@x.org', 'A@X.ORG.'],
    ['ada@b\u00fccher.de', 'ada@xn--bcher-kva.de'],
  ])('takes %s and %s for one address', async (email, spelling) => {
    const { account } = await accounts.signUp({ ...ada, email });
    await expect(accounts.signUp({ ...ada, email: spelling })).rejects.toMatchObject({ code: 'conflict' });
    expect((await signIn(ada.password, spelling)).account.id).toBe(account.id);
  });

  it.each(['"a"@x.org', 'a(comment)@x.org', 'a@x.org.', 'ada@b\u00fccher.de'])(
    'lets an account in that is on record as %s from earlier days, and makes no second one beside it',
    async (onRecord) => {
      const { account } = await accounts.signUp(ada);
      await fixture.source.query('UPDATE account SET email_normalised = ?', [onRecord]);
      expect((await signIn(ada.password, onRecord)).account.id).toBe(account.id);
      const code = onRecord.startsWith('a@x') || onRecord.startsWith('ada@') ? 'conflict' : 'invalid_value';
      await expect(accounts.signUp({ ...ada, email: onRecord })).rejects.toMatchObject({ code, param: 'email' });
    },
  );

  it('does not count sign-ins that succeed', async () => {
    await accounts.signUp(ada);
    for (let i = 0; i < 12; i += 1) await signIn(ada.password);
  });

  it('counts no sign-up that found no room for its password, and each that was told that its address is taken', async () => {
    mock.method(Passwords.prototype, 'hashPassword', () => Promise.reject(new PasswordsBusyError()));
    for (let n = 0; n < 30; n += 1) await expect(accounts.signUp(ada)).rejects.toThrow(PasswordsBusyError);
    mock.restoreAll();
    await accounts.signUp(ada);
    for (let n = 1; n < 20; n += 1) await expect(accounts.signUp(ada)).rejects.toMatchObject({ code: 'conflict' });
    await expect(accounts.signUp({ ...ada, email: 'eve@example.com' })).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
    });
  });

  it('signs out for good', async () => {
    const { sessionToken } = await accounts.signUp(ada);
    const viewer = await sessions.findAccountBySessionToken(sessionToken);
    await accounts.signOut(viewer as Viewer);
    expect(await sessions.findAccountBySessionToken(sessionToken)).toBeNull();
  });

  it('ends a session that was unused for 7 days, and any after 30', async () => {
    const { sessionToken: idle } = await accounts.signUp(ada);
    const { sessionToken: busy } = await signIn(ada.password);
    for (let day = 0; day < 29; day += 6) {
      expect(await sessions.findAccountBySessionToken(busy)).not.toBeNull();
      clock.advanceMs(6 * dayMs - 1);
    }
    expect(await sessions.findAccountBySessionToken(idle)).toBeNull();
    clock.advanceMs(5);
    expect(await sessions.findAccountBySessionToken(busy)).toBeNull();
    await signIn(ada.password);
    expect(await fixture.countRows('session')).toBe(1);
  });

  it('writes the use of a session down at most once a minute, and stores no token', async () => {
    const { sessionToken } = await accounts.signUp(ada);
    const readUse = async () => {
      await sessions.findAccountBySessionToken(sessionToken);
      const [row] = await fixture.source.query('SELECT * FROM session');
      expect(JSON.stringify(row)).not.toContain(sessionToken);
      return Number(row.last_used_at_ms);
    };
    const first = await readUse();
    clock.advanceMs(59_999);
    expect(await readUse()).toBe(first);
    clock.advanceMs(1);
    expect(await readUse()).toBe(first + 60_000);
  });
});
