import { mock } from 'node:test';
import { entities } from '../../entities.js';
import type { ProofKind } from '../../factors/pending-proofs.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { firstPassword, newPassword, type Person, RecoveryPeople } from '../../test/recovery-people.js';
import type { LinkPurpose } from './account-link.entity.js';

type Fate = 'is void' | `stays: ${string}`;

const invalid = { code: 'not_found', param: 'token' };
const address = '192.0.2.1';

/** What becomes of each link that is mailed about an account. One that is new does not compile until it stands here. */
const links = {
  reset_password: 'is void',
  confirm_email: 'is void',
  undo_email: 'stays: the former address decides last, whatever a thief does meanwhile',
} as const satisfies Record<LinkPurpose, Fate>;

/** The same of each proof that was begun. */
const proofs = {
  'second step': 'is void',
  'passkey proof': 'is void',
  'new passkey': 'is void',
  'provider asked': 'is void',
  'provider answered': 'is void',
  'passkey sign-in': 'stays: it is of nobody before its end, and whoever has the passkey begins it anew',
  'operator passkey sign-in': 'stays: of an operator',
  'operator passkey proof': 'stays: of an operator',
  'new operator passkey': 'stays: of an operator',
} as const satisfies Record<ProofKind, Fate>;

/** The same of each table whose rows let somebody in later, wait for a second half, or run out. */
const tables: Readonly<Record<string, Fate>> = {
  account_link: 'is void',
  authenticator_app: 'is void',
  factor_recovery: 'is void',
  known_device: 'is void',
  pending_proof: 'is void',
  session: 'is void',
  accepted_invitation: 'stays: tells who has joined by which link; lets nobody in',
  api_key: 'stays: programs go on; the owner sees and revokes keys, and a reset asks whether they end',
  balance_alert: 'stays: tells of the balance, and lets nobody in',
  email_verification: 'stays: it proves the address that is in force, and opens nothing',
  idempotent_answer: 'stays: is given to whoever has the key or session that asked',
  invitation: 'stays: only the invited address accepts it, and the members are shown with it',
  linked_identity: 'stays: in force; the owner was told by mail, and unlinks it',
  notice: 'stays: a mail whose link is void is not sent, and no other opens anything',
  passkey: 'stays: in force; the owner was told by mail, and removes it',
  receipt_link: 'stays: shows one receipt',
  recovery_code: 'stays: in force; worth nothing without the password',
  signup_gift: 'stays: books',
  signup_gift_request: 'stays: books',
  webhook_call_look: 'stays: tells of calls, and lets nobody in',
  webhook_endpoint: 'stays: tells of calls, and lets nobody in',
};

describeOnEachDatabase('What is still open when a password changes', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let people: RecoveryPeople;
  let ada: Person;
  let eve: Person;

  beforeEach(async () => {
    people = new RecoveryPeople(fixture);
    ada = await people.signUp('ada@example.com');
    eve = await people.signUp('eve@example.com');
  });
  afterEach(() => mock.restoreAll());

  const confirm = (token: string | null) => people.services.emailChanges.confirm(String(token));
  const reset = (token: string | null) =>
    people.services.resets.reset({ token: String(token), newPassword: 'the thief is in now', revokeKeys: false });
  const proofOf = ({ viewer }: Person, password = firstPassword) => ({ viewer, password, address });
  const askFor = (newEmail: string) => people.services.emailChanges.request(proofOf(ada), newEmail);
  const emailOf = async ({ accountId }: Person) => (await people.services.accounts.findAccount(accountId))?.email;

  /** One of each that waits for its second half. */
  const begin = async ({ accountId, viewer }: Person) => {
    const { manager } = fixture.source;
    const createdAtMs = people.clock.nowMs();
    await manager.insert('pending_proof', { holderHash: accountId, accountId, payload: 'p', expiresAtMs: 9e12 });
    await manager.insert('authenticator_app', { accountId, sealedSecret: 's', createdAtMs, lastStep: 0 });
    await manager.insert('factor_recovery', { accountId, linkId: `frec_${viewer.sessionId}` });
  };
  const countOpen = async ({ accountId }: Person) => {
    const of = ['pending_proof', 'authenticator_app', 'factor_recovery', 'known_device'];
    const counts = of.map((table) => fixture.source.manager.countBy(table, { accountId }));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };

  const ways = {
    'is changed': () => people.services.settings.changePassword(proofOf(ada), newPassword),
    'stays, and every session is ended': () => people.services.sessions.endAllSessions(ada.accountId),
    'stays, and an operator ends every session': () =>
      people.services.sessions.endAllSessions(ada.accountId, async () => {}),
    'is reset by mail': async () => {
      const url = await people.services.resets.createLinkFor(ada.email);
      const token = String(url).replace(/^.*#/, '');
      await people.services.resets.reset({ token, newPassword, revokeKeys: false });
    },
    'is chosen with a change of the address that is undone': async () => {
      await confirm(await people.changeTokenFor(ada, 'thief-first@example.org'));
      const token = String(await people.undoTokenOf('ada@example.com'));
      // What the thief begins after it.
      await people.changeTokenFor(ada, 'thief-again@example.org');
      await people.services.emailChanges.undo({ token, newPassword, revokeKeys: false });
    },
  };

  it('is decided for each kind of link and proof, and for each table that keeps what is open', () => {
    const opens = /(^|_)(hash|secret|payload)$|^(expires|due|link_ends|confirmed)_at_ms$/;
    const namesOne = /^(account_id|person_id|invited_by)$/;
    const found = fixture.source.entityMetadatas
      .filter(({ columns }) => columns.some(({ databaseName }) => namesOne.test(databaseName)))
      .filter(({ columns }) => columns.some(({ databaseName }) => opens.test(databaseName)))
      .map(({ tableName }) => tableName);
    expect(entities.length).toBeGreaterThan(found.length);
    expect(found.toSorted()).toEqual(Object.keys(tables).toSorted());
    for (const fate of [...Object.values(links), ...Object.values(proofs)]) expect(fate).toMatch(/^is void$|^stays: /);
  });

  it.each(Object.keys(ways) as (keyof typeof ways)[])(
    'and of another account nothing, is void when the password %s: links, sign-ins, factors that were begun',
    async (way) => {
      const before = [await people.changeTokenFor(ada, 'thief@example.org'), await people.resetTokenFor(ada.email)];
      const ofEve = await people.changeTokenFor(eve, 'eve@example.org');
      for (const person of [ada, eve]) await begin(person);
      await ways[way]();
      await expect(confirm(String(before[0]))).rejects.toMatchObject(invalid);
      await expect(reset(String(before[1]))).rejects.toMatchObject(invalid);
      expect([await countOpen(ada), await countOpen(eve)]).toEqual([0, 4]);
      await confirm(ofEve);
      expect([await emailOf(ada), await emailOf(eve)]).toEqual(['ada@example.com', 'eve@example.org']);
      expect(await people.isSignedIn(eve)).toBe(true);
    },
  );

  it.each(['is changed', 'stays, and every session is ended'] as const)(
    'leaves no mail that waits a link to open when the password %s',
    async (way) => {
      await askFor('thief@example.org');
      await people.services.resets.request({ email: ' ADA@example.com', address });
      const mails = (await people.listMails()).filter(({ linkId }) => linkId !== null);
      expect(mails).toHaveLength(2);
      await ways[way]();
      for (const mail of mails) expect(await people.tokenOf(mail)).toBeNull();
    },
  );

  it('is no link of a request that was proved by the password before, and comes behind the change', async () => {
    const { settings } = people.services;
    const prove = settings.proveOwner.bind(settings);
    for (const way of ['is changed', 'stays, and every session is ended'] as const) {
      const proving = mock.method(settings, 'proveOwner', async (...asked: Parameters<typeof prove>) => {
        const account = await prove(...asked);
        proving.mock.restore();
        await ways[way]();
        return account;
      });
      const person = way === 'is changed' ? firstPassword : newPassword;
      const asked = people.services.emailChanges.request(proofOf(ada, person), 'thief@example.org');
      await expect(asked).rejects.toMatchObject({ code: 'unauthenticated' });
    }
    expect(await fixture.countRows('account_link')).toBe(0);
    expect(await people.listMails()).toEqual([]);
  });

  it('is not the way back to a former address, whatever password the thief chooses and whoever they sign out', async () => {
    await confirm(await people.changeTokenFor(ada, 'thief@example.org'));
    await ways['is changed']();
    await ways['stays, and every session is ended']();
    const token = String(await people.undoTokenOf('ada@example.com'));
    await people.services.emailChanges.undo({ token, newPassword: 'the owner is back here', revokeKeys: false });
    expect(await emailOf(ada)).toBe('ada@example.com');
    expect(await people.letsIn('ada@example.com', 'the owner is back here')).toBe(true);
  });
});
