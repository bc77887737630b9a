import { memberRoles } from '../kernel/member-role.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { firstPassword, type Person } from '../test/recovery-people.js';
import { TeamPeople } from '../test/team-people.js';

describeOnEachDatabase('The members of an account', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let team: TeamPeople;
  let ada: Person;

  beforeEach(async () => {
    team = new TeamPeople(fixture);
    ada = await team.signUp('ada@example.com');
  });

  const rolesOf = async ({ accountId }: Person) =>
    Object.fromEntries((await team.memberships.listMembers(accountId)).map(({ email, role }) => [email, role]));

  it('are, of an account from before there were members, the one who signed up for it, as its owner', async () => {
    expect(await fixture.countRows('membership')).toBe(0);
    expect(await team.memberships.listMembers(ada.accountId)).toEqual([
      {
        ...{ personId: ada.accountId, role: 'owner', sinceMs: null, monthlyBudgetMillicredits: null },
        ...{ name: 'A Person', email: 'ada@example.com' },
      },
    ]);
    const own = [{ accountId: ada.accountId, name: 'A Person', role: 'owner' }];
    expect(await team.memberships.listAccounts(ada.accountId)).toEqual(own);
    expect(await team.actingOf(ada)).toBe(ada.accountId);
  });

  it('are in several accounts, and a session acts for one of them at a time, and never for another', async () => {
    const bob = await team.joinAs(ada, 'developer');
    const eve = await team.signUp('eve@example.com');
    expect((await team.memberships.listAccounts(bob.accountId)).map(({ role }) => role)).toEqual([
      'owner',
      'developer',
    ]);
    await team.memberships.switchAccount(bob.viewer, ada.accountId);
    expect(await team.actingOf(bob)).toBe(ada.accountId);
    for (const foreign of [eve.accountId, `${ada.accountId} `, 'acct_00000000000000000000000000', '']) {
      await expect(team.memberships.switchAccount(bob.viewer, foreign)).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(team.memberships.switchAccount(eve.viewer, ada.accountId)).rejects.toMatchObject({
      code: 'not_found',
    });
    await team.memberships.switchAccount(bob.viewer, bob.accountId);
    expect(await team.actingOf(bob)).toBe(bob.accountId);
  });

  it.each(memberRoles)('who are %s change others only as the role allows', async (role) => {
    const by = role === 'owner' ? ada : await team.joinAs(ada, role, 'by@example.com');
    const other = await team.joinAs(ada, 'viewer', 'other@example.com');
    const owner = await team.joinAs(ada, 'owner', 'second@example.com');
    const attempt = (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        ({ code }) => code,
      );
    const { memberships } = team;
    const outcomes = {
      raise: await attempt(memberships.setRole({ ...team.change(ada, by, other), role: 'admin' })),
      crown: await attempt(memberships.setRole({ ...team.change(ada, by, other), role: 'owner' })),
      lower: await attempt(memberships.setRole({ ...team.change(ada, by, owner), role: 'viewer' })),
      remove: await attempt(memberships.remove(team.change(ada, by, other), { revokeKeys: false })),
      invite: await attempt(team.inviteBy(by, 'new@example.com', 'viewer', ada)),
    };
    const refused = 'role_required';
    const expected = {
      owner: { raise: 'done', crown: 'done', lower: 'done', remove: 'done', invite: 'done' },
      admin: { raise: 'done', crown: refused, lower: refused, remove: 'done', invite: 'done' },
    };
    const none = { raise: refused, crown: refused, lower: refused, remove: refused, invite: refused };
    expect(outcomes).toEqual(role === 'owner' || role === 'admin' ? expected[role] : none);
  });

  it('always have an owner among them, also when two owners lower each other at once', async () => {
    const bob = await team.joinAs(ada, 'owner', 'bob@example.com');
    const lower = (by: Person, to: Person) => team.memberships.setRole({ ...team.change(ada, by, to), role: 'viewer' });
    const ends = await Promise.allSettled([lower(ada, bob), lower(bob, ada)]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(Object.values(await rolesOf(ada)).toSorted()).toEqual(['owner', 'viewer']);
    const last = (await team.roleOf(ada, ada)) === 'owner' ? ada : bob;
    await expect(lower(last, last)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('are handed the account by its owner, who is an admin then and stays, since they sign in by it', async () => {
    const bob = await team.joinAs(ada, 'admin', 'bob@example.com');
    await expect(team.memberships.transferOwnership(team.change(ada, bob, bob))).rejects.toMatchObject({
      code: 'role_required',
    });
    await expect(team.memberships.transferOwnership(team.change(ada, ada, ada))).rejects.toMatchObject({
      code: 'conflict',
    });
    await team.memberships.transferOwnership(team.change(ada, ada, bob));
    expect(await rolesOf(ada)).toEqual({ 'ada@example.com': 'admin', 'bob@example.com': 'owner' });
    const conflict = { code: 'conflict' };
    const of = { accountId: ada.accountId, personId: bob.accountId };
    await expect(team.memberships.leave(of, { revokeKeys: false })).rejects.toMatchObject(conflict);
    for (const go of [
      team.memberships.remove(team.change(ada, bob, ada), { revokeKeys: false }),
      team.memberships.leave({ ...of, personId: ada.accountId }, { revokeKeys: false }),
    ]) {
      await expect(go).rejects.toMatchObject(conflict);
    }
    await team.memberships.setRole({ ...team.change(ada, bob, ada), role: 'viewer' });
    expect(await team.roleOf(ada, ada)).toBe('viewer');
  });

  it('who are removed are out at once: their sessions for the account end, others go on, and their keys end where that is asked', async () => {
    const bob = await team.joinAs(ada, 'developer', 'bob@example.com');
    const { sessionToken } = await team.services.accounts.signIn({
      email: bob.email,
      password: firstPassword,
      from: { address: '192.0.2.1', userAgent: null, deviceTokens: [] },
    });
    const atHome = { ...bob, sessionToken };
    await team.memberships.switchAccount(bob.viewer, ada.accountId);
    const person = { personId: bob.accountId, role: 'developer' } as const;
    const { apiKey } = await team.keys.createKey(ada.accountId, { name: 'bob' }, { person });
    const { apiKey: kept } = await team.keys.createKey(ada.accountId, { name: 'ada' });
    await team.memberships.remove(team.change(ada, ada, bob), { revokeKeys: true });
    expect([await team.isSignedIn(bob), await team.isSignedIn(atHome)]).toEqual([false, true]);
    const found = await team.keys.listKeys(ada.accountId);
    expect(found.map(({ id, revokedAtMs }) => [id, revokedAtMs !== null])).toEqual([
      [kept.id, false],
      [apiKey.id, true],
    ]);
    // Whatever was under way behind the end makes nothing any more.
    await expect(team.keys.createKey(ada.accountId, { name: 'late' }, { person })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(team.memberships.switchAccount(bob.viewer, ada.accountId)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await team.eventsOf(ada)).toEqual(expect.arrayContaining(['member_removed', 'key_revoked']));
  });

  it('who leave keep their keys in force, unless they say otherwise', async () => {
    const bob = await team.joinAs(ada, 'developer', 'bob@example.com');
    const person = { personId: bob.accountId, role: 'developer' } as const;
    await team.keys.createKey(ada.accountId, { name: 'bob' }, { person });
    await team.memberships.leave({ accountId: ada.accountId, personId: bob.accountId }, { revokeKeys: false });
    expect(await fixture.countRows('api_key', 'revoked_at_ms IS NULL')).toBe(1);
    expect(await rolesOf(ada)).toEqual({ 'ada@example.com': 'owner' });
    expect((await team.eventsOf(ada)).at(-1)).toBe('member_left');
  });

  it('who were lowered have no scope that writes on their keys once they go, by whichever way', async () => {
    const scopes = ['chat', 'keys:write'] as const;
    const goings = {
      leave: ({ accountId: personId }: Person) =>
        team.memberships.leave({ accountId: ada.accountId, personId }, { revokeKeys: false }),
      remove: (bob: Person) => team.memberships.remove(team.change(ada, ada, bob), { revokeKeys: false }),
      end: ({ viewer }: Person) =>
        team.services.settings.deleteAccount({ viewer, password: firstPassword, address: '192.0.2.1' }),
    };
    const keysAfter = async (role: 'admin' | 'viewer', way: keyof typeof goings) => {
      const bob = await team.joinAs(ada, 'admin', `${way}-${role}@example.com`);
      const person = { personId: bob.accountId, role: 'admin' } as const;
      const made = [];
      for (const of of [scopes, scopes.slice(1)]) {
        made.push(await team.keys.createKey(ada.accountId, { name: way, scopes: [...of] }, { person }));
      }
      await team.memberships.setRole({ ...team.change(ada, ada, bob), role });
      await goings[way](bob);
      const keys = await Promise.all(made.map(({ apiKey }) => team.keys.findKey(ada.accountId, apiKey.id)));
      return keys.map((key) => (key?.revokedAtMs === null ? key.scopes : 'revoked'));
    };
    for (const way of ['leave', 'remove', 'end'] as const) {
      expect([way, await keysAfter('viewer', way)]).toEqual([way, [['chat'], 'revoked']]);
      expect([way, await keysAfter('admin', way)]).toEqual([way, [['chat', 'keys:write'], ['keys:write']]]);
    }
  });

  it('beginning a session for the account beside their removal are out all the same', async () => {
    const bob = await team.joinAs(ada, 'viewer', 'bob@example.com');
    await Promise.allSettled([
      team.memberships.switchAccount(bob.viewer, ada.accountId),
      team.memberships.remove(team.change(ada, ada, bob), { revokeKeys: false }),
    ]);
    const acting = await team.actingOf(bob);
    expect(acting === ada.accountId ? await team.roleOf(ada, bob) : null).toBeNull();
  });

  it('who are developers make keys that call and read, and touch no others', async () => {
    const bob = await team.joinAs(ada, 'developer', 'bob@example.com');
    const person = { personId: bob.accountId, role: 'developer' } as const;
    const { accountId } = ada;
    const refused = { code: 'role_required' };
    const write = { name: 'write', scopes: ['chat', 'billing:write'] } as const;
    await expect(team.keys.createKey(accountId, write, { person })).rejects.toMatchObject(refused);
    const { apiKey: mine } = await team.keys.createKey(accountId, { name: 'mine' }, { person });
    const { apiKey: theirs } = await team.keys.createKey(accountId, { name: 'theirs' });
    expect(mine.madeBy).toBe(bob.accountId);
    const change = { accountId, keyId: theirs.id, person };
    for (const work of [team.keys.rotateKey(change), team.keys.revokeKey(change), team.keys.updateKey(change, {})]) {
      await expect(work).rejects.toMatchObject(refused);
    }
    const own = { ...change, keyId: mine.id };
    const scopes = ['keys:write'] as const;
    await expect(team.keys.updateKey(own, { scopes: [...scopes] })).rejects.toMatchObject(refused);
    // What somebody else has let it do is not theirs to have by a new secret.
    await team.keys.updateKey({ accountId, keyId: mine.id }, { scopes: [...scopes] });
    await expect(team.keys.rotateKey(own)).rejects.toMatchObject(refused);
  });

  it('are members no more once they have deleted their own account, and the events say so', async () => {
    const bob = await team.joinAs(ada, 'viewer', 'bob@example.com');
    const proof = { viewer: bob.viewer, password: firstPassword, address: '192.0.2.1' };
    await team.services.settings.deleteAccount(proof);
    expect(await rolesOf(ada)).toEqual({ 'ada@example.com': 'owner' });
    expect(await fixture.countRows('membership')).toBe(0);
    expect((await team.eventsOf(ada)).at(-1)).toBe('member_left');
  });

  it('lose an account that its owner deletes, and a last owner of an account of others cannot delete their own', async () => {
    const bob = await team.joinAs(ada, 'admin', 'bob@example.com');
    await team.memberships.switchAccount(bob.viewer, ada.accountId);
    await team.inviteBy(ada, 'carol@example.com', 'viewer');
    const proof = ({ viewer }: Person) => ({ viewer, password: firstPassword, address: '192.0.2.1' });
    await team.memberships.transferOwnership(team.change(ada, ada, bob));
    await expect(team.services.settings.deleteAccount(proof(bob))).rejects.toMatchObject({ code: 'conflict' });
    const wallets = await fixture.source.query(`SELECT state FROM ledger_account WHERE id = '${bob.accountId}'`);
    expect(wallets).toEqual([{ state: 'open' }]);
    await team.services.settings.deleteAccount(proof(ada));
    expect([await fixture.countRows('membership'), await fixture.countRows('invitation')]).toEqual([0, 0]);
    expect(await team.actingOf(bob)).toBeNull();
    await fixture.unitOfWork.transact((transaction) => team.memberships.forget(transaction, ada.accountId));
  });
});
