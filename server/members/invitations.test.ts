import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import type { Person } from '../test/recovery-people.js';
import { refusedFor } from '../test/refused-for.js';
import { TeamPeople } from '../test/team-people.js';

const dayMs = 24 * 3_600_000;
const worthless = { code: 'not_found', param: 'token' };

describeOnEachDatabase('An invitation', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let team: TeamPeople;
  let ada: Person;
  let bob: Person;

  beforeEach(async () => {
    team = new TeamPeople(fixture);
    ada = await team.signUp('ada@example.com');
    bob = await team.signUp('bob@example.com');
  });

  const accept = (token: string, { accountId } = bob) => team.invitations.accept(token, accountId);

  it('makes whoever reads the mail a member, is stored as a hash, and is in the account’s events from its making to its end', async () => {
    const token = await team.inviteBy(ada, ' Bob@Example.com ', 'billing');
    expect(token).toMatch(/^tgi_[\w-]{43}$/);
    const stored = await Promise.all(
      ['invitation', 'notice', 'account_event'].map((table) => fixture.source.query(`SELECT * FROM ${table}`)),
    );
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(await team.invitations.findOffer(token, bob.accountId)).toMatchObject({
      ...{ accountName: 'A Person', role: 'billing', invitedBy: 'ada@example.com' },
    });
    expect(await accept(token)).toBe(ada.accountId);
    expect(await team.roleOf(ada, bob)).toBe('billing');
    expect(await fixture.countRows('invitation')).toBe(0);
    expect((await team.eventsOf(ada)).slice(-2)).toEqual(['member_invited', 'member_joined']);
  });

  it('is worth nothing once a clock is right that was ahead when it was made', async () => {
    const rightMs = team.clock.nowMs();
    team.clock.setWallMs(rightMs + 3 * dayMs);
    const token = await team.inviteBy(ada, bob.email, 'viewer');
    team.clock.setWallMs(rightMs);
    await expect(accept(token)).rejects.toMatchObject(worthless);
    expect(await accept(await team.inviteBy(ada, bob.email, 'viewer'))).toBe(ada.accountId);
  });

  it('is taken once, also by one who comes with it many times at once', async () => {
    const token = await team.inviteBy(ada, bob.email, 'viewer');
    const takers = await Promise.allSettled([1, 2, 3, 4].map(() => accept(token)));
    expect(takers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(accept(token)).rejects.toMatchObject({ code: 'conflict' });
    expect(await fixture.countRows('membership')).toBe(1);
  });

  it('says to whoever has joined by it that they have, until it would have ended or they are a member no more, and to nobody else', async () => {
    const carol = await team.signUp('carol@example.com');
    const member = { code: 'conflict', message: 'You are a member of this account already.' };
    const comesAgain = async (token: string, { accountId }: Person, answer: object) => {
      for (const come of ['accept', 'findOffer', 'decline'] as const) {
        await expect(team.invitations[come](token, accountId)).rejects.toMatchObject(answer);
      }
    };
    const token = await team.inviteBy(ada, bob.email, 'viewer');
    await accept(token);
    expect(JSON.stringify(await fixture.source.query('SELECT * FROM accepted_invitation'))).not.toContain(token);
    await comesAgain(token, bob, member);
    await comesAgain(token, carol, worthless);
    team.clock.advanceMs(7 * dayMs);
    await comesAgain(token, bob, worthless);
    await team.inviteBy(ada, carol.email, 'viewer');
    // What is old goes once an invitation is a day old by the same clock.
    team.clock.advanceMs(dayMs);
    const second = await team.inviteBy(ada, carol.email, 'viewer');
    expect(await fixture.countRows('accepted_invitation')).toBe(0);
    await accept(second, carol);
    await team.memberships.remove(team.change(ada, ada, carol), { revokeKeys: false });
    await comesAgain(second, carol, worthless);
    expect(await team.roleOf(ada, carol)).toBeNull();
  });

  it.each(['', 'tgi_', `tgi_${'a'.repeat(43)}`, "' OR 1=1 --"])(
    'is not accepted by a guess such as %j',
    async (guess) => {
      await team.inviteBy(ada, bob.email, 'viewer');
      for (const work of [accept(guess), team.invitations.decline(guess, bob.accountId)]) {
        await expect(work).rejects.toMatchObject(worthless);
      }
      expect(await team.roleOf(ada, bob)).toBeNull();
    },
  );

  it('is of no use to another account, which is told to sign in with the address that was invited, and to none other', async () => {
    const eve = await team.signUp('eve@example.com');
    const token = await team.inviteBy(ada, bob.email, 'viewer');
    for (const work of [
      accept(token, eve),
      team.invitations.decline(token, eve.accountId),
      team.invitations.findOffer(token, eve.accountId),
    ]) {
      await expect(work).rejects.toMatchObject({ code: 'forbidden', message: expect.not.stringContaining(bob.email) });
    }
    await accept(token);
  });

  it('ends after seven days, when it is taken back, declined, or made anew, and when its maker may invite no more', async () => {
    const carol = await team.joinAs(ada, 'admin', 'carol@example.com');
    const invite = (by = ada) => team.inviteBy(by, bob.email, 'viewer', ada);
    const old = await invite();
    team.clock.advanceMs(7 * dayMs);
    await expect(accept(old)).rejects.toMatchObject(worthless);
    expect(await team.invitations.listInvitations(ada.accountId)).toEqual([]);

    const revoked = await invite();
    const [open] = await team.invitations.listInvitations(ada.accountId);
    const foreign = { accountId: bob.accountId, id: String(open?.id) };
    await expect(team.invitations.revoke(foreign)).rejects.toMatchObject({ code: 'not_found' });
    await team.invitations.revoke({ ...foreign, accountId: ada.accountId });
    await expect(accept(revoked)).rejects.toMatchObject(worthless);

    const declined = await invite();
    await team.invitations.decline(declined, bob.accountId);
    await expect(accept(declined)).rejects.toMatchObject(worthless);

    team.clock.advanceMs(dayMs);
    const first = await invite();
    await invite();
    await expect(accept(first)).rejects.toMatchObject(worthless);

    const byCarol = await invite(carol);
    await team.memberships.setRole({ ...team.change(ada, ada, carol), role: 'viewer' });
    await expect(accept(byCarol)).rejects.toMatchObject(worthless);
    expect(await team.roleOf(ada, bob)).toBeNull();
  });

  it('is made by nobody whose own address is not verified, by no stranger, and for no owner', async () => {
    const dora = await team.signUp('dora@example.com', { isVerified: false });
    await expect(team.inviteBy(dora, bob.email, 'viewer')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(team.inviteBy(bob, 'x@example.com', 'viewer', ada)).rejects.toMatchObject({ code: 'not_found' });
    await expect(team.inviteBy(ada, bob.email, 'owner')).rejects.toMatchObject({ param: 'role' });
    await expect(team.inviteBy(ada, 'nonsense', 'viewer')).rejects.toMatchObject({ param: 'email' });
    expect(await fixture.countRows('notice')).toBe(0);
  });

  it('answers for an address with an account as for one without, and is mailed to both', async () => {
    const ask = async (email: string) => {
      const { role, expiresAtMs } = await team.invitations.invite({
        ...{ accountId: ada.accountId, byPersonId: ada.accountId, email, role: 'viewer' },
      });
      return { role, expiresAtMs };
    };
    expect(await ask(bob.email)).toEqual(await ask('nobody@example.com'));
    expect((await team.listMails()).map(({ recipient }) => recipient)).toEqual([bob.email, 'nobody@example.com']);
  });

  it('is mailed three times a day to one mailbox, and twenty times from one account', async () => {
    const full = { code: 'rate_limit_exceeded' };
    for (let n = 0; n < 3; n += 1) await team.inviteBy(ada, `bob+${n}@example.com`, 'viewer');
    await expect(team.inviteBy(ada, 'bob@example.com', 'viewer')).rejects.toMatchObject(full);
    for (let n = 0; n < 17; n += 1) await team.inviteBy(ada, `p${n}@example.com`, 'viewer');
    await expect(team.inviteBy(ada, 'one-more@example.com', 'viewer')).rejects.toMatchObject(full);
    expect(await team.invitations.listInvitations(ada.accountId)).toHaveLength(20);
  });

  it('says of the mails of a day how long to wait, and goes out after exactly that', async () => {
    for (let n = 0; n < 3; n += 1) await team.inviteBy(ada, `bob+${n}@example.com`, 'viewer');
    const again = () => team.inviteBy(ada, 'bob@example.com', 'viewer');
    await refusedFor(again, team.clock);
    await again();
  });

  it('is printed for the operator, where no mail is sent', async () => {
    await team.inviteBy(ada, bob.email, 'viewer');
    const link = String(await team.invitations.createLinkFor('BOB@example.com'));
    expect(link).toMatch(/^http:\/\/tollgate\.test\/join#tgi_/);
    await accept(link.replace(/^.*#/, ''));
    expect(await team.invitations.createLinkFor(bob.email)).toBeNull();
  });
});
