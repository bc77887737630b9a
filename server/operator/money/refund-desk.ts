import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { RefundOrder, RefundOrders, RefundTerms, RefundWish } from '../../purchases/refund-orders.js';
import { type OperatorLog, requireReason } from '../operator-log.js';
import { OperatorEntity } from '../people/operator.entity.js';
import { actorOf, type OperatorCaller, requireSecond } from '../people/operator-sessions.js';

export interface RefundDeskParts {
  readonly orders: Pick<RefundOrders, 'place' | 'decide' | 'carryOut' | 'listOpen' | 'getOrder'>;
  readonly log: OperatorLog;
  readonly unitOfWork: Pick<UnitOfWork, 'reader'>;
  /** What one operator may give back of one account's purchases in 24 hours alone. */
  readonly aloneMaxMillicredits: number;
}

/**
 * Refunds by operators: the money at the payment service and its credits here, in one act. Each stands in the operators' log in the
 * transaction that writes it down, before the payment service hears of it. Above the set amount a second operator has to agree.
 */
export class RefundDesk {
  constructor(private readonly parts: RefundDeskParts) {}

  /** @returns how it stands then: `waiting` for a second operator, `done`, `pending`, or `failed`. @throws as `RefundOrders.place`, `carryOut`. */
  async refund(by: OperatorCaller, wish: RefundWish): Promise<RefundOrder> {
    requireReason(wish.reason);
    const log = this.parts.log.by(actorOf(by));
    return this.#place(wish, log, {
      askedBy: by.operatorId,
      aloneMaxMillicredits: this.parts.aloneMaxMillicredits,
      lock: (transaction) => transaction.update(OperatorEntity, { id: by.operatorId }, { id: by.operatorId }),
    });
  }

  /** At the command line, where whoever works has the database anyway. @throws as `refund`. */
  async refundAlone(wish: RefundWish): Promise<RefundOrder> {
    requireReason(wish.reason);
    const aloneMaxMillicredits = Number.MAX_SAFE_INTEGER;
    return this.#place(wish, this.parts.log, { askedBy: 'command line', aloneMaxMillicredits, lock: async () => {} });
  }

  /**
   * Agrees to what somebody else asks for, and has it made. Asked again, it is made once.
   * @throws AppError `not_found`; `forbidden` for whoever asked for it; as `RefundOrders.decide`, `carryOut`.
   */
  async approve(by: OperatorCaller, id: string): Promise<RefundOrder> {
    const order = await this.parts.orders.getOrder(id);
    requireSecond(by, order);
    await this.#decide(by, order, { state: 'sending', action: 'approve_refund', reason: order.reason });
    return this.parts.orders.carryOut(id);
  }

  /** Ends a request without giving anything back; whoever asked may take it back so. @throws as `approve`. */
  async refuse(by: OperatorCaller, id: string, reason: string): Promise<void> {
    const order = await this.parts.orders.getOrder(id);
    await this.#decide(by, order, { state: 'refused', action: 'refuse_refund', reason });
  }

  /** Those that wait for a second operator, or for the payment service; at most 100. */
  listOpen(): Promise<readonly RefundOrder[]> {
    return this.parts.orders.listOpen();
  }

  async #place(wish: RefundWish, log: OperatorLog, terms: Omit<RefundTerms, 'note'>): Promise<RefundOrder> {
    const { orders } = this.parts;
    const order = await orders.place(wish, {
      ...terms,
      note: (transaction, { id, accountId, amountMillicredits, state }) =>
        log.write(transaction, {
          action: state === 'waiting' ? 'ask_refund' : 'refund',
          accountId,
          subject: id,
          amountMillicredits,
          reason: wish.reason,
        }),
    });
    return order.state === 'sending' ? orders.carryOut(order.id) : order;
  }

  async #decide(
    by: OperatorCaller,
    order: RefundOrder,
    {
      action,
      reason,
      state,
    }: { state: 'sending' | 'refused'; action: 'approve_refund' | 'refuse_refund'; reason: string },
  ): Promise<void> {
    const log = this.parts.log.by(actorOf(by));
    const { accountId, amountMillicredits, id: subject } = order;
    await this.parts.orders.decide(order, { state, decidedBy: by.operatorId }, (transaction) =>
      log.write(transaction, { action, accountId, subject, amountMillicredits, reason }),
    );
  }
}
