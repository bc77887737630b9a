import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { RecoveryPeople } from '../../test/recovery-people.js';
import { refusedFor } from '../../test/refused-for.js';

const nothing = async () => {};

describeOnEachDatabase('An invitation to sign up', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let people: RecoveryPeople;
  beforeEach(async () => {
    people = new RecoveryPeople(fixture);
  });

  const invite = (email: string, isMailed = true) =>
    people.services.signUpInvitations.invite({ email, isMailed, createdBy: 'Grace' }, nothing);

  it('is mailed with a link that is made as the mail leaves, each one worth nothing once there is a newer', async () => {
    const { invitation, link } = await invite('Ada@example.com');
    expect(link).toBeNull();
    const [mail] = await people.listMails();
    expect(mail).toMatchObject({ recipient: 'Ada@example.com', linkId: invitation.id });
    const [first, second] = [await people.tokenOf(mail), await people.tokenOf(mail)];
    const { signUpInvitations } = people.services;
    expect(await signUpInvitations.find(String(first))).toBeNull();
    expect(await signUpInvitations.find(String(second))).toMatchObject({ id: invitation.id });
    await signUpInvitations.withdraw(invitation.id, nothing);
    expect(await people.tokenOf(mail)).toBeNull();
  });

  it('is mailed three times a day to one mailbox, however it is spelled; by hand it may be handed on', async () => {
    for (const email of ['ada@example.com', 'ada+1@example.com', 'ADA@example.com']) await invite(email);
    await expect(invite('ada+2@example.com')).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    expect((await invite('ada+2@example.com', false)).link).toMatch(/#tgs_/);
    await refusedFor(() => invite('ada+2@example.com'), people.clock);
    await invite('ada+2@example.com');
  });

  it('is not made for an address that has an account, and is undone with what is written beside it', async () => {
    await people.signUp('ada@example.com');
    await expect(invite('ADA@example.com')).rejects.toMatchObject({ code: 'conflict', param: 'email' });
    const fails = people.services.signUpInvitations.invite(
      { email: 'bob@example.com', isMailed: true, createdBy: 'Grace' },
      async () => {
        throw new Error('no log');
      },
    );
    await expect(fails).rejects.toThrow('no log');
    expect([await fixture.countRows('sign_up_invitation'), await people.listMails()]).toEqual([0, []]);
  });
});
