import { actAs } from '../audit/acting.js';
import { openPurchases, type Purchases } from '../composition/open-purchases.js';
import { Secret } from '../kernel/secret.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { makePurchasesParts } from '../test/purchases-parts.js';
import { firstPassword, newPassword, type Person } from '../test/recovery-people.js';
import { doubleSecretKey, StripeDouble } from '../test/stripe-double.js';
import { TeamPeople } from '../test/team-people.js';

const hourMs = 3_600_000;
const on = { isOn: true, thresholdMillicredits: 5_000_000, dollars: 5, monthlyCapDollars: 500, hasConsent: true };
const forgotten = { isOn: false, card: null, payerId: null, failure: 'payer_left' };

describeOnEachDatabase('A card that a member has saved for an account', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let team: TeamPeople;
  let double: StripeDouble;
  let purchases: Purchases;
  let ada: Person;
  let bob: Person;

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    double = await StripeDouble.start();
    team = new TeamPeople(fixture);
    const stripe = { secretKey: new Secret(doubleSecretKey), webhookSecrets: [], apiBase: double.baseUrl };
    const parts = { ...makePurchasesParts(fixture, team.clock), unitOfWork: team.unitOfWork };
    purchases = openPurchases(parts, { publicUrl: 'http://tollgate.test', isProduction: true, stripe });
    ada = await team.signUp('ada@example.com');
    bob = await team.joinAs(ada, 'billing', 'bob@example.com');
    await fixture.source.query('DELETE FROM notice');
  });
  afterEach(async () => {
    await purchases.watch.close();
    await fixture.close();
    await double.close();
  });

  const { freeze, thaw } = {
    freeze: () => fixture.ledger.setWalletState({ accountId: ada.accountId, state: 'frozen', reason: 'operator' }),
    thaw: () => fixture.ledger.setWalletState({ accountId: ada.accountId, state: 'open', reason: 'operator' }),
  };
  const payer = (person: Person, { accountId } = ada) => ({ accountId, personId: person.accountId });
  const startSetup = async (person: Person, account = ada) => {
    const { url } = await purchases.topUpSettings.startCardSetup(payer(person, account));
    const setupId = url.slice(url.lastIndexOf('/') + 1);
    double.books.saveCard(setupId);
    return setupId;
  };
  const saveCard = async (person: Person, account = ada) => {
    const done = await purchases.topUpSettings.confirmCardSetup(
      payer(person, account),
      await startSetup(person, account),
    );
    // The double’s time is the machine’s.
    await fixture.source.query(
      `UPDATE auto_top_up SET card_saved_at_ms = ${team.clock.nowMs()} WHERE account_id = '${account.accountId}'`,
    );
    return done;
  };
  const set = async (person: Person, change: Partial<typeof on> = {}, account = ada) => {
    const done = await purchases.topUpSettings.set(payer(person, account), { hasConsent: true, ...change });
    await purchases.watch.settle();
    return done;
  };
  /** Nothing is charged meanwhile: what the watch would set off comes from the tests themselves. */
  const turnOn = async (person: Person) => {
    await freeze();
    await saveCard(person);
    await set(person, on);
    await thaw();
  };
  const find = ({ accountId } = ada) => purchases.topUpSettings.find(accountId);
  const sweep = async () => purchases.topUp?.sweep();
  const mails = async () => (await team.listMails()).map(({ title, recipient }) => `${recipient}: ${title}`).toSorted();
  const endings: readonly [string, () => Promise<unknown>][] = [
    ['is removed', () => team.memberships.remove(team.change(ada, ada, bob), { revokeKeys: false })],
    ['leaves', () => team.memberships.leave(payer(bob), { revokeKeys: false })],
    ['is made a viewer', () => team.memberships.setRole({ ...team.change(ada, ada, bob), role: 'viewer' })],
  ];
  const deleteAccount = ({ viewer }: Person) =>
    team.services.settings.deleteAccount({ viewer, password: firstPassword, address: '192.0.2.1' });

  it.each(endings)(
    'is charged no more once that member %s: it is forgotten, at Stripe too, and both are told',
    async (_, end) => {
      await turnOn(bob);
      await end();
      expect(await find()).toMatchObject(forgotten);
      expect(await mails()).toEqual([
        'ada@example.com: Your automatic top-up was turned off',
        'bob@example.com: Your card is no longer charged for another account',
      ]);
      await expect(set(ada, on)).rejects.toMatchObject({ param: 'isOn' });
      await sweep();
      await sweep();
      expect(double.books.payments).toEqual([]);
      expect(double.books.cards).toEqual([]);
      expect(await fixture.countRows('card_to_forget')).toBe(0);
    },
  );

  it('is charged no more once that member deletes their login, and the account is told', async () => {
    await turnOn(bob);
    await deleteAccount(bob);
    expect(await find()).toMatchObject(forgotten);
    expect(await mails()).toEqual(['ada@example.com: Your automatic top-up was turned off']);
    await sweep();
    expect([double.books.payments, double.books.cards]).toEqual([[], []]);
  });

  it('is forgotten with the account that its owner deletes, and whoever saved it is told', async () => {
    await turnOn(bob);
    await deleteAccount(ada);
    expect(await mails()).toEqual(['bob@example.com: Your card is no longer charged for another account']);
    await sweep();
    expect([double.books.payments, double.books.cards]).toEqual([[], []]);
  });

  it('stays while that member may still pay, as an admin or after the account was handed over', async () => {
    await turnOn(bob);
    await team.memberships.setRole({ ...team.change(ada, ada, bob), role: 'admin' });
    await team.memberships.transferOwnership(team.change(ada, ada, bob));
    await team.memberships.setRole({ ...team.change(ada, bob, ada), role: 'viewer' });
    expect(await find()).toMatchObject({ isOn: true, payerId: bob.accountId, failure: null });
    expect(await mails()).toEqual([]);
    await sweep();
    expect(double.books.payments).toHaveLength(1);
  });

  it('is turned on and raised by that member alone; others who may pay lower it and turn it off', async () => {
    await freeze();
    await saveCard(bob);
    const refused = { code: 'forbidden', message: expect.stringContaining('Save a card of your own') };
    await expect(set(ada, on)).rejects.toMatchObject(refused);
    const agreed = await set(bob, on);
    team.clock.advanceMs(hourMs);
    for (const raised of [{ dollars: 500, monthlyCapDollars: 5_000 }, { monthlyCapDollars: 501 }, { dollars: 6 }]) {
      await expect(set(ada, raised)).rejects.toMatchObject(refused);
    }
    const lowered = { thresholdMillicredits: 4_000_000, amountCents: 500, monthlyCapCents: 10_000 };
    expect(
      await set(ada, { thresholdMillicredits: 4_000_000, monthlyCapDollars: 100, hasConsent: false }),
    ).toMatchObject({
      ...{ isOn: true, ...lowered, consentAtMs: agreed.consentAtMs },
    });
    await expect(set(ada, { thresholdMillicredits: 4_500_000 })).rejects.toMatchObject(refused);
    expect(await set(ada, { isOn: false, hasConsent: false })).toMatchObject({ isOn: false, payerId: bob.accountId });
    await expect(set(ada, { isOn: true })).rejects.toMatchObject(refused);
    expect(await set(bob, { isOn: true })).toMatchObject({ isOn: true, ...lowered });
  });

  it('gives way to a card of another member, which is charged from their own consent on', async () => {
    await turnOn(bob);
    expect(await saveCard(ada)).toMatchObject({ isOn: false, payerId: ada.accountId, failure: null });
    await expect(set(bob, on)).rejects.toMatchObject({ code: 'forbidden' });
    await sweep();
    expect(double.books.payments).toEqual([]);
    expect(double.books.cards).toHaveLength(1);
    await set(ada, on);
    await sweep();
    expect(double.books.payments).toHaveLength(1);
  });

  it('goes on as agreed when that member saves another one, and the former is forgotten at Stripe', async () => {
    await turnOn(bob);
    const [former] = double.books.cards;
    await freeze();
    expect(await saveCard(bob)).toMatchObject({ isOn: true, payerId: bob.accountId });
    await thaw();
    await sweep();
    await sweep();
    expect(double.books.payments).toHaveLength(1);
    expect(double.books.cards).toHaveLength(1);
    expect(double.books.cards).not.toContain(former);
  });

  it('is not kept when Stripe tells of it after that member was removed, or by the word of another member', async () => {
    const setupId = await startSetup(bob);
    await expect(purchases.topUpSettings.confirmCardSetup(payer(ada), setupId)).rejects.toMatchObject({
      code: 'not_found',
    });
    await team.memberships.remove(team.change(ada, ada, bob), { revokeKeys: false });
    expect(await purchases.topUpSettings.keepCardOf(setupId)).toBe(true);
    expect(await find()).toMatchObject({ card: null, payerId: null });
    await sweep();
    expect(double.books.cards).toEqual([]);
  });

  it('stands on Stripe’s page for that member alone: others are refused, with the remedy, until it is theirs or forgotten', async () => {
    const open = (person: Person) => purchases.topUpSettings.openBillingPortal(payer(person));
    const refused = { code: 'forbidden', message: expect.stringContaining('save it here') };
    expect(await open(ada)).toContain('/portal/');
    await saveCard(bob);
    await expect(open(ada)).rejects.toMatchObject(refused);
    expect(await open(bob)).toContain('/portal/');
    await saveCard(ada);
    expect(await open(ada)).toContain('/portal/');
    expect(double.books.cards).toHaveLength(1);
    await expect(open(bob)).rejects.toMatchObject(refused);
    await saveCard(bob);
    await team.memberships.remove(team.change(ada, ada, bob), { revokeKeys: false });
    expect(await open(ada)).toContain('/portal/');
    expect(double.books.cards).toEqual([]);
  });

  it('or that nobody here knows of, stands on Stripe’s page for nobody while more than one may pay', async () => {
    const open = (person: Person) => purchases.topUpSettings.openBillingPortal(payer(person));
    await saveCard(bob);
    const customer = double.books.cards[0]?.customer;
    double.books.cards.push({ id: 'pm_of_stripes_page', object: 'payment_method', customer });
    for (const person of [ada, bob]) await expect(open(person)).rejects.toMatchObject({ code: 'forbidden' });
    await team.memberships.setRole({ ...team.change(ada, ada, bob), role: 'developer' });
    expect(await open(ada)).toContain('/portal/');
    await saveCard(ada);
    await fixture.source.query('UPDATE auto_top_up SET payer_id = NULL');
    await expect(open(ada)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is forgotten at Stripe later when Stripe is away, and once when it was forgotten before', async () => {
    await turnOn(bob);
    await team.memberships.leave(payer(bob), { revokeKeys: false });
    double.isAway = true;
    await sweep();
    expect(await fixture.countRows('card_to_forget')).toBe(1);
    double.isAway = false;
    double.books.cards.length = 0;
    await sweep();
    expect(await fixture.countRows('card_to_forget')).toBe(0);
  });

  it.each([
    ['nobody knows who saved it', 'payer_id = NULL', { failure: 'payer_left', card: null }],
    ['the release before has saved it', "payer_card_id = 'another'", { failure: 'payer_left', card: null }],
    ['its member is none any more', "payer_id = 'acct_gone'", { failure: 'payer_left', card: null }],
    [
      'somebody else has agreed last',
      'payer_consent_at_ms = 1',
      { failure: 'consent_needed', card: { last4: '4242' } },
    ],
  ])(
    'is not charged where %s, whatever the balance: the top-up is off, and the account is told once',
    async (_, stored, left) => {
      await turnOn(bob);
      await fixture.source.query(`UPDATE auto_top_up SET ${stored}`);
      await sweep();
      await sweep();
      expect(double.books.payments).toEqual([]);
      expect(await find()).toMatchObject({ isOn: false, ...left });
      expect((await mails()).filter((mail) => mail.startsWith('ada@'))).toEqual([
        'ada@example.com: Your automatic top-up was turned off',
      ]);
    },
  );

  it('is charged as its owner has agreed, and not as whoever took their login over has, once they have it back', async () => {
    await turnOn(ada);
    const home = await team.signUp('home@example.com');
    await team.invitations.accept(await team.inviteBy(home, 'ada@example.com', 'billing'), ada.accountId);
    await saveCard(ada, home);
    await set(ada, on, home);
    await freeze();
    team.clock.advanceMs(hourMs);
    const token = String(await team.changeTokenFor(ada, 'thief@example.org'));
    team.clock.advanceMs(hourMs);
    await team.services.emailChanges.confirm(token);
    await set(ada, { dollars: 500, monthlyCapDollars: 5_000 });
    const undo = { token: String(await team.undoTokenOf('ada@example.com')), newPassword, revokeKeys: false };
    await team.services.emailChanges.undo(undo);
    expect(await find()).toMatchObject({ isOn: false, failure: 'consent_needed', card: { last4: '4242' } });
    expect(await find(home)).toMatchObject({ isOn: true, payerId: ada.accountId });
    const [{ body }] = await fixture.source.query(
      "SELECT body FROM notice WHERE body LIKE '%somebody else may have made it%'",
    );
    expect(body).toContain('1 × automatic top-up');
  });

  it('of whoever took a login over is forgotten, here and in accounts of others, once its owner has it back', async () => {
    const home = await team.signUp('home@example.com');
    await team.invitations.accept(await team.inviteBy(home, 'ada@example.com', 'billing'), ada.accountId);
    await turnOn(bob);
    team.clock.advanceMs(hourMs);
    const token = String(await team.changeTokenFor(ada, 'thief@example.org'));
    team.clock.advanceMs(hourMs);
    await team.services.emailChanges.confirm(token);
    await saveCard(ada, home);
    await set(ada, on, home);
    const undo = { token: String(await team.undoTokenOf('ada@example.com')), newPassword, revokeKeys: false };
    await team.services.emailChanges.undo(undo);
    expect(await find(home)).toMatchObject(forgotten);
    expect(await mails()).toContain('home@example.com: Your automatic top-up was turned off');
    // That of a member from before, as they have agreed.
    expect(await find()).toMatchObject({ isOn: true, payerId: bob.accountId });
  });

  const address = '192.0.2.1';
  const endingSessions: readonly [string, (person: Person) => Promise<unknown>, string][] = [
    [
      'resets the password by mail',
      async ({ email }) =>
        team.services.resets.reset({ token: await team.resetTokenFor(email), newPassword, revokeKeys: false }),
      'Your password was changed',
    ],
    [
      'signs out everywhere',
      ({ accountId }) => team.services.sessions.endAllSessions(accountId),
      'Your automatic top-up was turned off',
    ],
    [
      'chooses another password elsewhere',
      ({ viewer }) => team.services.settings.changePassword({ viewer, password: firstPassword, address }, newPassword),
      'Your automatic top-up was turned off',
    ],
  ];

  it.each(endingSessions)(
    'is not charged what a session agreed to that is ended as its owner %s, until they agree again, and they are mailed',
    async (_, end, title) => {
      await turnOn(ada);
      await freeze();
      team.clock.advanceMs(40 * 24 * hourMs);
      const thief = { actorId: 'sess_of_thief', personId: ada.accountId, address, userAgent: null };
      await actAs(thief, () => set(ada, { dollars: 500, monthlyCapDollars: 5_000 }));
      team.clock.advanceMs(29 * 24 * hourMs);
      await fixture.source.query('DELETE FROM notice');
      await end(ada);
      expect(await find()).toMatchObject({ isOn: false, failure: 'consent_needed', card: { last4: '4242' } });
      expect(await mails()).toContain(`ada@example.com: ${title}`);
      await thaw();
      await sweep();
      expect(double.books.payments).toEqual([]);
      await freeze();
      expect(await set(ada, { isOn: true, dollars: 5, monthlyCapDollars: 50 })).toMatchObject({
        ...{ isOn: true, failure: null },
      });
    },
  );

  it('goes on as agreed long before, in the session that goes on, or by another member, when sessions are ended', async () => {
    const end = (way: number, person: Person) => endingSessions[way]?.[1](person);
    await turnOn(ada);
    await freeze();
    const own = { actorId: ada.viewer.sessionId, personId: ada.accountId, address, userAgent: null };
    await actAs(own, () => set(ada, { dollars: 6 }));
    await end(2, ada);
    expect(await find()).toMatchObject({ isOn: true, failure: null });
    await end(1, bob);
    team.clock.advanceMs(30 * 24 * hourMs + 1);
    for (const way of [1, 0]) await end(way, ada);
    expect(await find()).toMatchObject({ isOn: true, failure: null });
    expect(await mails()).not.toContain('ada@example.com: Your automatic top-up was turned off');
  });

  it('is not charged any more when its owner resets the password and ends every key, until they agree again', async () => {
    await turnOn(ada);
    await freeze();
    const reset = async (revokeKeys: boolean) =>
      team.services.resets.reset({ token: await team.resetTokenFor(ada.email), newPassword, revokeKeys });
    team.clock.advanceMs(30 * 24 * hourMs + 1);
    await reset(false);
    expect(await find()).toMatchObject({ isOn: true });
    team.clock.advanceMs(hourMs);
    await reset(true);
    expect(await find()).toMatchObject({ isOn: false, failure: 'consent_needed', card: { last4: '4242' } });
    expect(await set(ada, { isOn: true })).toMatchObject({ isOn: true, failure: null });
  });
});
