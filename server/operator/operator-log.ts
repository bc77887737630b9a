import { type EntityManager, LessThan, Like, MoreThanOrEqual } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { createId, leastIdAt } from '../kernel/ids.js';
import { isPrintableWithin } from '../kernel/texts/printable-text.js';
import type { CompanionWrite } from '../ledger/companion-write.js';
import { type OperatorAction, OperatorEventEntity } from './operator-event.entity.js';

export type OperatorEvent = Readonly<OperatorEventEntity>;

/** What is done to which account, and why. */
export interface OperatorChange {
  readonly action: OperatorAction;
  /** Left out: it is about no account. */
  readonly accountId?: string;
  readonly subject?: string;
  readonly amountMillicredits?: number;
  /** 3 to 191 characters: what somebody needs who asks a year later. */
  readonly reason: string;
}

/** A row of the log, which the ledger writes. */
export interface OperatorCompanion extends CompanionWrite {
  readonly eventId: string;
}

const reasonLengthMin = 3;
const columnLengthMax = 191;

/** Who changed what by hand, and why: a row for each change, written in its transaction. */
export class OperatorLog {
  /** Who works here, as the log names them. */
  readonly actor: string;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    /** Cut to 191 characters. */
    actor: string,
  ) {
    this.actor = actor.slice(0, columnLengthMax);
  }

  /** The same log for changes of somebody else. */
  by(actor: string): OperatorLog {
    return new OperatorLog(this.unitOfWork, this.clock, actor);
  }

  /** Writes the change down in the caller's transaction, which makes it. @throws InvalidInputError */
  async write(transaction: EntityManager, change: OperatorChange): Promise<void> {
    await transaction.insert(OperatorEventEntity, this.#toEvent(change));
  }

  /** Writes the change down in a transaction of its own: for a change that is made right afterwards. @returns the id of the row. */
  async note(change: OperatorChange): Promise<string> {
    const event = this.#toEvent(change);
    await this.unitOfWork.transact((transaction: EntityManager) => transaction.insert(OperatorEventEntity, event));
    return event.id;
  }

  /**
   * The same row as a write that the ledger makes in the transaction of the change itself. It changes nothing, and so nothing is booked, once
   * whoever asks may not any more, and where it stands already: the ledger may ask twice when it has lost the answer to a commit.
   * @throws InvalidInputError
   */
  toCompanion(change: OperatorChange): OperatorCompanion {
    const { id, atMs, actor, action, accountId, subject, amountMillicredits, reason } = this.#toEvent(change);
    const asking = this.unitOfWork.standing?.row ?? { sql: 'SELECT 1', values: [] };
    // Every end of an operator writes their row first, and is waited for so. On SQLite a transaction is alone anyway.
    const isMysql = this.unitOfWork.reader.connection.options.type === 'mysql';
    return {
      eventId: id,
      sql: `INSERT INTO operator_event (id, at_ms, actor, action, account_id, subject, amount_millicredits, reason)
            SELECT ?, ?, ?, ?, ?, ?, ?, ? FROM (${asking.sql}${isMysql ? ' LOCK IN SHARE MODE' : ''}) AS asking
            WHERE NOT EXISTS (SELECT 1 FROM operator_event WHERE id = ?)`,
      values: [id, atMs, actor, action, accountId, subject, amountMillicredits, reason, ...asking.values, id],
    };
  }

  /** For a companion that has changed nothing. @throws unless its row stands already: what refuses whoever asks. */
  async requireWritten({ eventId: id }: OperatorCompanion): Promise<void> {
    if (await this.unitOfWork.reader.existsBy(OperatorEventEntity, { id })) return;
    await this.unitOfWork.transact(async () => {});
    throw new AppError('service_unavailable', 'Nothing was done. Try again shortly.', { retryAfterMs: 2_000 });
  }

  /** What an operator's changes of one kind come to since a time, by hand and by tokens, in millicredits. */
  async sumOf(
    transaction: EntityManager,
    { operatorId, action, sinceMs }: { operatorId: string; action: OperatorAction; sinceMs: number },
  ): Promise<number> {
    // By their ids first, which sort by time: the rest of the log is not looked at.
    const row = await transaction
      .createQueryBuilder(OperatorEventEntity, 'event')
      .select('SUM(event.amountMillicredits)', 'total')
      .where({ id: MoreThanOrEqual(leastIdAt('operatorEvent', sinceMs)), atMs: MoreThanOrEqual(sinceMs) })
      .andWhere({ action, actor: Like(`%(${operatorId})`) })
      .getRawOne<{ total: unknown }>();
    return Number(row?.total ?? 0);
  }

  /** Newest first. */
  async list({ first, accountId, beforeId }: { first: number; accountId?: string; beforeId?: string }) {
    const events: readonly OperatorEvent[] = await this.unitOfWork.reader.find(OperatorEventEntity, {
      where: {
        ...(accountId === undefined ? {} : { accountId }),
        ...(beforeId === undefined ? {} : { id: LessThan(beforeId) }),
      },
      order: { id: 'DESC' },
      take: first,
    });
    return events;
  }

  #toEvent({ action, accountId, subject, amountMillicredits, reason }: OperatorChange): OperatorEvent {
    const words = requireReason(reason);
    return {
      id: createId('operatorEvent'),
      atMs: this.clock.nowMs(),
      actor: this.actor,
      action,
      accountId: accountId ?? '',
      reason: words,
      subject: subject ?? null,
      amountMillicredits: amountMillicredits ?? null,
    };
  }
}

/** @returns the reason as it is kept. @throws InvalidInputError for one that nobody could use a year later. */
export function requireReason(reason: string): string {
  const words = reason.trim();
  if (!isPrintableWithin(words, reasonLengthMin, columnLengthMax)) {
    const range = `${reasonLengthMin} to ${columnLengthMax}`;
    throw new InvalidInputError(
      'reason',
      `A reason has ${range} printable characters; it stands in the operator’s log.`,
    );
  }
  return words;
}
