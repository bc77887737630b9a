import { type EntityManager, MoreThanOrEqual } from 'typeorm';
import { isUniqueViolation } from '../../database/database-errors.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError, AskedOtherwiseError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { formatCredits, toMillicredits } from '../../kernel/millicredits.js';
import { type AccountDesk, type CreditChange, requireMovable } from '../accounts/account-desk.js';
import { type OperatorLog, requireReason } from '../operator-log.js';
import { OperatorEntity } from '../people/operator.entity.js';
import { actorOf, type OperatorCaller, requireSecond } from '../people/operator-sessions.js';
import { type CreditDirection, CreditRequestEntity } from './credit-request.entity.js';
import { findMovedAmount, findMoveId, findUnmoved } from './move-names.js';

export type CreditRequest = Readonly<CreditRequestEntity>;

/** What became of credits that an operator wanted to move. */
export type CreditMove =
  | {
      readonly status: 'moved';
      readonly availableMillicredits: number;
      /** Whether it was moved before by the same word, and nothing was moved now. */
      readonly isRepeat: boolean;
    }
  /** A second operator has to agree. */
  | { readonly status: 'waiting'; readonly request: CreditRequest };

export interface CreditDeskParts {
  readonly desk: AccountDesk;
  readonly log: OperatorLog;
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  /** Whether there is such an account. */
  readonly hasAccount: (accountId: string) => Promise<boolean>;
  /** A time that has surely come, as `ProvenTime` reads it: a day is over only when it surely is. Milliseconds since 1970. */
  findBelievedMs(transaction: EntityManager): Promise<number>;
  /** What one operator may give to, or take from, one account in 24 hours alone. */
  readonly aloneMaxMillicredits: number;
}

/** A move, and what it is known by. */
type NamedChange = CreditChange & { readonly moveId: string };

const dayMs = 24 * 60 * 60_000;
const listedMax = 100;
const approvedLookedAtMax = 1_000;

/**
 * Credits that operators move by hand. Above a set amount a second operator has to agree, and the amount is counted over a day, so
 * that it cannot be split. Each move is known to the ledger by its own id, and so happens once however often it is asked for.
 */
export class CreditDesk {
  constructor(private readonly parts: CreditDeskParts) {}

  /**
   * Moves credits, or writes down that a second operator is asked.
   * @throws as `AccountDesk.grant`; AppError `conflict` naming `once` where that word came with other credits or another reason before.
   */
  async move(by: OperatorCaller, direction: CreditDirection, change: CreditChange): Promise<CreditMove> {
    requireReason(change.reason);
    requireMovable(change.amountMillicredits);
    // One name for the move and for a request of it: asked for again, it is the same whichever of the two it became.
    const named = { ...change, moveId: await this.#findMoveId(direction, change) };
    if (!(await this.#isMovedHere(direction, named))) {
      const request = await this.#note(by, direction, named);
      if (request.state !== 'alone') return { status: 'waiting', request };
    }
    const { availableAfterMillicredits, isReplay } = await this.#moveNow(by, direction, named);
    return { status: 'moved', availableMillicredits: availableAfterMillicredits, isRepeat: isReplay };
  }

  /**
   * Those that wait for a second operator, the oldest first; at most 100. Before them those of the newest 1,000 approved ones that were
   * not moved, since who approved was ended, or the process died, in between: they are to be approved once more, while their account is there.
   */
  async listWaiting(): Promise<readonly CreditRequest[]> {
    const { reader } = this.parts.unitOfWork;
    const order = { id: 'DESC' } as const;
    const approved = await reader.find(CreditRequestEntity, {
      ...{ where: { state: 'approved' as const }, order, take: approvedLookedAtMax },
    });
    const waiting = { state: 'waiting' as const };
    const asked = await reader.find(CreditRequestEntity, { where: waiting, order: { id: 'ASC' }, take: listedMax });
    const unmoved: CreditRequest[] = [];
    for (const request of (await findUnmoved(reader, approved)).toReversed()) {
      if (await this.parts.hasAccount(request.accountId)) unmoved.push(request);
    }
    return [...unmoved, ...asked].slice(0, listedMax);
  }

  /**
   * Agrees to what somebody else has asked for, and moves it. Asked again after an answer was lost, it moves nothing twice. What somebody
   * has approved who was ended before it was moved, another one may approve.
   * @returns what is available then, in millicredits.
   * @throws AppError `not_found`; `forbidden` for whoever asked for it; `conflict` when it was refused, or approved by another.
   */
  async approve(by: OperatorCaller, requestId: string): Promise<number> {
    const request = await this.#getRequest(requestId);
    requireSecond(by, request);
    requireMovable(request.amountMillicredits);
    const { accountId, amountMillicredits, direction, reason } = request;
    const moved = await findMovedAmount(this.parts.unitOfWork.reader, { direction, accountId, moveId: request.id });
    if (moved !== null && moved !== amountMillicredits) throw otherwiseMoved(moved);
    if (moved === null && !(await this.parts.hasAccount(accountId)))
      throw new AppError('not_found', 'There is no such account, or it is deleted. Refuse the request.');
    await this.#decide(by, request, { state: 'approved', action: 'approve', reason });
    const change = { accountId, amountMillicredits: toMillicredits(amountMillicredits), reason, moveId: request.id };
    return (await this.#moveNow(by, direction, change)).availableAfterMillicredits;
  }

  /** Ends a request without moving anything; whoever asked may take it back so. @throws as `approve`. */
  async refuse(by: OperatorCaller, requestId: string, reason: string): Promise<void> {
    await this.#decide(by, await this.#getRequest(requestId), { state: 'refused', action: 'refuse', reason });
  }

  async #findMoveId(direction: CreditDirection, { accountId, once }: CreditChange): Promise<string> {
    if (once === undefined) return createId('creditRequest');
    return findMoveId(this.parts.unitOfWork.reader, { direction, accountId, once });
  }

  /** Whether the word was typed on the server's machine before, where nobody else is asked. @throws AskedOtherwiseError for other credits. */
  async #isMovedHere(direction: CreditDirection, change: NamedChange): Promise<boolean> {
    const { reader } = this.parts.unitOfWork;
    const { accountId, amountMillicredits, moveId, once } = change;
    if (once === undefined || (await reader.existsBy(CreditRequestEntity, { id: moveId }))) return false;
    const moved = await findMovedAmount(reader, { direction, accountId, moveId });
    if (moved === null || moved === amountMillicredits) return moved !== null;
    throw otherwiseMoved(moved);
  }

  /** Writes down what is wanted before it is done, and whether the operator may do it alone. */
  async #note(by: OperatorCaller, direction: CreditDirection, change: NamedChange): Promise<CreditRequest> {
    if (!(await this.parts.hasAccount(change.accountId)))
      throw new AppError('not_found', 'There is no such account, or it is deleted.');
    try {
      return await this.#noteOnce(by, direction, change);
    } catch (error) {
      // Another operator has said the same word at the same moment: what that one has written is there now.
      if (change.once === undefined || !isUniqueViolation(error)) throw error;
      return this.#noteOnce(by, direction, change);
    }
  }

  async #noteOnce(by: OperatorCaller, direction: CreditDirection, change: NamedChange): Promise<CreditRequest> {
    const { aloneMaxMillicredits, clock, findBelievedMs, log, unitOfWork } = this.parts;
    const { accountId, amountMillicredits, reason, moveId: id } = change;
    return unitOfWork.transact(async (transaction) => {
      // Writing the operator's row first makes their moves side by side wait for each other, so that each sees the one before it.
      await transaction.update(OperatorEntity, { id: by.operatorId }, { id: by.operatorId });
      const there = await transaction.findOneBy(CreditRequestEntity, { id });
      if (there !== null) return requireSame(there, change);
      const askedAtMs = clock.nowMs();
      const sinceMs = Math.min(askedAtMs, await findBelievedMs(transaction)) - dayMs;
      const mine = { accountId, direction, askedBy: by.operatorId };
      const before = await transaction.sum(CreditRequestEntity, 'amountMillicredits', {
        ...mine,
        state: 'alone' as const,
        askedAtMs: MoreThanOrEqual(sinceMs),
      });
      const isAlone = Number(before ?? 0) + amountMillicredits <= aloneMaxMillicredits;
      const request: CreditRequestEntity = {
        ...mine,
        id,
        amountMillicredits,
        reason: reason.trim(),
        askedAtMs,
        state: isAlone ? 'alone' : 'waiting',
        decidedBy: null,
        decidedAtMs: null,
      };
      const asked = { action: `ask_${direction}`, accountId, subject: id, amountMillicredits, reason } as const;
      // A move stands in the log by itself, in the transaction that makes it.
      if (!isAlone) await log.by(actorOf(by)).write(transaction, asked);
      await transaction.insert(CreditRequestEntity, request);
      return request;
    });
  }

  async #decide(
    by: OperatorCaller,
    { id, accountId, amountMillicredits }: CreditRequest,
    decision: { state: 'approved' | 'refused'; action: 'approve' | 'refuse'; reason: string },
  ): Promise<void> {
    const { clock, log, unitOfWork } = this.parts;
    const { action, reason, state } = decision;
    await unitOfWork.transact(async (transaction: EntityManager) => {
      const decided = { state, decidedBy: by.operatorId, decidedAtMs: clock.nowMs() };
      const { affected } = await transaction.update(CreditRequestEntity, { id, state: 'waiting' }, decided);
      if (affected !== 1 && (await this.#isOwnOrTaken(transaction, by, { id, state, decided }))) return;
      const change = { action, accountId, subject: id, amountMillicredits, reason };
      await log.by(actorOf(by)).write(transaction, change);
    });
  }

  /**
   * Of a request that does not wait: whether this operator has decided so before; false: what another one had approved, and was not moved,
   * is decided by this one now. The ledger knows the move by the request, so it is made once whoever is quicker.
   */
  async #isOwnOrTaken(
    transaction: EntityManager,
    by: OperatorCaller,
    { id, state, decided }: { id: string; state: 'approved' | 'refused'; decided: Partial<CreditRequestEntity> },
  ): Promise<boolean> {
    const request = await transaction.findOneBy(CreditRequestEntity, { id, state });
    if (request?.decidedBy === by.operatorId) return true;
    const isUnmoved =
      request !== null && state === 'approved' && (await findUnmoved(transaction, [request])).length > 0;
    if (!isUnmoved) throw new AppError('conflict', 'This was decided already. Load the page again.');
    await transaction.update(CreditRequestEntity, { id }, decided);
    return false;
  }

  async #moveNow(by: OperatorCaller, direction: CreditDirection, change: NamedChange) {
    const desk = this.parts.desk.by(actorOf(by));
    return direction === 'grant' ? desk.grant(change) : desk.takeBack(change);
  }

  async #getRequest(id: string): Promise<CreditRequest> {
    const found = await this.parts.unitOfWork.reader.findOneBy(CreditRequestEntity, { id });
    if (found === null) throw new AppError('not_found', 'There is no such request.');
    return found;
  }
}

// Whoever corrects the amount after a lost answer is not to read that the corrected one was moved.
function requireSame(there: CreditRequest, { amountMillicredits, reason }: CreditChange): CreditRequest {
  if (there.amountMillicredits === amountMillicredits && there.reason === reason.trim()) return there;
  throw new AskedOtherwiseError(`${formatCredits(toMillicredits(there.amountMillicredits))} credits`, there.reason);
}

/** The same word came with other credits on the server's machine, where nobody else is asked. */
function otherwiseMoved(millicredits: number): AskedOtherwiseError {
  return new AskedOtherwiseError(`${formatCredits(toMillicredits(millicredits))} credits`, 'on the server’s machine');
}
