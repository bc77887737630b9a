import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { firstPassword, newPassword, RecoveryPeople } from '../../test/recovery-people.js';
import { TeamPeople } from '../../test/team-people.js';

const minuteMs = 60_000;
const invalid = { code: 'not_found', param: 'token' };

describeOnEachDatabase('A forgotten password', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let people: RecoveryPeople;

  beforeEach(async () => {
    people = new RecoveryPeople(fixture);
  });

  const reset = (token: string, revokeKeys = false) => people.services.resets.reset({ token, newPassword, revokeKeys });
  const ask = (email: string, address: string) => people.services.resets.request({ email, address });

  it('is replaced by the mailed link: sessions and devices end, keys go on, the owner is told, and nothing but a hash is stored', async () => {
    const ada = await people.signUp('ada@example.com');
    await people.makeKey(ada);
    const token = await people.resetTokenFor(' Ada@Example.com');
    expect(token).toMatch(/^tgl_[\w-]{43}$/);
    const stored = await fixture.source.query('SELECT * FROM account_link');
    expect(JSON.stringify([stored, await fixture.source.query('SELECT * FROM notice')])).not.toContain(token);
    await reset(token);
    expect(await people.isSignedIn(ada)).toBe(false);
    expect(await fixture.countRows('known_device')).toBe(0);
    expect(await people.letsIn(ada.email, firstPassword)).toBe(false);
    expect(await people.letsIn(ada.email, newPassword)).toBe(true);
    expect(await fixture.countRows('api_key', 'revoked_at_ms IS NULL')).toBe(1);
    expect(await people.listMails()).toContainEqual(
      expect.objectContaining({ title: 'Your password was changed', recipient: ada.email }),
    );
  });

  it('takes a link once, also of several who come with it at once, and makes every other one worthless', async () => {
    const ada = await people.signUp('ada@example.com');
    const other = await people.resetTokenFor(ada.email);
    people.clock.advanceMs(minuteMs);
    const token = await people.resetTokenFor(ada.email);
    const takers = await Promise.allSettled([1, 2, 3, 4].map(() => reset(token)));
    expect(takers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const used of [token, other]) await expect(reset(used)).rejects.toMatchObject(invalid);
    expect((await people.listMails()).filter(({ title }) => title === 'Your password was changed')).toHaveLength(1);
  });

  it.each(['', 'tgl_', `tgl_${'a'.repeat(43)}`, "' OR 1=1 --"])(
    'is not replaced by a guess such as %j',
    async (token) => {
      await people.resetTokenFor((await people.signUp('ada@example.com')).email);
      await expect(reset(token)).rejects.toMatchObject(invalid);
      expect(await people.letsIn('ada@example.com', firstPassword)).toBe(true);
    },
  );

  it('has no link and no session that a clock made which was ahead, once it is right', async () => {
    const dayMs = 24 * 60 * minuteMs;
    const ada = await people.signUp('ada@example.com');
    const rightMs = people.clock.nowMs();
    people.clock.setWallMs(rightMs + 3 * dayMs);
    const token = await people.resetTokenFor(ada.email);
    const eve = await people.signUp('eve@example.com');
    expect([await people.isSignedIn(ada), await people.isSignedIn(eve)]).toEqual([true, true]);
    people.clock.setWallMs(rightMs);
    await expect(reset(token)).rejects.toMatchObject(invalid);
    expect([await people.isSignedIn(ada), await people.isSignedIn(eve)]).toEqual([true, false]);
  });

  it('is not replaced half an hour after the mail left, nor by a link for something else', async () => {
    const ada = await people.signUp('ada@example.com');
    const token = await people.resetTokenFor(ada.email);
    people.clock.advanceMs(30 * minuteMs);
    await expect(reset(token)).rejects.toMatchObject(invalid);
    const change = String(await people.changeTokenFor(ada, 'ada@example.org'));
    await expect(reset(change)).rejects.toMatchObject(invalid);
    await reset(await people.resetTokenFor(ada.email));
  });

  it('changes nothing of another account, whoever sends the link, and is not replaced once the address is another', async () => {
    const [ada, eve] = [await people.signUp('ada@example.com'), await people.signUp('eve@example.com')];
    const token = await people.resetTokenFor(ada.email);
    await fixture.source.query(`UPDATE account SET email_normalised = 'x@example.com' WHERE id = '${ada.accountId}'`);
    await expect(reset(token)).rejects.toMatchObject(invalid);
    await reset(await people.resetTokenFor(eve.email));
    expect([await people.isSignedIn(ada), await people.isSignedIn(eve)]).toEqual([true, false]);
  });

  it('revokes every key when its owner asks, and of an account whose address nobody had proved in any case', async () => {
    const ada = await people.signUp('ada@example.com');
    const eve = await people.signUp('eve@example.com', { isVerified: false });
    for (const person of [ada, eve]) await people.makeKey(person);
    await reset(await people.resetTokenFor(ada.email), true);
    expect(await fixture.countRows('api_key', 'revoked_at_ms IS NULL')).toBe(1);
    await reset(await people.resetTokenFor(eve.email), false);
    expect(await fixture.countRows('api_key', 'revoked_at_ms IS NULL')).toBe(0);
    expect(people.verified).toEqual([eve.accountId]);
    expect(await fixture.countRows('account', 'email_verified_at_ms IS NULL')).toBe(0);
  });

  it('revokes of an account that its founder may not manage any more only the keys that they have made', async () => {
    const team = new TeamPeople(fixture);
    const ada = await team.signUp('ada@example.com');
    const bob = await team.joinAs(ada, 'owner', 'bob@example.com');
    const keys = [await team.makeKey(ada)];
    for (const { accountId: personId } of [ada, bob]) {
      const person = { personId, role: 'owner' } as const;
      keys.push((await team.keys.createKey(ada.accountId, { name: 'k' }, { person })).apiKey.id);
    }
    await team.memberships.setRole({ ...team.change(ada, bob, ada), role: 'viewer' });
    const token = await team.resetTokenFor(ada.email);
    await team.services.resets.reset({ token, newPassword, revokeKeys: true });
    const found = await Promise.all(keys.map((id) => team.keys.findKey(ada.accountId, id)));
    expect(found.map((key) => key?.revokedAtMs !== null)).toEqual([true, true, false]);
    expect(await team.eventsOf(ada)).not.toContain('all_keys_revoked');
  });

  it('is not mailed about to an address without an account, or of a deleted one, and nothing of the request is kept', async () => {
    const gone = await people.signUp('gone@example.com');
    const proof = { viewer: gone.viewer, password: firstPassword, address: '192.0.2.1' };
    await people.services.settings.deleteAccount(proof);
    for (const email of ['nobody@example.com', gone.email]) expect(await people.resetTokenFor(email)).toBe('null');
    expect(await fixture.countRows('account_link')).toBe(0);
  });

  it('sends no more than five requests of a network for an address and twenty in all in an hour, known or not', async () => {
    await people.signUp('ada@example.com');
    const tryOften = async (email: string, address: string) => {
      const codes = [];
      for (let n = 0; n < 6; n += 1)
        codes.push(
          await ask(email, address).then(
            () => 'sent',
            ({ code }) => code,
          ),
        );
      return codes;
    };
    const known = await tryOften('ada@example.com', '198.51.100.1');
    expect(known).toEqual([...Array(5).fill('sent'), 'rate_limit_exceeded']);
    expect(await tryOften('nobody@example.com', '203.0.113.1')).toEqual(known);
    const others = [];
    for (let n = 0; n < 20; n += 1)
      others.push(
        await ask(`n${n}@example.com`, '192.0.2.77').then(
          () => 1,
          () => 0,
        ),
      );
    expect(others.every((sent) => sent === 1)).toBe(true);
    await expect(ask('one-more@example.com', '192.0.2.77')).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
  });

  it('is mailed about at growing pauses, however many networks ask, and always sooner than a link expires', async () => {
    const { ResetThrottle } = await import('./reset-throttle.js');
    const { MemoryAttemptCounter } = await import('../../kernel/attempt-counter.js');
    let nowMs = 0;
    const throttle = new ResetThrottle((rule) => new MemoryAttemptCounter(rule, { nowMs: () => nowMs }));
    const sentAtMs: number[] = [];
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      nowMs = minute * minuteMs;
      const address = `10.${minute >> 8}.${minute & 255}.1`;
      if (await throttle.countRequest({ emailNormalised: 'ada@example.com', address })) sentAtMs.push(nowMs);
    }
    const pauses = sentAtMs.slice(1).map((at, n) => at - (sentAtMs[n] ?? 0));
    expect(Math.max(...pauses)).toBeLessThan(30 * minuteMs);
    expect(pauses.slice(10).every((pause) => pause >= 25 * minuteMs)).toBe(true);
    expect(sentAtMs.length).toBeLessThan(70);
  });

  it('is given to the operator as a link for whoever has an account, and for nobody else', async () => {
    const ada = await people.signUp('ada@example.com');
    const link = await people.services.resets.createLinkFor(' ADA@example.com');
    expect(link).toMatch(/^http:\/\/tollgate\.test\/reset-password#tgl_/);
    await reset(String(link).replace(/^.*#/, ''));
    expect(await people.letsIn(ada.email, newPassword)).toBe(true);
    expect(await people.services.resets.createLinkFor('nobody@example.com')).toBeNull();
  });

  it('ends a sign-in with the old password that is under way', async () => {
    const ada = await people.signUp('ada@example.com');
    const [account] = await fixture.source.query(`SELECT password_hash AS passwordHash FROM account`);
    await reset(await people.resetTokenFor(ada.email));
    const late = people.services.sessions.startSession({ id: ada.accountId, ...account }, null);
    await expect(late).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
