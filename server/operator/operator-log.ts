import { type EntityManager, LessThan } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { InvalidInputError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import type { CompanionWrite } from '../ledger/ledger-types.js';
import { type OperatorAction, OperatorEventEntity } from './operator-event.entity.js';

export type OperatorEvent = Readonly<OperatorEventEntity>;

/** What is done to which account, and why. */
export interface OperatorChange {
  readonly action: OperatorAction;
  readonly accountId: string;
  readonly subject?: string;
  readonly amountMillicredits?: number;
  /** 3 to 191 characters: what somebody needs who asks a year later. */
  readonly reason: string;
}

const reasonLengthMin = 3;
const columnLengthMax = 191;

/** Who changed what by hand, and why: a row for each change, written in its transaction or before it. */
export class OperatorLog {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    /** Who works here, for the log; cut to 191 characters. */
    private readonly actor: string,
  ) {}

  /** Writes the change down in a transaction of its own: for a change that is made right afterwards. */
  async note(change: OperatorChange): Promise<void> {
    const event = this.#toEvent(change);
    await this.unitOfWork.transact((transaction: EntityManager) => transaction.insert(OperatorEventEntity, event));
  }

  /** The same row as a write that the ledger makes in the transaction of the change itself. @throws InvalidInputError */
  toCompanion(change: OperatorChange): CompanionWrite {
    const { id, atMs, actor, action, accountId, subject, amountMillicredits, reason } = this.#toEvent(change);
    return {
      sql: `INSERT INTO operator_event (id, at_ms, actor, action, account_id, subject, amount_millicredits, reason)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      values: [id, atMs, actor, action, accountId, subject, amountMillicredits, reason],
    };
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
    const words = reason.trim();
    if (words.length < reasonLengthMin || words.length > columnLengthMax || /[\p{Cc}\p{Cs}]/u.test(words)) {
      const range = `${reasonLengthMin} to ${columnLengthMax}`;
      throw new InvalidInputError(
        'reason',
        `A reason has ${range} printable characters; it stands in the operator’s log.`,
      );
    }
    return {
      id: createId('operatorEvent'),
      atMs: this.clock.nowMs(),
      actor: this.actor.slice(0, columnLengthMax),
      ...{ action, accountId, reason: words },
      subject: subject ?? null,
      amountMillicredits: amountMillicredits ?? null,
    };
  }
}
