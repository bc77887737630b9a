import { createHash, randomBytes } from 'node:crypto';
import { type EntityManager, IsNull, LessThan } from 'typeorm';
import { isAged } from '../../database/time/has-come.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import type { OperatorRole } from '../operator-access.js';
import { OperatorEntity } from './operator.entity.js';
import { OperatorSessionEntity } from './operator-session.entity.js';

const minuteMs = 60_000;
/** A session ends an hour after its last use, */
const operatorIdleMs = 60 * minuteMs;
/** … and twelve hours after it began, however busy it is. */
export const operatorLifetimeMs = 12 * 60 * minuteMs;
/** For how long a code that was entered is proof enough for what moves money or lets somebody in. */
const operatorProofMs = 10 * minuteMs;

/** An operator who asks something. */
export interface OperatorCaller {
  readonly operatorId: string;
  readonly sessionId: string;
  readonly name: string;
  readonly email: string;
  readonly role: OperatorRole;
  /** Whether a code of the app was entered in the last ten minutes. */
  readonly isFresh: boolean;
  /** It is a script that asks, by a token of this name, which `sessionId` is the id of. Left out: the operator. */
  readonly tokenName?: string;
}

/** The name under which an operator's changes stand in the log. */
export function actorOf({
  name,
  operatorId,
  tokenName,
}: Pick<OperatorCaller, 'name' | 'operatorId' | 'tokenName'>): string {
  const by = tokenName === undefined ? '' : `, token ${tokenName.slice(0, 40)}`;
  return `${name.slice(0, 90)}${by} (${operatorId})`;
}

/** Has two people decide. @throws AppError `forbidden` for whoever asked for it. */
export function requireSecond({ operatorId }: Pick<OperatorCaller, 'operatorId'>, asked: { readonly askedBy: string }) {
  if (asked.askedBy !== operatorId) return;
  throw new AppError('forbidden', 'You have asked for this yourself. A second operator has to agree.');
}

/** The sign-ins of operators, apart from those of customers: tokens of their own in a table of their own. */
export class OperatorSessions {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Begins one in the caller's transaction, and clears away ended ones. @returns its token, 256 random bits, stored nowhere. */
  async begin(transaction: EntityManager, operatorId: string): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const nowMs = this.clock.nowMs();
    await transaction.delete(OperatorSessionEntity, { createdAtMs: LessThan(nowMs - operatorLifetimeMs), operatorId });
    await transaction.insert(OperatorSessionEntity, {
      id: createId('operatorSession'),
      operatorId,
      tokenHash: hashToken(token),
      createdAtMs: nowMs,
      lastUsedAtMs: nowMs,
      provedAtMs: nowMs,
    });
    return token;
  }

  /** Whose token this is; null: it has ended, was never one, or its operator may do nothing any more. Notes its use, to the minute. */
  async find(token: string): Promise<OperatorCaller | null> {
    const { reader } = this.unitOfWork;
    const session = await reader.findOneBy(OperatorSessionEntity, { tokenHash: hashToken(token) });
    const nowMs = this.clock.nowMs();
    if (!session || hasEnded(session, nowMs)) return null;
    const operator = await reader.findOneBy(OperatorEntity, { id: session.operatorId, disabledAtMs: IsNull() });
    if (!operator) return null;
    if (nowMs - session.lastUsedAtMs >= minuteMs) await this.#change(session.id, { lastUsedAtMs: nowMs });
    const { id: operatorId, name, email, role } = operator;
    const isFresh = !isAged(session.provedAtMs, nowMs, operatorProofMs);
    return { operatorId, sessionId: session.id, name, email, role, isFresh };
  }

  /** Ends one, in the caller's transaction. */
  async end(transaction: EntityManager, sessionId: string): Promise<void> {
    await transaction.delete(OperatorSessionEntity, { id: sessionId });
  }

  #change(id: string, change: Partial<OperatorSessionEntity>) {
    return this.unitOfWork.transact((transaction) => transaction.update(OperatorSessionEntity, { id }, change));
  }
}

/** Ends all sessions of an operator, in the caller's transaction. */
export async function endOperatorSessions(transaction: EntityManager, operatorId: string): Promise<void> {
  await transaction.delete(OperatorSessionEntity, { operatorId });
}

export function hashToken(token: string): string {
  return createHash('sha256').update(`operator ${token}`).digest('hex');
}

function hasEnded({ createdAtMs, lastUsedAtMs }: OperatorSessionEntity, nowMs: number): boolean {
  return isAged(createdAtMs, nowMs, operatorLifetimeMs) || nowMs - lastUsedAtMs >= operatorIdleMs;
}
