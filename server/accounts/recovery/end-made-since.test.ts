import { actAs } from '../../audit/acting.js';
import type { EventKind } from '../../audit/event-kinds.js';
import { noteEvent } from '../../audit/note-event.js';
import { entities } from '../../entities.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { newPassword, type Person } from '../../test/recovery-people.js';
import { listTablesOfAccounts } from '../../test/tables-of-accounts.js';
import { TeamPeople } from '../../test/team-people.js';

type Row = Readonly<Record<string, string>>;

const hourMs = 3_600_000;

/** What becomes of each table that is about an account or a person, where somebody else may have acted as them. */
const ends = [
  ...['api_key', 'authenticator_app', 'balance_alert', 'email_verification', 'factor_recovery', 'invitation'],
  ...['known_device', 'account_link', 'linked_identity', 'membership', 'passkey', 'pending_proof', 'receipt_link'],
  ...['recovery_code', 'session', 'webhook_call_look', 'webhook_endpoint', 'notice'],
];
const stays: Readonly<Record<string, string>> = {
  accepted_invitation: 'tells who has joined by which link; lets nobody in',
  account_event: 'the log of what happened',
  account_limit: 'an operator sets it',
  account_month: 'sums of use',
  account_part: 'sums of use',
  account_risk_mark: 'an operator sets it',
  auto_top_up:
    'what was agreed to before, and the card of a member from before; what was since is off: card-payers.test.ts',
  auto_top_up_charge: 'books',
  call_record: 'books',
  credit_request: 'an operator asks for it',
  customer_view: 'an operator looks, by a session of their own',
  idempotent_answer: 'is given to whoever has the key or session that asked, which ended',
  key_change: 'tells servers of changes',
  key_network: 'where keys were used from',
  notice_read: 'up to where somebody has read',
  operator_event: 'the log of operators',
  personal_item: 'is shown to its person alone; that of members who end goes with them',
  priced_account: 'an operator sets it',
  purchase: 'books',
  purchase_reversal: 'books',
  refund_order: 'books',
  refusal: 'what requests were refused for',
  request_minute: 'counts a minute',
  saved_item: 'words that members see; nothing in them lets in',
  sealed_month: 'books',
  signup_gift: 'books',
  signup_gift_request: 'books',
  stripe_customer: 'Stripe asks for the card',
  told_filling: 'up to where the balance was told',
  totals_mark: 'sums of use',
  usage_hour: 'books',
  usage_late: 'books',
  usage_set: 'sums of use',
};

describeOnEachDatabase('What somebody made who acted as the owner', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let team: TeamPeople;
  let ada: Person;
  let undoToken: string;

  beforeEach(async () => {
    team = new TeamPeople(fixture);
    ada = await team.signUp('ada@example.com');
  });

  const note = (accountId: string, kind: EventKind, subjectId: string | null, personId?: string) => {
    const write = () =>
      team.unitOfWork.transact((transaction) =>
        noteEvent(transaction, { accountId, kind, ...(subjectId !== null && { subjectId }) }),
      );
    const actor = { actorId: 'sess_1', personId: personId ?? null, address: '192.0.2.1', userAgent: null };
    return personId === undefined ? write() : actAs(actor, write);
  };

  /** One of everything that lets somebody in or sends something out, with this mark in its name. */
  const makeAll = async ({ accountId }: Person, mark: string, { isNoted = true } = {}) => {
    const { manager } = fixture.source;
    const createdAtMs = team.clock.nowMs();
    const id = `${mark}_${accountId.slice(-8)}`;
    const of = { accountId, createdAtMs };
    const noted = (kind: EventKind, subjectId: string | null) =>
      isNoted ? note(accountId, kind, subjectId, accountId) : Promise.resolve();
    await manager.insert('passkey', {
      ...{ ...of, id, name: mark, credentialId: id, credentialHash: id, publicKey: 'k', counter: 0, transports: '' },
    });
    await manager.insert('linked_identity', { ...of, id, provider: 'p', identityHash: id, label: mark });
    await manager.insert('webhook_endpoint', {
      ...{ ...of, id, name: mark, url: 'https://example.com', secret: 's', events: 'call.completed', isOn: true },
    });
    await manager.insert('webhook_call_look', { endpointId: id, accountId, sinceMs: 0, dueAtMs: 0 });
    await manager.insert('receipt_link', { tokenHash: id, accountId, callId: `call_${mark}`, expiresAtMs: 9e12 });
    await manager.insert('recovery_code', { accountId, codeHash: id });
    await noted('passkey_added', id);
    await noted('webhook_endpoint_created', id);
    await noted('receipt_shared', `call_${mark}`);
    const { apiKey } = await team.keys.createKey(accountId, { name: mark });
    // Events have the time of the machine, which is behind all that the clock of the tests says.
    if (!isNoted) await fixture.source.query(`DELETE FROM account_event WHERE subject_id = '${apiKey.id}'`);
  };
  const makeSingle = async ({ accountId }: Person) => {
    const { manager } = fixture.source;
    const at = team.clock.nowMs();
    const app = { accountId, sealedSecret: 's', createdAtMs: at, confirmedAtMs: at, lastStep: 0 };
    await manager.insert('authenticator_app', app);
    await manager.insert('pending_proof', { holderHash: accountId, accountId, payload: 'p', expiresAtMs: 9e12 });
    await manager.insert('factor_recovery', { accountId, linkId: 'frec_1' });
    const webhook = { webhookUrl: 'https://thief.example', webhookSecret: 's' };
    await manager.insert('balance_alert', { accountId, isByEmail: true, isArmed: true, ...webhook });
    await note(accountId, 'balance_alert_set', null, accountId);
  };
  const left = async ({ accountId }: Person) => {
    const { manager } = fixture.source;
    const names = async (table: string, name: string) =>
      (await manager.find<Row>(table, { where: { accountId } })).map((row) => row[name]).toSorted();
    const [alert] = await manager.find<Row>('balance_alert', { where: { accountId } });
    const keys = await team.keys.listKeys(accountId);
    return {
      passkeys: await names('passkey', 'name'),
      identities: await names('linked_identity', 'label'),
      endpoints: await names('webhook_endpoint', 'name'),
      looks: (await names('webhook_call_look', 'endpointId')).map((id) => String(id).split('_')[0]),
      receipts: await names('receipt_link', 'callId'),
      codes: await manager.countBy('recovery_code', { accountId }),
      apps: await manager.countBy('authenticator_app', { accountId }),
      pending:
        (await manager.countBy('pending_proof', { accountId })) +
        (await manager.countBy('factor_recovery', { accountId })),
      alert: alert?.webhookUrl ?? null,
      keys: keys.filter(({ revokedAtMs }) => revokedAtMs === null).map(({ name }) => name),
    };
  };
  const nothing = {
    ...{ passkeys: [], identities: [], endpoints: [], looks: [], receipts: [], codes: 0, apps: 0, pending: 0 },
    ...{ alert: null, keys: [] },
  };
  const ofOwner = {
    ...{ ...nothing, passkeys: ['owners'], identities: ['owners'], endpoints: ['owners'], looks: ['owners'] },
    ...{ receipts: ['call_owners'], keys: ['owners'] },
  };
  const lastMail = async () =>
    (await fixture.source.query(`SELECT body FROM notice ORDER BY created_at_ms DESC, id DESC LIMIT 1`))[0].body;

  const undo = async (revokeKeys = false) => {
    await team.services.emailChanges.undo({ token: undoToken, newPassword, revokeKeys });
  };
  const takeOver = async (before = async () => {}) => {
    const token = String(await team.changeTokenFor(ada, 'thief@example.org'));
    await before();
    team.clock.advanceMs(hourMs);
    await team.services.emailChanges.confirm(token);
    undoToken = String(await team.undoTokenOf('ada@example.com'));
    team.clock.advanceMs(hourMs);
  };

  it('is decided for each table that is about an account or a person', () => {
    const about = listTablesOfAccounts(fixture.source);
    expect(entities.length).toBeGreaterThan(about.length);
    const decided = [...ends, ...Object.keys(stays)];
    expect(about.filter((table) => !decided.includes(table))).toEqual([]);
    expect(decided.filter((table) => !about.includes(table))).toEqual([]);
  });

  it('since a change of the address was asked for ends when the change is undone, and the owner is told what', async () => {
    await makeAll(ada, 'owners', { isNoted: false });
    team.clock.advanceMs(hourMs);
    await takeOver(() => makeAll(ada, 'early'));
    await makeAll(ada, 'thiefs');
    await makeSingle(ada);
    await undo();
    expect(await left(ada)).toEqual(ofOwner);
    const body = await lastMail();
    for (const part of ['2 × passkey', '1 × authenticator app', '2 × linked sign-in', '2 × webhook endpoint']) {
      expect(body).toContain(part);
    }
    for (const part of ['3 × recovery code', '1 × webhook of the balance alert', '2 × shared receipt', '2 × API key']) {
      expect(body).toContain(part);
    }
    expect(await team.letsIn('ada@example.com', newPassword)).toBe(true);
  });

  it('of the owner from before stays when nothing came since, recovery codes too', async () => {
    await makeAll(ada, 'owners', { isNoted: false });
    team.clock.advanceMs(hourMs);
    await takeOver();
    await undo();
    expect(await left(ada)).toEqual({ ...ofOwner, codes: 1 });
    expect(await lastMail()).toContain('Nothing else that lets anybody in was found');
  });

  it('from before ends, too, where it was changed since: an endpoint, and a key whose new secret is known', async () => {
    await makeAll(ada, 'owners', { isNoted: false });
    const [key] = await team.keys.listKeys(ada.accountId);
    team.clock.advanceMs(hourMs);
    await takeOver();
    await team.keys.rotateKey({ accountId: ada.accountId, keyId: String(key?.id) });
    await note(ada.accountId, 'webhook_endpoint_changed', `owners_${ada.accountId.slice(-8)}`, ada.accountId);
    await undo();
    expect(await left(ada)).toMatchObject({ endpoints: [], keys: [] });
  });

  it('goes with members and invitations that came since; what members from before made stays', async () => {
    const bob = await team.joinAs(ada, 'admin', 'bob@example.com');
    team.clock.advanceMs(hourMs);
    await takeOver();
    const eve = await team.joinAs(ada, 'owner', 'eve@example.com');
    await team.memberships.setRole({ ...team.change(ada, eve, ada), role: 'viewer' });
    await team.inviteBy(eve, 'more@example.com', 'admin', ada);
    await team.inviteBy(bob, 'carol@example.com', 'viewer', ada);
    const ofBob = { personId: bob.accountId, role: 'admin' } as const;
    const { apiKey } = await team.keys.createKey(ada.accountId, { name: 'bobs' }, { person: ofBob });
    await fixture.source.query(`DELETE FROM account_event WHERE subject_id = '${apiKey.id}'`);
    await note(ada.accountId, 'key_created', apiKey.id, bob.accountId);
    const ofEve = { personId: eve.accountId, role: 'owner' } as const;
    await team.keys.createKey(ada.accountId, { name: 'eves' }, { person: ofEve });
    await team.memberships.switchAccount(eve.viewer, ada.accountId);
    await undo();
    const members = await team.memberships.listMembers(ada.accountId);
    expect(members.map(({ email, role }) => [email, role])).toEqual([
      ['ada@example.com', 'owner'],
      ['bob@example.com', 'admin'],
    ]);
    expect(await team.actingOf(eve)).toBeNull();
    const invitations = await team.invitations.listInvitations(ada.accountId);
    expect(invitations.map(({ email }) => email)).toEqual(['carol@example.com']);
    expect((await left(ada)).keys).toEqual(['bobs']);
  });

  it('in the account stays where an owner from before has lowered the person, whose own ends; in accounts of others their keys do', async () => {
    const bob = await team.joinAs(ada, 'owner', 'bob@example.com');
    const home = await team.signUp('home@example.com');
    await team.invitations.accept(await team.inviteBy(home, 'ada@example.com', 'developer'), ada.accountId);
    team.clock.advanceMs(hourMs);
    await takeOver();
    await makeAll(ada, 'thiefs');
    const own = { personId: ada.accountId, role: 'developer' } as const;
    await team.keys.createKey(home.accountId, { name: 'elsewhere' }, { person: own });
    await team.joinAs(ada, 'viewer', 'carol@example.com');
    await team.keys.createKey(ada.accountId, { name: 'bobs' }, { person: { personId: bob.accountId, role: 'owner' } });
    await team.memberships.setRole({ ...team.change(ada, bob, ada), role: 'viewer' });
    await undo(true);
    expect(await left(ada)).toMatchObject({ passkeys: [], endpoints: ['thiefs'], keys: ['bobs'] });
    expect(await team.roleOf(ada, ada)).toBe('viewer');
    expect(await team.memberships.listMembers(ada.accountId)).toHaveLength(3);
    expect((await left(home)).keys).toEqual([]);
  });

  it('in an account whose address nobody had proved ends when the password is reset by mail', async () => {
    const typed = await team.signUp('not-mine@example.com', { isVerified: false });
    await makeAll(typed, 'strangers');
    await makeSingle(typed);
    const token = await team.resetTokenFor(typed.email);
    await team.services.resets.reset({ token, newPassword, revokeKeys: false });
    expect(await left(typed)).toEqual(nothing);
    expect(await lastMail()).toContain('1 × passkey, 1 × authenticator app');
    expect(await team.letsIn(typed.email, newPassword)).toBe(true);
  });

  it('keeps its factors where the address was proved: whoever reads the mail alone does not get past them', async () => {
    await makeAll(ada, 'owners', { isNoted: false });
    await makeSingle(ada);
    const token = await team.resetTokenFor(ada.email);
    await team.services.resets.reset({ token, newPassword, revokeKeys: false });
    expect(await left(ada)).toMatchObject({ passkeys: ['owners'], apps: 1, keys: ['owners'] });
  });
});
