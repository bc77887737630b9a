import { type EntityManager, IsNull, LessThan } from 'typeorm';
import { normaliseEmail } from '../../accounts/mailbox.js';
import type { Passwords } from '../../accounts/sign-in/passwords.js';
import type { SignInThrottle } from '../../accounts/sign-in/sign-in-throttle.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { CodeThrottle } from '../../factors/code-throttle.js';
import type { SecretBox } from '../../factors/secret-box.js';
import { findTotpStep } from '../../factors/totp.js';
import { networkOf } from '../../kernel/addresses/network-address.js';
import { AppError, InvalidInputError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import { endCustomerViews } from '../accounts/customer-views.js';
import type { OperatorLog } from '../operator-log.js';
import { OperatorEntity } from './operator.entity.js';
import { OperatorSessionEntity } from './operator-session.entity.js';
import { actorOf, type OperatorCaller, type OperatorSessions } from './operator-sessions.js';

export interface OperatorSignInParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly passwords: Passwords;
  readonly secretBox: SecretBox;
  readonly sessions: OperatorSessions;
  readonly log: OperatorLog;
  /** Counters of their own, which customers' sign-ins do not touch. */
  readonly throttle: SignInThrottle;
  readonly codeThrottle: CodeThrottle;
}

export interface OperatorSignInInput {
  readonly email: string;
  readonly password: string;
  readonly code: string;
  /** The network address that it comes from. */
  readonly address: string;
}

/** How far a sign-in came, for the log alone. */
interface TriedSignIn {
  /** null: nobody has this e-mail. */
  operatorId: string | null;
  /** The first thing that was not proved. */
  wrong: 'e-mail' | 'password' | 'code' | 'passkey';
}

const wrongWords = 'The e-mail, the password or the code is wrong, or the code was used already. Enter the next one.';

/** The way in for operators: password and code of the app, always both. */
export class OperatorSignIn {
  constructor(private readonly parts: OperatorSignInParts) {}

  /**
   * Begins a session.
   * @returns its token.
   * @throws AppError `unauthenticated` in the same words whichever of the three is wrong; `rate_limit_exceeded` after too many.
   */
  async signIn(input: OperatorSignInInput): Promise<string> {
    const attempt = { emailNormalised: normaliseEmail(input.email), address: input.address, deviceId: null };
    const tried: TriedSignIn = { operatorId: null, wrong: 'e-mail' };
    try {
      return await this.parts.throttle.run(attempt, () => this.#prove(input, tried));
    } catch (error) {
      tellRefusedSignIn(this.parts.logger, error, { address: input.address, ...tried });
      throw error;
    }
  }

  /** Ends the caller's session at once. */
  async signOut(caller: OperatorCaller): Promise<void> {
    const { log, sessions, unitOfWork } = this.parts;
    await unitOfWork.transact(async (transaction) => {
      const change = { action: 'sign_out', subject: caller.operatorId, reason: 'Signed out' } as const;
      const own = log.by(actorOf(caller));
      await own.write(transaction, change);
      const of = { operatorId: caller.operatorId, operatorSessionId: caller.sessionId };
      await endCustomerViews(transaction, of, { log: own, reason: change.reason });
      await sessions.end(transaction, caller.sessionId);
    });
  }

  /**
   * Takes a code; for ten minutes the session may do what asks for one.
   * @throws InvalidInputError for a wrong `code`; AppError `rate_limit_exceeded` after too many.
   */
  async prove(caller: OperatorCaller, { code, address }: { code: string; address: string }): Promise<void> {
    const { clock, codeThrottle, log, logger, unitOfWork } = this.parts;
    const attempt = { accountId: caller.operatorId, address, trustedAs: caller.sessionId };
    await codeThrottle.countCode(attempt);
    const operator = await unitOfWork.reader.findOneBy(OperatorEntity, { id: caller.operatorId });
    const step = operator && (await this.#findStep(operator, code));
    const isTaken =
      step !== null &&
      (await unitOfWork.transact(async (transaction) => {
        if (!(await takeStep(transaction, operator, step))) return false;
        const session = { id: caller.sessionId, operatorId: caller.operatorId };
        await transaction.update(OperatorSessionEntity, session, { provedAtMs: clock.nowMs() });
        const change = { action: 'prove', subject: caller.operatorId, reason: 'Entered a code' } as const;
        await log.by(actorOf(caller)).write(transaction, change);
        return true;
      }));
    if (!isTaken) {
      logger.warn('operator_proof_refused', { operatorId: caller.operatorId, wrong: 'code' });
      throw new InvalidInputError('code', 'This code is wrong, used already, or too old. Enter the next one.');
    }
    await codeThrottle.forgiveCode(attempt);
  }

  /** @returns the token of a session. `tried` is told how far it came. */
  async #prove({ email, password, code, address }: OperatorSignInInput, tried: TriedSignIn): Promise<string> {
    const { codeThrottle, log, passwords, sessions, unitOfWork } = this.parts;
    const open = { emailNormalised: normaliseEmail(email), disabledAtMs: IsNull() };
    const operator = await unitOfWork.reader.findOneBy(OperatorEntity, open);
    if (operator) Object.assign(tried, { operatorId: operator.id, wrong: 'password' });
    const isRight = await passwords.isPasswordOf(operator?.passwordHash ?? null, password);
    if (!operator || !isRight) throw new AppError('unauthenticated', wrongWords);
    tried.wrong = 'code';
    const codeAttempt = { accountId: operator.id, address, trustedAs: null };
    await codeThrottle.countCode(codeAttempt);
    const step = await this.#findStep(operator, code);
    if (step === null) throw new AppError('unauthenticated', wrongWords);
    const token = await unitOfWork.transact(async (transaction) => {
      if (!(await takeStep(transaction, operator, step))) throw new AppError('unauthenticated', wrongWords);
      await log.by(nameOf(operator)).write(transaction, {
        action: 'sign_in',
        subject: operator.id,
        reason: `From ${networkOf(address)}`,
      });
      return sessions.begin(transaction, operator.id);
    });
    await codeThrottle.forgiveCode(codeAttempt);
    return token;
  }

  async #findStep({ id, sealedSecret }: OperatorEntity, code: string): Promise<number | null> {
    const { clock, logger, secretBox } = this.parts;
    const digits = code.replace(/\s/g, '');
    if (!/^\d{6}$/.test(digits)) return null;
    const secret = await secretBox.open(sealedSecret, operatorSecretPurpose);
    if (secret !== null) return findTotpStep(secret, digits, clock.nowMs());
    const remedy = 'Set SECRETS_KEY to what it was, or make a new link: npm run tollgate -- operator renew <e-mail>';
    logger.error('operator_secret_unreadable', { operatorId: id, remedy });
    return null;
  }
}

/**
 * Writes a line for a sign-in of operators that was refused: whose, from which network, and what was wrong, which they are not told
 * themselves. A right password with a wrong code is one that somebody else may know. What was typed stands nowhere.
 */
export function tellRefusedSignIn(
  logger: Logger,
  error: unknown,
  { address, operatorId, wrong: found }: TriedSignIn & { readonly address: string },
): void {
  // Of a database that is away there are lines of its own.
  if (!(error instanceof AppError) || error.code === 'service_unavailable') return;
  const wrong = error.code === 'rate_limit_exceeded' ? undefined : found;
  logger.warn('operator_sign_in_refused', { operatorId, network: networkOf(address), code: error.code, wrong });
}

/** What an operator's secret is sealed for, so that it opens nothing of a customer's. */
export const operatorSecretPurpose = 'authenticator app of an operator';

// Of several at once only one finds the step unused; a password that was changed meanwhile lets nobody in.
async function takeStep(transaction: EntityManager, operator: OperatorEntity | null, step: number): Promise<boolean> {
  if (operator === null) return false;
  const { id, passwordHash } = operator;
  const unused = { id, passwordHash, disabledAtMs: IsNull(), lastStep: LessThan(step) };
  return (await transaction.update(OperatorEntity, unused, { lastStep: step })).affected === 1;
}

function nameOf({ id, name }: OperatorEntity): string {
  return actorOf({ operatorId: id, name });
}
