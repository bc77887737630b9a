import { openTopUpPayers } from '../composition/open-top-up-payers.js';
import { openMemoryCounter } from '../kernel/attempt-counter.js';
import { FakeClock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { silentLogger } from '../kernel/logger.js';
import { toMillicredits } from '../kernel/millicredits.js';
import type { Viewer } from '../kernel/viewer.js';
import { OneProcessKeyChanges } from '../keys/changes/key-changes.js';
import { Memberships } from '../members/memberships.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { endingWith, holdOf, LedgerFixture } from '../test/ledger-fixture.js';
import { AccountService } from './account-service.js';
import { AccountSettings } from './account-settings.js';
import { KnownDevices } from './sign-in/known-devices.js';
import { Passwords } from './sign-in/passwords.js';
import { SessionService } from './sign-in/session-service.js';
import { noSignInFactors } from './sign-in/sign-in-factors.js';
import { SignInThrottle } from './sign-in/sign-in-throttle.js';
import { openSignUpGate } from './sign-up/sign-up-gate.js';
import { SignUpThrottle } from './sign-up/sign-up-throttle.js';
import { SignupGifts } from './sign-up/signup-gift.js';

const from = { address: '192.0.2.1', userAgent: 'Firefox\n', deviceTokens: [] };
const ada = { email: 'ada@example.com', password: 'correct horse', name: 'Ada', from };

describeOnEachDatabase('AccountSettings', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let sessions: SessionService;
  let accounts: AccountService;
  let settings: AccountSettings;
  let viewer: Viewer;

  const proof = (password: string) => ({ viewer, password, address: from.address });
  const signIn = (password: string) => accounts.signIn({ ...ada, password });
  const isAlive = async (token: string) => (await sessions.findAccountBySessionToken(token)) !== null;

  const makeKey = async () => {
    const keyId = createId('key');
    await fixture.source.query(
      `INSERT INTO api_key (id, account_id, name, secret_hash, masked_secret, created_at_ms, scopes, revision) VALUES ('${keyId}', '${viewer.accountId}', 'k', '${keyId}', 'm', 0, 'chat', 0)`,
    );
    return keyId;
  };
  const placeHold = (callId: string, keyId: string) =>
    fixture.ledger.placeHold(holdOf({ accountId: viewer.accountId, keyId }, 100, { callId }));

  beforeEach(async () => {
    const { unitOfWork } = fixture;
    const clock = new FakeClock();
    sessions = new SessionService(unitOfWork, clock);
    const owners = {
      unitOfWork,
      sessions,
      passwords: new Passwords(),
      throttle: new SignInThrottle(openMemoryCounter),
      clock,
    };
    const { ledger } = fixture;
    const limits = { perNetworkMax: 100, perHourMax: 100 };
    const giftParts = { unitOfWork, ledger, clock, logger: silentLogger, signupMillicredits: 1_000, limits };
    const signupGifts = new SignupGifts(giftParts);
    const devices = new KnownDevices(unitOfWork, clock);
    const verifications = { greet: async () => {}, remind: async () => {} };
    const signUpThrottle = new SignUpThrottle(openMemoryCounter, 10);
    accounts = new AccountService({
      ...owners,
      factors: noSignInFactors,
      devices,
      verifications,
      signUpThrottle,
      signUpGate: openSignUpGate,
      signupGifts,
    });
    const keyChanges = new OneProcessKeyChanges(clock);
    const payers = openTopUpPayers({ outbox: { put: async () => false }, clock, publicUrl: 'http://tollgate.test' });
    const members = new Memberships({ unitOfWork, clock, keyChanges, payers });
    settings = new AccountSettings({ ...owners, ledger, keyChanges, members });
    const { sessionToken } = await accounts.signUp(ada);
    viewer = (await sessions.findAccountBySessionToken(sessionToken)) as Viewer;
  });

  it('changes the password and ends every other session, and no other account’s', async () => {
    const eve = await accounts.signUp({ ...ada, email: 'eve@example.com' });
    const { sessionToken: other } = await signIn(ada.password);
    await settings.changePassword(proof(ada.password), 'a brand new one');
    expect([await isAlive(other), await isAlive(eve.sessionToken)]).toEqual([false, true]);
    expect(await sessions.findRunning(viewer.sessionId)).not.toBeNull();
    await expect(signIn(ada.password)).rejects.toMatchObject({ code: 'unauthenticated' });
    await signIn('a brand new one');
  });

  it('lets no sign-in with the old password slip in beside the change', async () => {
    const attempts = [1, 2, 3].map(() => signIn(ada.password));
    const [, ...tokens] = await Promise.allSettled([
      settings.changePassword(proof(ada.password), 'a brand new one'),
      ...attempts,
    ]);
    for (const result of tokens) {
      if (result.status === 'fulfilled') expect(await isAlive(result.value.sessionToken)).toBe(false);
    }
    expect(await fixture.countRows('session')).toBe(1);
  });

  it('names the field of a wrong or weak password, and slows down who tries many', async () => {
    await expect(settings.changePassword(proof('nope nope'), 'a brand new one')).rejects.toMatchObject({
      code: 'invalid_value',
      param: 'currentPassword',
    });
    await expect(settings.changePassword(proof(ada.password), 'short')).rejects.toMatchObject({ param: 'newPassword' });
    for (let n = 0; n < 9; n += 1) {
      await expect(settings.deleteAccount(proof('nope nope'))).rejects.toMatchObject({ param: 'password' });
    }
    await expect(settings.deleteAccount(proof(ada.password))).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
  });

  it('lets strangers’ wrong passwords keep no owner from changing the password', async () => {
    const address = from.address;
    for (let n = 0; n < 12; n += 1) {
      const guess = accounts.signIn({ ...ada, password: 'nope nope', from: { ...from, address } });
      await expect(guess).rejects.toThrow();
    }
    await settings.changePassword(proof(ada.password), 'a brand new one');
  });

  it('forgets the devices of an account whose password was changed, and of one that was deleted', async () => {
    expect(await fixture.countRows('known_device')).toBe(1);
    await settings.changePassword(proof(ada.password), 'a brand new one');
    expect(await fixture.countRows('known_device')).toBe(0);
    await signIn('a brand new one');
    await settings.deleteAccount(proof('a brand new one'));
    expect(await fixture.countRows('known_device')).toBe(0);
  });

  it('renews a session’s token: the old one is worth nothing', async () => {
    const { sessionToken } = await signIn(ada.password);
    const { sessionId } = (await sessions.findAccountBySessionToken(sessionToken)) as Viewer;
    const renewed = await sessions.renewToken(sessionId);
    expect([await isAlive(sessionToken), await isAlive(renewed)]).toEqual([false, true]);
  });

  it('lists the running sessions and ends one, all, and never a stranger’s', async () => {
    const { account, sessionToken } = await accounts.signUp({ ...ada, email: 'eve@example.com' });
    const eve = (await sessions.findAccountBySessionToken(sessionToken)) as Viewer;
    await signIn(ada.password);
    const listed = await sessions.listSessions(viewer.accountId);
    expect(listed.map(({ userAgent }) => userAgent)).toEqual(['Firefox', 'Firefox']);
    expect(await sessions.endSession({ ...eve, accountId: viewer.accountId })).toBe(false);
    expect(await isAlive(sessionToken)).toBe(true);
    expect(await sessions.endSession(viewer)).toBe(true);
    expect(await sessions.endSession(viewer)).toBe(false);
    expect(await sessions.endAllSessions(viewer.accountId)).toBe(1);
    expect(await sessions.listSessions(account.id)).toHaveLength(1);
  });

  it('renames', async () => {
    expect(await settings.rename(viewer.accountId, ' Ada L. ')).toMatchObject({ name: 'Ada L.' });
    await expect(settings.rename(viewer.accountId, ' ')).rejects.toMatchObject({ param: 'name' });
    await expect(settings.rename(viewer.accountId, '\u3164')).rejects.toMatchObject({ param: 'name' });
  });

  it('deletes an account: a running call is billed, no new one begins, and nothing tells who it was', async () => {
    const { accountId } = viewer;
    const keyId = await makeKey();
    const running = createId('call');
    await fixture.source.query(
      `INSERT INTO auto_top_up (account_id, is_on, threshold_millicredits, amount_cents, monthly_cap_cents, card_id, failures_in_a_row, revision) VALUES ('${accountId}', true, 1, 500, 500, 'pm_ada', 0, 0)`,
    );
    await fixture.source.query(
      `INSERT INTO balance_alert (account_id, threshold_millicredits, is_by_email, is_armed) VALUES ('${accountId}', 1, true, true)`,
    );
    await fixture.source.query(
      `INSERT INTO notice (id, subject_key, account_id, channel, recipient, title, body, state, attempts, due_at_ms, created_at_ms) VALUES ('note_1', 'k', '${accountId}', 'email', 'ada@example.com', 't', 'b', 'sent', 1, 0, 0)`,
    );
    await fixture.source.query(
      `INSERT INTO notice_read (account_id, person_id, read_until_ms) VALUES ('${accountId}', 'acct_other', 1), ('acct_other', '${accountId}', 1)`,
    );
    await fixture.source.query(
      `INSERT INTO email_verification (id, account_id, address_hash, created_at_ms) VALUES ('veri_1', '${accountId}', 'h', 0)`,
    );
    expect(await placeHold(running, keyId)).toMatchObject({ status: 'held' });
    await settings.deleteAccount(proof(ada.password));

    expect(await placeHold(createId('call'), keyId)).toMatchObject({ status: 'refused', reason: 'wallet_not_open' });
    expect(await readWalletState()).toBe('closing');
    const ending = endingWith(30, 40);
    expect(await fixture.ledger.settleHold({ callId: running, accountId, ending })).toMatchObject({
      chargedMillicredits: 70,
    });
    expect(await readWalletState()).toBe('closed');
    expect(await fixture.findWallet(accountId)).toEqual({ posted: 930, pending: 0 });
    expect(await fixture.countRows('session')).toBe(0);
    expect(await fixture.countRows('api_key', 'revoked_at_ms IS NULL')).toBe(0);
    expect(await fixture.countRows('auto_top_up', 'is_on OR card_id IS NOT NULL')).toBe(0);
    expect(await fixture.countRows('balance_alert')).toBe(0);
    expect(await fixture.countRows('notice')).toBe(0);
    expect(await fixture.countRows('notice_read')).toBe(0);
    expect(await fixture.countRows('email_verification')).toBe(0);
    const [row] = await fixture.source.query(`SELECT * FROM account WHERE id = '${accountId}'`);
    expect(JSON.stringify(row)).not.toMatch(/ada/i);
    expect(Number(row.closed_at_ms)).toBeGreaterThan(0);
    await expect(signIn(ada.password)).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(accounts.signIn({ ...ada, email: row.email_normalised })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  it('lets the same e-mail sign up again, without a second gift', async () => {
    await settings.deleteAccount(proof(ada.password));
    const { account } = await accounts.signUp(ada);
    expect(account.id).not.toBe(viewer.accountId);
    expect(await fixture.findWallet(account.id)).toEqual({ posted: 0, pending: 0 });
  });

  it('books what is paid or paid back after the account was deleted', async () => {
    const { accountId } = viewer;
    await settings.deleteAccount(proof(ada.password));
    const amountMillicredits = toMillicredits(500);
    const back = { transferId: 'dispute:late', type: 'dispute_reversal', accountId, amountMillicredits } as const;
    expect(await fixture.ledger.grantCredits(back)).toMatchObject({ status: 'granted' });
    const refund = { transferId: 'refund:late', type: 'adjustment', accountId, amountMillicredits } as const;
    expect(await fixture.ledger.reverseGrant(refund)).toMatchObject({ status: 'granted' });
    const dispute = { accountId, state: 'frozen', reason: 'dispute' } as const;
    expect(await fixture.ledger.setWalletState(dispute)).toMatchObject({ status: 'refused' });
    expect(await fixture.ledger.setWalletState({ ...dispute, state: 'open' })).toMatchObject({ status: 'refused' });
    expect(await readWalletState()).toBe('closed');
  });

  async function readWalletState(): Promise<string> {
    const [row] = await fixture.source.query(`SELECT state FROM ledger_account WHERE id = '${viewer.accountId}'`);
    return row.state;
  }
});
