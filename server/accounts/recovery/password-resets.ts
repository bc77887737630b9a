import { type EntityManager, IsNull } from 'typeorm';
import { noteEvent } from '../../audit/note-event.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { Clock } from '../../kernel/clock.js';
import { AccountEntity } from '../account.entity.js';
import type { KeyEndings, MembersOfAccounts } from '../account-deletion.js';
import { findAccountByEmail } from '../find-account-by-email.js';
import { normaliseEmail } from '../mailbox.js';
import { assertPasswordRules } from '../sign-in/password-rules.js';
import type { Passwords } from '../sign-in/passwords.js';
import { endSessions, oldestSessionMs } from '../sign-in/session-service.js';
import { assertEmailRules } from '../sign-up/sign-up-rules.js';
import { AccountLinkEntity } from './account-link.entity.js';
import {
  findLink,
  giveToken,
  type LinkOutbox,
  linkLifetimesMs,
  noteLink,
  refuseLink,
  type SecretLink,
  takeLink,
} from './account-links.js';
import { type EndedSince, endMadeSince } from './end-made-since.js';
import type { ResetThrottle } from './reset-throttle.js';
import { describeKeys, noteEndedKeys, revokeKeys } from './revoke-keys.js';

export interface PasswordResetsParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly throttle: ResetThrottle;
  readonly outbox: LinkOutbox;
  readonly keyChanges: KeyEndings;
  readonly members: Pick<MembersOfAccounts, 'mayManageKeys' | 'endSince' | 'withdrawConsents'>;
  readonly publicUrl: string;
  /** Called when the address of an account was proved by the link. */
  onVerified(accountId: string): void;
}

const purpose = 'reset_password' as const;

/**
 * The way back for whoever forgot the password: a link, mailed to the address of the account, good for 30 minutes and one use.
 * Whether there is such an account is looked up when the mail leaves and not before, so a request costs and says the same for
 * every address.
 */
export class PasswordResets {
  constructor(private readonly parts: PasswordResetsParts) {}

  /**
   * Has the link mailed, if there is an account with this address and no such mail left lately.
   * @throws InvalidInputError for what is no address; AppError `rate_limit_exceeded` as `ResetThrottle` says.
   */
  async request({ email, address }: { email: string; address: string }): Promise<void> {
    assertEmailRules('email', email);
    const { clock, outbox, throttle, unitOfWork } = this.parts;
    const emailNormalised = normaliseEmail(email);
    if (!(await throttle.countRequest({ emailNormalised, address }))) return;
    await unitOfWork.transact(async (transaction) => {
      const asked = { accountId: null, purpose, email: emailNormalised, emailNormalised };
      const linkId = await noteLink(transaction, asked, clock.nowMs());
      await outbox.put(transaction, {
        subjectKey: `reset-password:${linkId}`,
        accountId: null,
        channel: 'email',
        // The address on record, which may be spelled otherwise, is put in when it leaves.
        recipient: '',
        title: 'Choose a new password',
        body: 'Somebody, hopefully you, asked to reset the password of the account with this address. To choose a new one, open this link within 30 minutes. If it was not you, you can ignore this e-mail. Your password stays as it is.',
        linkId,
      });
    });
  }

  /**
   * Makes the link of a mail that is about to leave.
   * @returns null when there is no such request, or no account with its address.
   */
  async createLink(linkId: string): Promise<SecretLink | null> {
    return this.parts.unitOfWork.transact(async (transaction) => {
      const link = await transaction.findOneBy(AccountLinkEntity, { id: linkId, purpose });
      if (link === null) return null;
      const account = await findOwner(transaction, link);
      if (account === null) {
        await transaction.delete(AccountLinkEntity, { id: linkId });
        return null;
      }
      const { id: accountId, email: to, emailNormalised } = account;
      const expiresAtMs = this.parts.clock.nowMs() + linkLifetimesMs.reset_password;
      const token = await giveToken(transaction, linkId, { accountId, emailNormalised, expiresAtMs });
      // Behind the #, so that it stands in no server's log.
      const url = `${this.parts.publicUrl}/reset-password#${token}`;
      return { url, to, accountId, command: 'password-reset-link' };
    });
  }

  /**
   * For the operator, where no mail can be sent. @param also Runs in the transaction that writes the link down.
   * @returns null when there is no such account.
   */
  async createLinkFor(
    email: string,
    also: (transaction: EntityManager) => Promise<void> = async () => {},
  ): Promise<string | null> {
    const { clock, unitOfWork } = this.parts;
    const account = await findAccountByEmail(unitOfWork.reader, email);
    if (account === null) return null;
    const { id: accountId, email: onRecord, emailNormalised } = account;
    const asked = { accountId, purpose, email: onRecord, emailNormalised };
    const linkId = await unitOfWork.transact(async (transaction) => {
      await also(transaction);
      return noteLink(transaction, asked, clock.nowMs());
    });
    return (await this.createLink(linkId))?.url ?? null;
  }

  /**
   * Takes the token of a link, once, and sets the password. In the same transaction every session ends, with all that was begun and
   * not finished, as `endSessions` says, and the owner is told. The link proves the address.
   * Of an account whose address nobody had proved, somebody else may have made everything in the owner's name: with the keys all that
   * `endMadeSince` names ends, too, and the mail says what that was.
   * Automatic top-ups by their card to which one of the sessions may have agreed are off until they agree again.
   * @param revokeKeys Also revokes every API key; of an account that the owner may not manage any more, those that they have made. And
   *   turns off every automatic top-up by their card, however old.
   * @throws InvalidInputError for a `newPassword` that breaks the rules; AppError `not_found`, in the same words for a wrong, a
   *   used and an old token.
   */
  async reset(input: { token: string; newPassword: string; revokeKeys: boolean }): Promise<void> {
    const { token, newPassword } = input;
    assertPasswordRules('newPassword', newPassword);
    const { clock, passwords, unitOfWork } = this.parts;
    const asked = { token, purpose, nowMs: clock.nowMs() };
    // Before the password is hashed, which costs more than guessing.
    const link = await findLink(unitOfWork.reader, asked);
    if (link === null) throw refuse();
    assertPasswordRules('newPassword', newPassword, [link.emailNormalised]);
    const passwordHash = await passwords.hashPassword(newPassword);
    const done = await unitOfWork.transact(async (transaction) => {
      const taken = await takeLink(transaction, asked);
      if (taken === null || taken.account.emailNormalised !== taken.link.emailNormalised) return null;
      const change = { passwordHash, isEveryKey: input.revokeKeys, nowMs: asked.nowMs };
      const noted = await this.#change(transaction, taken.account, change);
      return { account: taken.account, noted };
    });
    if (done === null) throw refuse();
    const { account, noted } = done;
    if (account.emailVerifiedAtMs === null) this.parts.onVerified(account.id);
    for (const change of noted) await this.parts.keyChanges.takenOver(change);
  }

  async #change(
    transaction: EntityManager,
    { id: accountId, email, emailVerifiedAtMs }: AccountEntity,
    { passwordHash, isEveryKey, nowMs }: { passwordHash: string; isEveryKey: boolean; nowMs: number },
  ): Promise<readonly unknown[]> {
    const change = { passwordHash, emailVerifiedAtMs: emailVerifiedAtMs ?? nowMs };
    await transaction.update(AccountEntity, { id: accountId }, change);
    await noteEvent(transaction, { accountId, kind: 'password_reset' });
    const isFirstProof = emailVerifiedAtMs === null;
    const ended = isFirstProof
      ? await endMadeSince(transaction, { accountId, sinceMs: 0, isEveryKey: true, nowMs }, this.parts)
      : await this.#endKeys(transaction, { accountId, isEveryKey, nowMs });
    // Behind `endMadeSince`, which counts what is under way.
    await endSessions(transaction, accountId);
    await this.parts.outbox.put(transaction, {
      subjectKey: `password-reset:${accountId}:${nowMs}`,
      accountId,
      channel: 'email',
      recipient: email,
      title: 'Your password was changed',
      body: `A new password was set with a link that we sent here, and all sessions were ended. ${[ended.words, ended.keyWords].join(' ').trim()} If it was not you, somebody has access to your e-mail. Secure your mailbox first, then reset your password on the sign-in page.`,
    });
    return ended.noted;
  }

  async #endKeys(
    transaction: EntityManager,
    { accountId, isEveryKey, nowMs }: { accountId: string; isEveryKey: boolean; nowMs: number },
  ): Promise<EndedSince> {
    const { keyChanges, members } = this.parts;
    // Whoever ends every key takes somebody else to have been in for long, who may have raised what the card is charged.
    const sinceMs = isEveryKey ? 0 : oldestSessionMs(nowMs);
    const topUps = await members.withdrawConsents(transaction, { personId: accountId, sinceMs });
    const words = topUps === 0 ? '' : 'Automatic top-ups by your card are off until you turn them on again.';
    if (!isEveryKey) return { words, keyWords: 'Your API keys go on.', noted: [] };
    const mayManage = await members.mayManageKeys(transaction, accountId);
    await revokeKeys(transaction, { accountId, nowMs, mayManage });
    const noted = await noteEndedKeys(transaction, [accountId], keyChanges);
    return { words, keyWords: describeKeys({ isEveryKey, mayManage }), noted };
  }
}

async function findOwner(reader: EntityManager, { accountId, email }: AccountLinkEntity) {
  if (accountId === null) return findAccountByEmail(reader, email);
  return reader.findOneBy(AccountEntity, { id: accountId, closedAtMs: IsNull() });
}

function refuse() {
  return refuseLink('30 minutes', 'Ask for another one on the sign-in page.');
}
