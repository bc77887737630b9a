import { randomBytes } from 'node:crypto';
import { type EntityManager, IsNull, LessThan } from 'typeorm';
import { normaliseEmail } from '../../accounts/mailbox.js';
import { assertPasswordRules } from '../../accounts/sign-in/password-rules.js';
import type { Passwords } from '../../accounts/sign-in/passwords.js';
import { assertEmailRules, assertNameRules } from '../../accounts/sign-up/sign-up-rules.js';
import { isUniqueViolation } from '../../database/database-errors.js';
import { isStanding } from '../../database/time/is-due.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { SecretBox } from '../../factors/secret-box.js';
import { createTotpSecret, findTotpStep, totpUri } from '../../factors/totp.js';
import { AppError, InvalidInputError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { endCustomerViews } from '../accounts/customer-views.js';
import type { OperatorRole } from '../operator-access.js';
import type { OperatorLog } from '../operator-log.js';
import { OperatorEntity } from './operator.entity.js';
import { OperatorInvitationEntity } from './operator-invitation.entity.js';
import { endOperatorPasskeys } from './operator-passkeys.js';
import { actorOf, endOperatorSessions, hashToken, type OperatorSessions } from './operator-sessions.js';
import { operatorSecretPurpose } from './operator-sign-in.js';
import { endOperatorTokens } from './operator-tokens.js';

export interface OperatorPeopleParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly passwords: Pick<Passwords, 'hashPassword'>;
  readonly secretBox: SecretBox;
  readonly sessions: OperatorSessions;
  /** In the name of whoever asks. */
  readonly log: OperatorLog;
  /** Where browsers reach this server, without a slash at the end. */
  readonly publicUrl: string;
}

export type OperatorFacts = Readonly<
  Pick<OperatorEntity, 'id' | 'email' | 'name' | 'role' | 'createdAtMs' | 'disabledAtMs'>
>;

export interface JoinInput {
  readonly token: string;
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly code: string;
}

const lifetimeMs = 24 * 60 * 60_000;
/** Longer than of customers: whoever knows this password is halfway to everybody's credits. */
const passwordLengthMin = 12;

/** Who opens the link twice has two keys in the app, and nothing says which of them a code is from. */
const wrongCode =
  'This code is wrong or too old. Enter the next one. Where the link was opened again since, as in another tab, only the key that was shown last is good: load this page again, and give the app the key that it shows then.';

/** Who works here: invited by a link, good once and for a day, of which only a hash is kept. There is no default password. */
export class OperatorPeople {
  constructor(private readonly parts: OperatorPeopleParts) {}

  /** The same, whose changes stand in the log under another name. */
  by(actor: string): OperatorPeople {
    return new OperatorPeople({ ...this.parts, log: this.parts.log.by(actor) });
  }

  /** All of them, the oldest first. */
  async list(): Promise<readonly OperatorFacts[]> {
    return this.parts.unitOfWork.reader.find(OperatorEntity, { order: { id: 'ASC' } });
  }

  /**
   * A link for the first owner, for whoever starts the server at a terminal; links that were made before end.
   * @returns null where somebody works here already, or nobody can: on MySQL without SECRETS_KEY.
   */
  async inviteFirst(): Promise<string | null> {
    const { secretBox, unitOfWork } = this.parts;
    if (!secretBox.canSeal || (await unitOfWork.reader.exists(OperatorEntity))) return null;
    await unitOfWork.transact((transaction) => transaction.deleteAll(OperatorInvitationEntity));
    return this.invite('owner', 'First start');
  }

  /** Makes a link by which somebody becomes an operator. @returns it; it is stored nowhere. @throws InvalidInputError for the reason, `conflict` without SECRETS_KEY on MySQL. */
  async invite(role: OperatorRole, reason: string): Promise<string> {
    return this.#makeLink({ role, operatorId: null }, { action: 'invite', reason });
  }

  /**
   * Makes a link by which an operator sets password and app anew; sessions go on until it is used.
   * @throws AppError `not_found` where there is no such operator who may work.
   */
  async renew(emailOrId: string, reason: string): Promise<string> {
    const { id, role } = await this.#getOpen(emailOrId);
    return this.#makeLink({ role, operatorId: id }, { action: 'renew', subject: id, reason });
  }

  /**
   * What the app is to be given by whoever has the link; asked again, it is another secret, and the last one counts.
   * @throws AppError `not_found` for a link that was used or is too old; `conflict` where secrets cannot be kept.
   */
  async startJoining(token: string): Promise<{ role: OperatorRole; secret: string; uri: string }> {
    const { secretBox, unitOfWork } = this.parts;
    const { id, role } = await this.#getInvitation(unitOfWork.reader, token);
    const secret = createTotpSecret();
    const sealedSecret = await secretBox.seal(secret, operatorSecretPurpose);
    await unitOfWork.transact((transaction) => transaction.update(OperatorInvitationEntity, { id }, { sealedSecret }));
    return { role, secret, uri: totpUri(secret, 'operator') };
  }

  /**
   * Uses the link: makes the operator, or sets password and app anew and ends all sessions.
   * @returns the token of a session.
   * @throws as `startJoining`; InvalidInputError for a field or a wrong `code`; AppError `conflict` for an e-mail that is taken.
   */
  async join(input: JoinInput): Promise<string> {
    assertEmailRules('email', input.email);
    assertNameRules(input.name);
    assertPasswordRules('password', input.password, [input.email, input.name]);
    if ([...input.password].length < passwordLengthMin) {
      throw new InvalidInputError('password', `An operator's password has at least ${passwordLengthMin} characters.`);
    }
    const { clock, passwords, secretBox, unitOfWork } = this.parts;
    const invitation = await this.#getInvitation(unitOfWork.reader, input.token);
    const { sealedSecret } = invitation;
    const secret = sealedSecret && (await secretBox.open(sealedSecret, operatorSecretPurpose));
    if (!secret || !sealedSecret)
      throw new AppError('conflict', 'Open the link first, and set up the app that it shows.');
    const code = input.code.replace(/\s/g, '');
    const lastStep = /^\d{6}$/.test(code) ? findTotpStep(secret, code, clock.nowMs()) : null;
    if (lastStep === null) throw new InvalidInputError('code', wrongCode);
    const passwordHash = await passwords.hashPassword(input.password);
    const person = {
      email: input.email.trim(),
      emailNormalised: normaliseEmail(input.email),
      name: input.name.trim(),
      passwordHash,
      sealedSecret,
      lastStep,
    };
    try {
      return await unitOfWork.transact((transaction) => this.#use(transaction, invitation, person));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new AppError('conflict', 'There is an operator with this e-mail already.', {
        param: 'email',
        cause: error,
      });
    }
  }

  /**
   * Ends what a person may do here, at once. The last owner stays.
   * @throws AppError `not_found`; `conflict` for the last owner; InvalidInputError for the reason.
   */
  async disable(emailOrId: string, reason: string): Promise<void> {
    const { clock, log, unitOfWork } = this.parts;
    const { id } = await this.#getOpen(emailOrId);
    await unitOfWork.transact(async (transaction) => {
      // Writing the owners' rows makes two who disable each other wait for one another.
      await transaction.update(OperatorEntity, { role: 'owner', disabledAtMs: IsNull() }, { role: 'owner' });
      await transaction.update(OperatorEntity, { id, disabledAtMs: IsNull() }, { disabledAtMs: clock.nowMs() });
      if (!(await transaction.existsBy(OperatorEntity, { role: 'owner', disabledAtMs: IsNull() }))) {
        throw new AppError('conflict', 'This is the last owner. Invite another one first.');
      }
      await transaction.delete(OperatorInvitationEntity, { operatorId: id });
      await endOperatorSessions(transaction, id);
      await endOperatorTokens(transaction, id);
      await endOperatorPasskeys(transaction, id);
      await endCustomerViews(transaction, { operatorId: id }, { log, reason: 'The operator was disabled' });
      await log.write(transaction, { action: 'disable', subject: id, reason });
    });
  }

  async #use(
    transaction: EntityManager,
    { id: invitationId, operatorId, role, sealedSecret }: OperatorInvitationEntity,
    person: Pick<OperatorEntity, 'email' | 'emailNormalised' | 'name' | 'passwordHash' | 'sealedSecret' | 'lastStep'>,
  ): Promise<string> {
    const { clock, log, sessions } = this.parts;
    // Of several at once only one takes it, and only with the secret that it has checked a code of.
    const taken = await transaction.delete(OperatorInvitationEntity, {
      id: invitationId,
      sealedSecret: sealedSecret ?? '',
    });
    if (taken.affected !== 1) {
      const isThere = await transaction.existsBy(OperatorInvitationEntity, { id: invitationId });
      throw isThere ? new InvalidInputError('code', wrongCode) : linkIsOver();
    }
    const id = operatorId ?? createId('operator');
    if (operatorId === null) {
      await transaction.insert(OperatorEntity, { ...person, id, role, createdAtMs: clock.nowMs(), disabledAtMs: null });
    } else {
      const { affected } = await transaction.update(OperatorEntity, { id, disabledAtMs: IsNull() }, person);
      if (affected !== 1) throw linkIsOver();
      await endOperatorSessions(transaction, id);
      await endOperatorTokens(transaction, id);
      await endOperatorPasskeys(transaction, id);
      await endCustomerViews(transaction, { operatorId: id }, { log, reason: 'The operator set everything anew' });
    }
    const actor = actorOf({ operatorId: id, name: person.name });
    await log.by(actor).write(transaction, { action: 'join', subject: id, reason: `By a link, as ${role}` });
    return sessions.begin(transaction, id);
  }

  async #makeLink(
    of: Pick<OperatorInvitationEntity, 'role' | 'operatorId'>,
    change: { readonly action: 'invite' | 'renew'; readonly subject?: string; readonly reason: string },
  ): Promise<string> {
    const { clock, log, publicUrl, secretBox, unitOfWork } = this.parts;
    // Whoever opened the link would be shown an app whose secret cannot be kept.
    if (!secretBox.canSeal) {
      const remedy = 'Set SECRETS_KEY, the same for every server and for this command, and try again';
      throw new AppError(
        'conflict',
        `An operator needs an authenticator app, and on MySQL that needs a key. ${remedy}.`,
      );
    }
    const token = randomBytes(32).toString('base64url');
    const nowMs = clock.nowMs();
    const row = { ...of, id: createId('operatorInvitation'), tokenHash: hashToken(token), sealedSecret: null };
    await unitOfWork.transact(async (transaction) => {
      await transaction.delete(OperatorInvitationEntity, { expiresAtMs: LessThan(nowMs) });
      if (of.operatorId !== null) await transaction.delete(OperatorInvitationEntity, { operatorId: of.operatorId });
      await transaction.insert(OperatorInvitationEntity, { ...row, expiresAtMs: nowMs + lifetimeMs });
      await log.write(transaction, { ...change, subject: change.subject ?? row.id });
    });
    // Behind the #, so that it stands in no server's log.
    return `${publicUrl}/operator/join#${token}`;
  }

  async #getInvitation(reader: EntityManager, token: string): Promise<OperatorInvitationEntity> {
    const where = { tokenHash: hashToken(token), expiresAtMs: isStanding(this.parts.clock.nowMs(), lifetimeMs) };
    const found = await reader.findOneBy(OperatorInvitationEntity, where);
    if (found === null) throw linkIsOver();
    return found;
  }

  async #getOpen(emailOrId: string): Promise<OperatorEntity> {
    const { reader } = this.parts.unitOfWork;
    const disabledAtMs = IsNull();
    const found = await reader.findOne(OperatorEntity, {
      where: [
        { id: emailOrId, disabledAtMs },
        { emailNormalised: normaliseEmail(emailOrId), disabledAtMs },
      ],
    });
    if (found === null) throw new AppError('not_found', 'There is no such operator. See all with: operator list');
    return found;
  }
}

function linkIsOver(): AppError {
  const words =
    'This link was used already, or is older than a day. Have a new one made: npm run tollgate -- operator invite';
  return new AppError('not_found', words);
}
