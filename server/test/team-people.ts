import { openTopUpPayers } from '../composition/open-top-up-payers.js';
import { silentLogger } from '../kernel/logger.js';
import type { MemberRole } from '../kernel/member-role.js';
import { ApiKeyService } from '../keys/api-key-service.js';
import { OneProcessKeyChanges } from '../keys/changes/key-changes.js';
import { Invitations } from '../members/invitations.js';
import { Memberships } from '../members/memberships.js';
import { Outbox } from '../notices/outbox.js';
import { keyRules } from './key-rules.js';
import type { LedgerFixture } from './ledger-fixture.js';
import { type Person, RecoveryPeople } from './recovery-people.js';

/** People, the accounts that they share, and the real services around them. */
export class TeamPeople extends RecoveryPeople {
  readonly memberships: Memberships;
  readonly invitations: Invitations;
  readonly keys: ApiKeyService;

  constructor(private readonly books: LedgerFixture) {
    super(books);
    const { unitOfWork, clock } = this;
    const keyChanges = new OneProcessKeyChanges(clock);
    const outbox = new Outbox(unitOfWork, clock, null, silentLogger);
    const payers = openTopUpPayers({ outbox, clock, publicUrl: 'http://tollgate.test' });
    this.memberships = new Memberships({ unitOfWork, clock, keyChanges, payers });
    this.invitations = new Invitations({ unitOfWork, clock, outbox, publicUrl: 'http://tollgate.test' });
    this.keys = new ApiKeyService(unitOfWork, clock, keyRules(100), keyChanges, this.memberships);
  }

  /** Asks somebody by mail, and opens the mail. */
  async inviteBy(inviter: Person, email: string, role: MemberRole, { accountId } = inviter): Promise<string> {
    const { id } = await this.invitations.invite({ accountId, byPersonId: inviter.accountId, email, role });
    return String((await this.invitations.createLink(id))?.url.replace(/^.*#/, ''));
  }

  /** Somebody new, who is a member from now on. */
  async joinAs(owner: Person, role: MemberRole, email = `${role}@example.com`): Promise<Person> {
    const person = await this.signUp(email);
    if (role === 'owner') {
      await this.invitations.accept(await this.inviteBy(owner, email, 'admin'), person.accountId);
      await this.memberships.setRole({ ...this.change(owner, owner, person), role });
    } else await this.invitations.accept(await this.inviteBy(owner, email, role), person.accountId);
    return person;
  }

  /** What one person does to another in an account. */
  change(account: Person, by: Person, to: Person) {
    return { accountId: account.accountId, byPersonId: by.accountId, personId: to.accountId };
  }

  /** For which account a session acts; null: it has ended. */
  async actingOf({ viewer }: Person): Promise<string | null> {
    return (await this.services.sessions.findRunning(viewer.sessionId))?.actingAccountId ?? null;
  }

  roleOf({ accountId }: Person, { accountId: personId }: Person): Promise<MemberRole | null> {
    return this.memberships.findRole({ accountId, personId });
  }

  /** The kinds of an account's events, oldest first. */
  async eventsOf({ accountId }: Person): Promise<string[]> {
    const rows = await this.books.source.query(
      `SELECT kind FROM account_event WHERE account_id = '${accountId}' ORDER BY id`,
    );
    return rows.map(({ kind }: { kind: string }) => kind);
  }
}
