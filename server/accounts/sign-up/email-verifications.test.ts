import { FakeClock } from '../../kernel/clock.js';
import { silentLogger } from '../../kernel/logger.js';
import type { LinkMail } from '../../kernel/texts/mail.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { refusedFor } from '../../test/refused-for.js';
import { EmailVerifications } from './email-verifications.js';

const dayMs = 24 * 60 * 60_000;
const owners = 'SELECT id, email, email_normalised AS emailNormalised FROM account';

describeOnEachDatabase('verifying an e-mail address', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let clock: FakeClock;
  let mails: LinkMail[];
  let verified: string[];
  let verifications: EmailVerifications;

  beforeEach(async () => {
    clock = new FakeClock();
    mails = [];
    verified = [];
    verifications = new EmailVerifications({
      unitOfWork: fixture.unitOfWork,
      clock,
      logger: silentLogger,
      publicUrl: 'http://tollgate.test',
      outbox: { put: async (_transaction, mail) => mails.push(mail) > 0 },
      onVerified: (accountId) => void verified.push(accountId),
    });
  });

  const createAccount = async (email: string) => {
    const { accountId } = await fixture.createFundedAccount(0);
    await fixture.source.query('UPDATE account SET email = ? WHERE id = ?', [email, accountId]);
    const [account] = await fixture.source.query(`${owners} WHERE id = ?`, [accountId]);
    return account as { id: string; email: string; emailNormalised: string };
  };
  const greet = async (email = 'ada@example.com') => {
    const account = await createAccount(email);
    await verifications.greet(account);
    return account;
  };
  const tokenOf = async (linkId = mails.at(-1)?.linkId) =>
    String(
      /^http:\/\/tollgate\.test\/verify-email#(tgv_[\w-]{43})$/.exec(
        String(await verifications.createLink(String(linkId))),
      )?.[1],
    );
  const isVerified = (id: string) =>
    fixture.countRows('account', `id = '${id}' AND email_verified_at_ms IS NOT NULL`).then((count) => count === 1);
  const invalid = { code: 'not_found', param: 'token' };

  it('takes the token of the mailed link once, and stores nothing but its hash', async () => {
    const { id } = await greet();
    expect(mails).toMatchObject([{ recipient: 'ada@example.com', accountId: id }]);
    const token = await tokenOf();
    expect(
      JSON.stringify(mails) + JSON.stringify(await fixture.source.query('SELECT * FROM email_verification')),
    ).not.toContain(token);
    expect(await isVerified(id)).toBe(false);
    const takers = await Promise.allSettled([1, 2, 3, 4].map(() => verifications.verify(token)));
    expect(takers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await isVerified(id)).toBe(true);
    expect(verified).toEqual([id]);
    await expect(verifications.verify(token)).rejects.toMatchObject(invalid);
  });

  it.each(['', 'tgv_', `tgv_${'a'.repeat(43)}`, "' OR 1=1 --"])('takes no other token, such as %j', async (token) => {
    await greet();
    await tokenOf();
    await expect(verifications.verify(token)).rejects.toMatchObject(invalid);
  });

  it('takes a token for 24 hours after its mail left', async () => {
    const { id } = await greet();
    clock.advanceMs(dayMs);
    const token = await tokenOf();
    clock.advanceMs(dayMs);
    await expect(verifications.verify(token)).rejects.toMatchObject(invalid);
    const younger = await tokenOf();
    clock.advanceMs(dayMs - 1);
    await verifications.verify(younger);
    expect(await isVerified(id)).toBe(true);
  });

  it('makes no link, and takes none, for an address that is verified, another one by now, or gone', async () => {
    const { id } = await greet();
    const token = await tokenOf();
    await fixture.source.query(`UPDATE account SET email_normalised = 'other@example.com' WHERE id = '${id}'`);
    await expect(verifications.verify(token)).rejects.toMatchObject(invalid);
    expect(await verifications.createLink(String(mails[0]?.linkId))).toBeNull();
    expect(await verifications.createLink('veri_nothing')).toBeNull();
    expect(await isVerified(id)).toBe(false);
  });

  it('makes every other link of the account worthless with the first that is used', async () => {
    const { id } = await greet();
    await verifications.sendAgain(id);
    const [first, second] = [await tokenOf(mails[0]?.linkId), await tokenOf(mails[1]?.linkId)];
    await verifications.verify(second);
    await expect(verifications.verify(first)).rejects.toMatchObject(invalid);
    await expect(verifications.sendAgain(id)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('mails a link, unasked, to an account from before when it signs in: once a month, and none to who has had one or is verified', async () => {
    const old = { ...(await createAccount('old@example.com')), emailVerifiedAtMs: null };
    for (let time = 0; time < 5; time += 1) await verifications.remind(old);
    await Promise.all([1, 2, 3].map(() => verifications.remind(old)));
    expect(mails.map(({ recipient }) => recipient)).toEqual(['old@example.com']);
    await verifications.remind({ ...(await greet('new@example.com')), emailVerifiedAtMs: null });
    await verifications.remind({ ...(await createAccount('proven@example.com')), emailVerifiedAtMs: 1 });
    expect(mails.map(({ recipient }) => recipient)).toEqual(['old@example.com', 'new@example.com']);
    clock.advanceMs(31 * dayMs);
    await verifications.remind(old);
    expect(mails).toHaveLength(3);
  });

  it('mails an account three links an hour, also when they are asked for side by side', async () => {
    const { id } = await greet();
    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => verifications.sendAgain(id)));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    for (const result of asked) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'rate_limit_exceeded' });
    }
    clock.advanceMs(3_600_000);
    await verifications.sendAgain(id);
  });

  it('says of the hour of an account and the day of a mailbox how long to wait, and mails after exactly that', async () => {
    clock.advanceMs(5_000_000);
    const { id } = await greet();
    const again = () => verifications.sendAgain(id);
    for (let n = 0; n < 2; n += 1) await again();
    await refusedFor(again, clock);
    for (let n = 0; n < 3; n += 1) await again();
    // Both are full: the hour of the account is over sooner, and would be of no use.
    await refusedFor(again, clock);
    await again();
  });

  it('mails a mailbox six links a day, over all accounts and spellings, and signs everybody up all the same', async () => {
    const spellings = Array.from({ length: 30 }, (_, n) => `v.ictim+${n}@g${n % 2 ? 'oogle' : ''}mail.com`);
    for (const email of spellings) await greet(email);
    expect(mails).toHaveLength(6);
    await greet('neighbour@gmail.com');
    expect(mails).toHaveLength(7);
    clock.advanceMs(dayMs);
    await greet('victim+later@gmail.com');
    expect(mails).toHaveLength(8);
  });

  it('gives the operator a link for whoever signed up, and for nobody else', async () => {
    const { id, emailNormalised } = await createAccount('ada@example.com');
    await fixture.source.query(`UPDATE account SET email_normalised = 'ada@example.com' WHERE id = '${id}'`);
    expect(emailNormalised).not.toBe('');
    const link = await verifications.createLinkFor(' ADA@example.com');
    await verifications.verify(String(link).replace(/^.*#/, ''));
    expect(await isVerified(id)).toBe(true);
    expect(await verifications.createLinkFor('ada@example.com')).toBeNull();
    expect(await verifications.createLinkFor('eve@example.com')).toBeNull();
  });
});
