import { openAccounts } from '../accounts/open-accounts.js';
import { noSignInFactors } from '../accounts/sign-in/sign-in-factors.js';
import { openTopUpPayers } from '../composition/open-top-up-payers.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { MemoryAttemptCounter } from '../kernel/attempt-counter.js';
import { FakeClock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { silentLogger } from '../kernel/logger.js';
import type { Viewer } from '../kernel/viewer.js';
import { OneProcessKeyChanges } from '../keys/changes/key-changes.js';
import { Memberships } from '../members/memberships.js';
import { Outbox } from '../notices/outbox.js';
import type { LedgerFixture } from './ledger-fixture.js';

export const firstPassword = 'a long enough password';
export const newPassword = 'another long password';

/** Somebody who has signed up. */
export interface Person {
  readonly accountId: string;
  readonly email: string;
  readonly viewer: Viewer;
  readonly sessionToken: string;
}

/** A mail that waits to be sent. */
export interface WaitingMail {
  readonly title: string;
  readonly recipient: string;
  readonly linkId: string | null;
}

/** People with accounts, the real services around them, and the mails that wait in the outbox. */
export class RecoveryPeople {
  readonly clock = new FakeClock();
  readonly unitOfWork: UnitOfWork;
  readonly services: ReturnType<typeof openAccounts>;
  readonly verified: string[] = [];
  #networks = 0;

  constructor(private readonly fixture: LedgerFixture) {
    this.unitOfWork = new UnitOfWork(fixture.source);
    const { unitOfWork, clock } = this;
    const keyChanges = new OneProcessKeyChanges(clock);
    const outbox = new Outbox(unitOfWork, clock, null, silentLogger);
    const payers = openTopUpPayers({ outbox, clock, publicUrl: 'http://tollgate.test' });
    this.services = openAccounts(
      {
        unitOfWork,
        clock,
        ledger: fixture.ledger,
        logger: silentLogger,
        openCounter: (rule) => new MemoryAttemptCounter(rule, { nowMs: () => clock.nowMs() }),
        outbox,
        factors: noSignInFactors,
        keyChanges,
        members: new Memberships({ unitOfWork, clock, keyChanges, payers }),
        onVerified: (accountId) => void this.verified.push(accountId),
      },
      {
        publicUrl: 'http://tollgate.test',
        signUpsPerHour: 1_000,
        signupMillicredits: 0,
        signupGifts: { perNetworkMax: 0, perHourMax: 0 },
      },
    );
  }

  async signUp(email: string, { isVerified = true } = {}): Promise<Person> {
    const signedUp = await this.services.accounts.signUp({
      email,
      password: firstPassword,
      name: 'A Person',
      from: { address: '192.0.2.1', userAgent: 'test', deviceTokens: [] },
    });
    const { sessionToken, account } = signedUp;
    const viewer = (await this.services.sessions.findAccountBySessionToken(sessionToken)) as Viewer;
    if (isVerified) {
      await this.fixture.source.query(`UPDATE account SET email_verified_at_ms = 1 WHERE id = '${account.id}'`);
    }
    await this.fixture.source.query('DELETE FROM notice');
    return { accountId: account.id, email, viewer, sessionToken };
  }

  async makeKey({ accountId }: Pick<Person, 'accountId'>): Promise<string> {
    const keyId = createId('key');
    await this.fixture.source.query(
      `INSERT INTO api_key (id, account_id, name, secret_hash, masked_secret, created_at_ms, scopes, revision) VALUES ('${keyId}', '${accountId}', 'k', '${keyId}', 'm', 0, 'chat', 0)`,
    );
    return keyId;
  }

  /** Whether the password lets in, from a network where nobody has failed. */
  async letsIn(email: string, password: string): Promise<boolean> {
    this.#networks += 1;
    const from = { address: `198.51.100.${this.#networks}`, userAgent: null, deviceTokens: [] };
    return this.services.accounts.signIn({ email, password, from }).then(
      () => true,
      () => false,
    );
  }

  async isSignedIn({ sessionToken }: Person): Promise<boolean> {
    return (await this.services.sessions.findAccountBySessionToken(sessionToken)) !== null;
  }

  async listMails(): Promise<WaitingMail[]> {
    return this.fixture.source.query(
      'SELECT title, recipient, link_id AS linkId FROM notice ORDER BY created_at_ms, id',
    );
  }

  /** The token in the link of a mail, which leaves now; null: it is not sent. */
  async tokenOf(mail: WaitingMail | undefined): Promise<string | null> {
    const link = await this.services.createLink(String(mail?.linkId));
    return link === null ? null : link.url.replace(/^.*#/, '');
  }

  /** Asks for a new password, from a network of its own, and opens the mail. */
  async resetTokenFor(email: string): Promise<string> {
    this.#networks += 1;
    await this.services.resets.request({ email, address: `203.0.113.${this.#networks}` });
    return String(await this.tokenOf((await this.listMails()).at(-1)));
  }

  /** Asks for another address and opens the mail that was sent there. */
  async changeTokenFor({ viewer }: Person, newEmail: string, password = firstPassword): Promise<string | null> {
    const { emailChanges } = this.services;
    await emailChanges.request({ viewer, password, address: '192.0.2.1' }, newEmail);
    const mails = (await this.listMails()).filter(({ title }) => title === 'Confirm your new e-mail address');
    return this.tokenOf(mails.at(-1));
  }

  async undoTokenOf(email: string): Promise<string | null> {
    const mails = await this.listMails();
    return this.tokenOf(mails.find(({ title, recipient }) => title.startsWith('The e-mail') && recipient === email));
  }
}
