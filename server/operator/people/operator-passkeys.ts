import { type EntityManager, IsNull } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { Passkey, PasskeyHolders, Passkeys } from '../../factors/passkeys/passkeys.js';
import { networkOf } from '../../kernel/addresses/network-address.js';
import { AppError } from '../../kernel/app-error.js';
import type { AttemptCounter } from '../../kernel/attempt-counter.js';
import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import type { OperatorLog } from '../operator-log.js';
import { OperatorEntity } from './operator.entity.js';
import { OperatorPasskeyEntity } from './operator-passkey.entity.js';
import { holdOperatorRow } from './operator-rows.js';
import { OperatorSessionEntity } from './operator-session.entity.js';
import { actorOf, type OperatorCaller, type OperatorSessions } from './operator-sessions.js';
import { tellRefusedSignIn } from './operator-sign-in.js';

/** Those of operators, which nothing of a customer's opens. */
export const passkeysOfOperators: PasskeyHolders = {
  entity: OperatorPasskeyEntity,
  kinds: { signIn: 'operator passkey sign-in', proof: 'operator passkey proof', added: 'new operator passkey' },
  hold: holdOperatorRow,
};

export interface OperatorPasskeysParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sessions: OperatorSessions;
  readonly log: OperatorLog;
  /** Those of `OperatorPasskeyEntity`. */
  readonly passkeys: Passkeys;
  /** Of sign-ins that a network begins. */
  readonly begun: AttemptCounter;
}

/** What a browser needs to sign in by a passkey, and shows again with its answer. */
export interface BegunPasskeySignIn {
  /** For `navigator.credentials.get`, as JSON. */
  readonly options: string;
  /** 256 random bits. */
  readonly token: string;
}

/**
 * Passkeys of operators, beside the app that each of them has. As the authenticator has to verify its user, one of them is enough to sign
 * in, and stands for a code. Each change stands in the log, in its transaction.
 */
export class OperatorPasskeys {
  constructor(private readonly parts: OperatorPasskeysParts) {}

  /** The caller's own, the first made first. */
  list(caller: OperatorCaller): Promise<readonly Passkey[]> {
    return this.parts.passkeys.list(caller.operatorId);
  }

  /** @throws as `Passkeys.startNew`. */
  start(caller: OperatorCaller): Promise<string> {
    return this.parts.passkeys.startNew(viewerOf(caller), caller.email);
  }

  /** @throws as `Passkeys.add`. */
  add(caller: OperatorCaller, input: { readonly name: string; readonly response: string }): Promise<Passkey> {
    const log = this.parts.log.by(actorOf(caller));
    return this.parts.passkeys.add(viewerOf(caller), input, (transaction, { id, name }) =>
      log.write(transaction, { action: 'add_passkey', subject: id, reason: `Passkey ${name}` }),
    );
  }

  /** Removes one of the caller's own. @throws NotFoundError */
  async remove(caller: OperatorCaller, id: string): Promise<void> {
    const log = this.parts.log.by(actorOf(caller));
    await this.parts.passkeys.remove(caller.operatorId, id, (transaction, { name }) =>
      log.write(transaction, { action: 'remove_passkey', subject: id, reason: `Passkey ${name}` }),
    );
  }

  /** @throws NotFoundError when the caller has none. */
  startProof(caller: OperatorCaller): Promise<string> {
    return this.parts.passkeys.startProof(viewerOf(caller));
  }

  /** As a code: for ten minutes the session may do what asks for one. @throws InvalidInputError for `response`. */
  async prove(caller: OperatorCaller, response: string): Promise<void> {
    const { clock, log, logger, passkeys } = this.parts;
    const note = async (transaction: EntityManager) => {
      const session = { id: caller.sessionId, operatorId: caller.operatorId };
      await transaction.update(OperatorSessionEntity, session, { provedAtMs: clock.nowMs() });
      const change = { action: 'prove', subject: caller.operatorId, reason: 'Used a passkey' } as const;
      await log.by(actorOf(caller)).write(transaction, change);
    };
    await passkeys.finishProof(viewerOf(caller), response, note).catch((error: unknown) => {
      logger.warn('operator_proof_refused', { operatorId: caller.operatorId, wrong: 'passkey' });
      throw error;
    });
  }

  /** Begins a sign-in, for ten minutes and one answer. @throws AppError `rate_limit_exceeded` after 60 of a network in a minute. */
  async startSignIn(address: string): Promise<BegunPasskeySignIn> {
    const { waitMs } = await this.parts.begun.count(networkOf(address));
    if (waitMs > 0) {
      const words = 'Too many sign-ins were begun from this network. Try again in a minute.';
      throw new AppError('rate_limit_exceeded', words, { retryAfterMs: waitMs });
    }
    const { options, token } = await this.parts.passkeys.startSignIn();
    return { options, token: token.reveal() };
  }

  /** Begins the session of whoever's passkey has signed. @returns its token. @throws InvalidInputError for `response`. */
  async finishSignIn({ token, response, address }: { token: string; response: string; address: string }) {
    const { log, logger, passkeys, sessions } = this.parts;
    const tried = { address, operatorId: null as string | null, wrong: 'passkey' as const };
    let session = '';
    const begin = async (transaction: EntityManager, id: string) => {
      tried.operatorId = id;
      const operator = await transaction.findOneBy(OperatorEntity, { id, disabledAtMs: IsNull() });
      if (operator === null) throw new AppError('unauthenticated', 'This operator may do nothing here any more.');
      const reason = `By a passkey, from ${networkOf(address)}`;
      const actor = actorOf({ operatorId: id, name: operator.name });
      await log.by(actor).write(transaction, { action: 'sign_in', subject: id, reason });
      session = await sessions.begin(transaction, id);
    };
    await passkeys.finishSignIn(token, response, begin).catch((error: unknown) => {
      tellRefusedSignIn(logger, error, tried);
      throw error;
    });
    return session;
  }
}

/** Takes all of an operator's away, in the caller's transaction. */
export async function endOperatorPasskeys(transaction: EntityManager, operatorId: string): Promise<void> {
  await transaction.delete(OperatorPasskeyEntity, { accountId: operatorId });
}

function viewerOf({ operatorId, sessionId }: OperatorCaller) {
  return { accountId: operatorId, sessionId };
}
