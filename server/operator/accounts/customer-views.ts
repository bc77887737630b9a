import { type EntityManager, type FindOptionsWhere, LessThanOrEqual } from 'typeorm';
import { noteEvent } from '../../audit/note-event.js';
import { hasCome } from '../../database/time/has-come.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { createId, isId } from '../../kernel/ids.js';
import type { Mail } from '../../kernel/texts/mail.js';
import { listOperationsOf } from '../operator-access.js';
import type { OperatorLog } from '../operator-log.js';
import { actorOf, type OperatorCaller, type OperatorSessions } from '../people/operator-sessions.js';
import { CustomerViewEntity } from './customer-view.entity.js';

export type CustomerView = Readonly<Pick<CustomerViewEntity, 'id' | 'accountId' | 'operatorId' | 'endsAtMs'>>;

export interface CustomerViewsParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly log: OperatorLog;
  readonly sessions: Pick<OperatorSessions, 'find'>;
  /** The address that an account signs in with; null: there is no such account, or it is deleted. */
  readonly findEmail: (accountId: string) => Promise<string | null>;
  readonly outbox: { put(transaction: EntityManager, mail: Mail): Promise<unknown> };
  /** Left out: 30 minutes. */
  readonly lifetimeMs?: number;
}

export interface CustomerViewInput {
  readonly accountId: string;
  /** Whether the customer is told, by mail and in the events of the account. */
  readonly isTold: boolean;
  readonly reason: string;
}

const usualLifetimeMs = 30 * 60_000;

/**
 * Operators who look at an account as the person who signed up for it sees it. A view is worth something only together with the
 * operator's session that began it, which has one at a time. Its beginning and its end stand in the operators' log.
 */
export class CustomerViews {
  constructor(private readonly parts: CustomerViewsParts) {}

  /**
   * Begins a view, and ends the one that the same session has.
   * @throws AppError `not_found` where there is no such account, or it is deleted; InvalidInputError for the reason.
   */
  async begin(by: OperatorCaller, { accountId, isTold, reason }: CustomerViewInput): Promise<CustomerView> {
    const { clock, findEmail, lifetimeMs = usualLifetimeMs, outbox, unitOfWork } = this.parts;
    const email = await findEmail(accountId);
    if (email === null) throw new AppError('not_found', 'There is no such account, or it is deleted.');
    const { operatorId, sessionId: operatorSessionId } = by;
    const log = this.parts.log.by(actorOf(by));
    const nowMs = clock.nowMs();
    const view = { id: createId('customerView'), accountId, operatorId, endsAtMs: nowMs + lifetimeMs };
    await unitOfWork.transact(async (transaction) => {
      await this.#endOver(transaction);
      await endCustomerViews(transaction, { operatorId, operatorSessionId }, { log, reason: 'Another view began' });
      await transaction.insert(CustomerViewEntity, { ...view, operatorSessionId, isTold });
      const action = isTold ? 'begin_told_view' : 'begin_view';
      await log.write(transaction, { action, accountId, subject: view.id, reason });
      if (!isTold) return;
      // In nobody's name: a customer is not told from which network operators work.
      await noteEvent(transaction, { accountId, kind: 'operator_view_begun', subjectId: view.id }, null);
      await outbox.put(transaction, describeMail(view, email, nowMs));
    });
    this.#endInTime(lifetimeMs);
    return view;
  }

  /** Ends a view of the same session. @returns whether there was one. */
  async end({ sessionId: operatorSessionId, ...by }: OperatorCaller, id: string): Promise<boolean> {
    const log = this.parts.log.by(actorOf(by));
    return this.parts.unitOfWork.transact(async (transaction) => {
      const of = { id, operatorId: by.operatorId, operatorSessionId };
      return (await endCustomerViews(transaction, of, { log, reason: 'Ended by the operator' })) > 0;
    });
  }

  /**
   * The view of this id that the operator with this session token has begun and may still look by; null: there is none, its time is
   * over, it is another session's, the operator's role may look no more, or the account is deleted. Notes the use of the session.
   */
  async find(id: string, operatorToken: string): Promise<CustomerView | null> {
    const { clock, findEmail, lifetimeMs = usualLifetimeMs, sessions, unitOfWork } = this.parts;
    if (!isId('customerView', id)) return null;
    const operator = await sessions.find(operatorToken);
    if (operator === null || !listOperationsOf(operator.role).includes('beginCustomerView')) return null;
    const { operatorId, sessionId: operatorSessionId } = operator;
    const of = { id, operatorId, operatorSessionId };
    const view = await unitOfWork.reader.findOneBy(CustomerViewEntity, of);
    // One that ends later than any that begins now was begun before the clock was set back.
    if (view === null || hasCome(view.endsAtMs, clock.nowMs(), lifetimeMs)) return null;
    return (await findEmail(view.accountId)) === null ? null : view;
  }

  // Where this process ends before, or the database is away then, the next view that begins writes it down.
  #endInTime(lifetimeMs: number): void {
    const end = () => this.parts.unitOfWork.transactForServer((transaction) => this.#endOver(transaction));
    setTimeout(() => void end().catch(() => {}), lifetimeMs).unref();
  }

  #endOver(transaction: EntityManager): Promise<number> {
    const { clock, log } = this.parts;
    const of = { endsAtMs: LessThanOrEqual(clock.nowMs()) };
    return endCustomerViews(transaction, of, { log, reason: 'Its time was over' });
  }
}

/** Ends views in the caller's transaction, each with its line in the log. @returns how many. */
export async function endCustomerViews(
  transaction: EntityManager,
  of: FindOptionsWhere<CustomerViewEntity>,
  { log, reason }: { readonly log: OperatorLog; readonly reason: string },
): Promise<number> {
  let ended = 0;
  for (const { id, accountId, isTold } of await transaction.findBy(CustomerViewEntity, of)) {
    const { affected } = await transaction.delete(CustomerViewEntity, { id });
    // Somebody else was quicker, and has written the line.
    if (affected !== 1) continue;
    ended += 1;
    await log.write(transaction, { action: 'end_view', accountId, subject: id, reason });
    if (isTold) await noteEvent(transaction, { accountId, kind: 'operator_view_ended', subjectId: id }, null);
  }
  return ended;
}

function describeMail({ id, accountId, endsAtMs }: CustomerView, recipient: string, nowMs: number): Mail {
  const [from, until] = [nowMs, endsAtMs].map((atMs) => new Date(atMs).toISOString());
  return {
    subjectKey: `operator-view:${id}`,
    accountId,
    channel: 'email',
    recipient,
    title: 'An operator is viewing your account',
    body: `An operator of this server is viewing your dashboard as you see it.\n\nFrom: ${from}\nUntil: ${until} at the latest\n\nThey cannot change anything, and they do not see secrets of keys or webhooks. The activity in your settings shows when it ended. If you did not ask for help, ask the operator of this server why.`,
  };
}
