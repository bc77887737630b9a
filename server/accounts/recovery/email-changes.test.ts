import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { firstPassword, newPassword, type Person, RecoveryPeople } from '../../test/recovery-people.js';
import { refusedFor } from '../../test/refused-for.js';

const dayMs = 24 * 60 * 60_000;
const invalid = { code: 'not_found', param: 'token' };

describeOnEachDatabase('A change of the e-mail address', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let people: RecoveryPeople;
  let ada: Person;

  beforeEach(async () => {
    people = new RecoveryPeople(fixture);
    ada = await people.signUp('ada@example.com');
  });

  const confirm = (token: string | null) => people.services.emailChanges.confirm(String(token));
  const undo = (token: string | null, revokeKeys = false) =>
    people.services.emailChanges.undo({ token: String(token), newPassword, revokeKeys });
  const change = async (newEmail: string) => confirm(await people.changeTokenFor(ada, newEmail));
  const emailOf = async ({ accountId }: Person) => (await people.services.accounts.findAccount(accountId))?.email;
  const listTitles = async (recipient: string) =>
    (await people.listMails()).filter((mail) => mail.recipient === recipient).map(({ title }) => title);

  it('holds once the new address is confirmed, tells both, and stores nothing of a link but its hash', async () => {
    const token = String(await people.changeTokenFor(ada, ' Ada@Example.org'));
    expect(await emailOf(ada)).toBe('ada@example.com');
    expect(await listTitles('ada@example.com')).toEqual(['A change of your e-mail address was requested']);
    expect(JSON.stringify(await fixture.source.query('SELECT * FROM account_link'))).not.toContain(token);
    await confirm(token);
    expect(await emailOf(ada)).toBe('Ada@Example.org');
    expect(await listTitles('ada@example.com')).toContain('The e-mail address of your account was changed');
    expect(await listTitles('Ada@Example.org')).toContain('This is the e-mail address of your account now');
    expect(await people.letsIn('ada@example.org', firstPassword)).toBe(true);
    expect(await people.letsIn('ada@example.com', firstPassword)).toBe(false);
    expect(people.verified).toEqual([ada.accountId]);
  });

  it('needs the password, and another address that is one', async () => {
    await expect(people.changeTokenFor(ada, 'new@example.com', 'not the password')).rejects.toMatchObject({
      param: 'password',
    });
    await expect(people.changeTokenFor(ada, 'nonsense')).rejects.toMatchObject({ param: 'newEmail' });
    await expect(people.changeTokenFor(ada, 'ADA@example.com')).rejects.toMatchObject({ param: 'newEmail' });
    expect(await people.listMails()).toEqual([]);
  });

  it('takes each link once, also of several who come with it at once, for its own purpose and its own account', async () => {
    const eve = await people.signUp('eve@example.com');
    const token = await people.changeTokenFor(ada, 'ada@example.org');
    for (const wrong of ['', `tgl_${'a'.repeat(43)}`]) {
      await expect(confirm(wrong)).rejects.toMatchObject(invalid);
      await expect(undo(wrong)).rejects.toMatchObject(invalid);
    }
    await expect(undo(token)).rejects.toMatchObject(invalid);
    const takers = await Promise.allSettled([1, 2, 3, 4].map(() => confirm(token)));
    expect(takers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(confirm(token)).rejects.toMatchObject(invalid);
    const back = await people.undoTokenOf('ada@example.com');
    await expect(confirm(back)).rejects.toMatchObject(invalid);
    const returners = await Promise.allSettled([1, 2, 3, 4].map(() => undo(back)));
    expect(returners.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(undo(back)).rejects.toMatchObject(invalid);
    expect([await emailOf(eve), await people.isSignedIn(eve)]).toEqual(['eve@example.com', true]);
  });

  it('is confirmed within a day, and taken back within a week', async () => {
    const late = await people.changeTokenFor(ada, 'late@example.org');
    people.clock.advanceMs(dayMs);
    await expect(confirm(late)).rejects.toMatchObject(invalid);
    await change('ada@example.org');
    const back = await people.undoTokenOf('ada@example.com');
    people.clock.advanceMs(7 * dayMs);
    await expect(undo(back)).rejects.toMatchObject(invalid);
    expect(await people.undoTokenOf('ada@example.com')).toBeNull();
    expect(await emailOf(ada)).toBe('ada@example.org');
  });

  it('is worth nothing once another one was asked for', async () => {
    const first = await people.changeTokenFor(ada, 'first@example.org');
    await change('second@example.org');
    await expect(confirm(first)).rejects.toMatchObject(invalid);
    expect(await emailOf(ada)).toBe('second@example.org');
  });

  it('is shown while it waits, also to an address in use, and is worth nothing once it is cancelled', async () => {
    const { emailChanges } = people.services;
    await people.signUp('taken@example.com');
    expect(await emailChanges.findPending(ada.accountId)).toBeNull();
    for (const email of ['taken@example.com', 'new@example.org']) {
      await people.changeTokenFor(ada, email);
      const askedAtMs = people.clock.nowMs();
      people.clock.advanceMs(2 * dayMs - 1);
      expect(await emailChanges.findPending(ada.accountId)).toEqual({ email, askedAtMs });
      people.clock.advanceMs(1);
      expect(await emailChanges.findPending(ada.accountId)).toBeNull();
    }
    const token = await people.changeTokenFor(ada, 'new@example.org');
    const eve = await people.signUp('eve@example.com');
    expect(await emailChanges.cancel(eve.accountId)).toBe(false);
    expect([await emailChanges.cancel(ada.accountId), await emailChanges.cancel(ada.accountId)]).toEqual([true, false]);
    expect(await emailChanges.findPending(ada.accountId)).toBeNull();
    await expect(confirm(token)).rejects.toMatchObject(invalid);
    expect(await emailOf(ada)).toBe('ada@example.com');
  });

  it('to an address in use is asked for like any other, and no link leaves; nor when it is taken in the meantime', async () => {
    await people.signUp('taken@example.com');
    const mailsOf = async (newEmail: string) => {
      await fixture.source.query('DELETE FROM notice');
      await people.changeTokenFor(ada, newEmail);
      return (await people.listMails()).map(({ title }) => title);
    };
    expect(await mailsOf('taken@example.com')).toEqual(await mailsOf('free@example.com'));
    expect(await people.changeTokenFor(ada, 'taken@example.com')).toBeNull();
    const token = await people.changeTokenFor(ada, 'raced@example.com');
    await people.signUp('raced@example.com');
    await expect(confirm(token)).rejects.toMatchObject({ code: 'conflict' });
    expect(await emailOf(ada)).toBe('ada@example.com');
  });

  it('gives an address to one of two accounts that confirm it at the same moment', async () => {
    const eve = await people.signUp('eve@example.com');
    const tokens = [
      await people.changeTokenFor(ada, 'both@example.com'),
      await people.changeTokenFor(eve, 'both@example.com'),
    ];
    const outcomes = await Promise.allSettled(tokens.map(confirm));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await fixture.countRows('account', "email_normalised = 'both@example.com'")).toBe(1);
  });

  it('by a thief is taken back at the former address: new password, no session, no later link of the thief', async () => {
    await people.makeKey(ada);
    await change('thief@example.org');
    const back = await people.undoTokenOf('ada@example.com');
    await change('thief-again@example.org');
    const backToThief = await people.undoTokenOf('thief@example.org');
    const resetOfThief = await people.resetTokenFor('thief-again@example.org');
    await undo(back, true);
    expect(await emailOf(ada)).toBe('ada@example.com');
    expect(await people.isSignedIn(ada)).toBe(false);
    expect(await people.letsIn('ada@example.com', firstPassword)).toBe(false);
    expect(await people.letsIn('ada@example.com', newPassword)).toBe(true);
    expect(await fixture.countRows('api_key', 'revoked_at_ms IS NULL')).toBe(0);
    await expect(undo(backToThief)).rejects.toMatchObject(invalid);
    const reset = people.services.resets.reset({
      token: resetOfThief,
      newPassword: 'the thief again',
      revokeKeys: false,
    });
    await expect(reset).rejects.toMatchObject(invalid);
  });

  it('keeps the former address for its owner for a week: nobody signs up with it or changes to it', async () => {
    const eve = await people.signUp('eve@example.com');
    await change('ada@example.org');
    await expect(people.signUp('Ada@example.com')).rejects.toMatchObject({ code: 'conflict' });
    expect(await fixture.countRows('account')).toBe(2);
    expect(await people.changeTokenFor(eve, 'ada@example.com')).toBeNull();
    people.clock.advanceMs(7 * dayMs);
    await people.signUp('ada@example.com');
  });

  it('from an address that nobody proved gives that address no say', async () => {
    const typo = await people.signUp('strnager@example.com', { isVerified: false });
    await confirm(await people.changeTokenFor(typo, 'owner@example.com'));
    expect(await listTitles('strnager@example.com')).toEqual([]);
    expect(await fixture.countRows('account_link', "purpose = 'undo_email'")).toBe(0);
  });

  it('is asked for five times an hour, and six times a day for one mailbox, over all accounts', async () => {
    const ask = (person: Person, newEmail: string) =>
      people.changeTokenFor(person, newEmail).then(
        () => 'asked',
        ({ code }) => code,
      );
    const codes = [];
    for (let n = 0; n < 6; n += 1) codes.push(await ask(ada, `n${n}@example.org`));
    expect(codes).toEqual([...Array(5).fill('asked'), 'rate_limit_exceeded']);
    const asked = [];
    for (let n = 0; n < 7; n += 1)
      asked.push(await ask(await people.signUp(`p${n}@example.com`), `v+${n}@example.net`));
    expect(asked).toEqual([...Array(6).fill('asked'), 'rate_limit_exceeded']);
  });

  it('says of the hour of an account and the day of a mailbox how long to wait, and goes out after exactly that', async () => {
    people.clock.advanceMs(5_000_000);
    for (let n = 0; n < 5; n += 1) await people.changeTokenFor(ada, `n${n}@example.org`);
    const again = () => people.changeTokenFor(ada, 'v@example.net');
    await refusedFor(again, people.clock);
    await again();
    for (let n = 0; n < 5; n += 1)
      await people.changeTokenFor(await people.signUp(`p${n}@example.com`), `v+${n}@example.net`);
    // Both are full: the hour of the account is over sooner, and would be of no use.
    for (let n = 0; n < 4; n += 1) await people.changeTokenFor(ada, `m${n}@example.org`);
    await refusedFor(again, people.clock);
    await again();
  });
});
