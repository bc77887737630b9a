import { type EntityManager, In, IsNull, MoreThan, MoreThanOrEqual } from 'typeorm';
import { isOlder } from '../database/time/is-due.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, AskedOtherwiseError, InvalidInputError, NotFoundError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { isId } from '../kernel/ids.js';
import { RotatingPages } from '../kernel/jobs/rotating-pages.js';
import { RunningWork } from '../kernel/jobs/running-work.js';
import type { Logger } from '../kernel/logger.js';
import type { TimeRead } from '../ledger/receipts/proven-time.js';
import type { Outbox } from '../notices/outbox.js';
import { tellOfFailedRefund, toOutcome } from './follow-refunds.js';
import type { PaymentGateway } from './payment-gateway.js';
import { noReversals } from './payment-gateway.js';
import { PurchaseEntity } from './purchase.entity.js';
import type { PurchaseReconciliation } from './purchase-reconciliation.js';
import { PurchaseReversalEntity } from './purchase-reversal.entity.js';
import { splitReversal } from './purchase-reversals.js';
import { findNamedOrder, nameOrder } from './refund-names.js';
import { RefundOrderEntity } from './refund-order.entity.js';

export type RefundOrder = Readonly<Omit<RefundOrderEntity, 'purchase'>>;

/** What an operator wants to give back. */
export interface RefundWish {
  readonly purchaseId: string;
  /** Left out: all that is left of it. */
  readonly cents?: number;
  /** As the operators' log has it. */
  readonly reason: string;
  /** A word of the operator's own: the same again for the same purchase is the same refund, whoever says it and wherever. */
  readonly once?: string;
}

export interface RefundTerms {
  /** Who asks: an operator's id. */
  readonly askedBy: string;
  /** What one operator may give back of one account's purchases in 24 hours alone. */
  readonly aloneMaxMillicredits: number;
  /** Runs first in the transaction, and makes orders of one operator wait for each other. */
  readonly lock: (transaction: EntityManager) => Promise<unknown>;
  /** Writes the order down in the transaction that makes it. */
  readonly note: (transaction: EntityManager, order: RefundOrder) => Promise<void>;
}

export interface RefundOrdersParts {
  readonly unitOfWork: UnitOfWork;
  /** null: nothing is sold here. */
  readonly gateway: PaymentGateway | null;
  readonly reconciliation: Pick<PurchaseReconciliation, 'reconcile'>;
  readonly outbox: Pick<Outbox, 'tellOperator'>;
  readonly clock: Clock;
  /** The time now, and one that has surely come, as `ProvenTime` reads them, in the transaction that asks. */
  readTime(transaction: EntityManager): Promise<TimeRead>;
  readonly logger: Logger;
}

const dayMs = 24 * 60 * 60_000;
const listedMax = 100;
/** An order that is younger is left to the process that began it. */
const ownedMs = 60_000;

/**
 * Refunds that are begun here. An order is on disk before the gateway hears of it, and the gateway knows it by its id, so whatever
 * dies in between, it is made once. Credits are taken by the way that news of the gateway takes (`PurchaseReconciliation`): by sums,
 * so once, whether its webhook or its answer comes first.
 */
export class RefundOrders {
  readonly #running = new RunningWork();
  readonly #left = new RotatingPages<RefundOrder>(listedMax, ({ id }) => id);

  constructor(private readonly parts: RefundOrdersParts) {}

  /** How many are being carried out now. */
  get runningCount(): number {
    return this.#running.count;
  }

  /**
   * Writes an order down. `sending`: it may be carried out; `waiting`: a second operator has to agree first.
   * @throws NotFoundError; InvalidInputError for more than is left; AppError `conflict` for a purchase that is not paid, is disputed, or
   *   was paid by another payment service, and, naming `once`, where that word came with another sum or reason before.
   */
  async place(wish: RefundWish, terms: RefundTerms): Promise<RefundOrder> {
    const { clock, readTime, unitOfWork } = this.parts;
    const purchase = await this.#getPurchase(wish.purchaseId);
    return unitOfWork.transact(async (transaction) => {
      await terms.lock(transaction);
      // Orders of one purchase wait for each other, so that each sees the one before it.
      await transaction.update(PurchaseEntity, { id: purchase.id }, { id: purchase.id });
      const there = await findNamedOrder(transaction, wish);
      if (there !== null) return this.#requireSame(transaction, purchase, there, wish);
      const cents = await this.#getCents(transaction, purchase, wish.cents);
      const amountMillicredits = creditsOf(purchase, cents);
      const askedAtMs = clock.nowMs();
      const { accountId } = purchase;
      // By the earlier of both, so that a clock that runs ahead does not end the day early.
      const sinceMs = Math.min(askedAtMs, (await readTime(transaction)).believedMs) - dayMs;
      const before = await transaction.sum(RefundOrderEntity, 'amountMillicredits', {
        accountId,
        askedBy: terms.askedBy,
        decidedBy: IsNull(),
        state: In(['sending', 'pending', 'done']),
        askedAtMs: MoreThanOrEqual(sinceMs),
      });
      const isAlone = Number(before ?? 0) + amountMillicredits <= terms.aloneMaxMillicredits;
      const order: RefundOrder = {
        id: nameOrder(wish),
        purchaseId: purchase.id,
        accountId,
        cents,
        amountMillicredits,
        reason: wish.reason.trim(),
        askedBy: terms.askedBy,
        askedAtMs,
        state: isAlone ? 'sending' : 'waiting',
        decidedBy: null,
        decidedAtMs: null,
        gatewayRefundId: null,
        fault: null,
      };
      await terms.note(transaction, order);
      await transaction.insert(RefundOrderEntity, order);
      return order;
    });
  }

  /**
   * Decides about an order that waits. Asked again by the same one, it is as decided.
   * @throws AppError `conflict` when it was decided otherwise, or no longer fits its purchase; InvalidInputError as `place`.
   */
  async decide(
    { id }: Pick<RefundOrder, 'id'>,
    { state, decidedBy }: { readonly state: 'sending' | 'refused'; readonly decidedBy: string },
    note: (transaction: EntityManager) => Promise<void>,
  ): Promise<void> {
    const { clock, unitOfWork } = this.parts;
    const order = await this.getOrder(id);
    const purchase = await this.#getPurchase(order.purchaseId);
    await unitOfWork.transact(async (transaction) => {
      await transaction.update(PurchaseEntity, { id: purchase.id }, { id: purchase.id });
      const there = await transaction.findOneBy(RefundOrderEntity, { id });
      if (there?.state !== 'waiting') {
        if (there?.decidedBy === decidedBy && (there.state === 'refused') === (state === 'refused')) return;
        throw new AppError('conflict', 'This was decided already. Load the page again.');
      }
      if (state === 'sending') await this.#getCents(transaction, purchase, order.cents);
      await transaction.update(RefundOrderEntity, { id }, { state, decidedBy, decidedAtMs: clock.nowMs() });
      await note(transaction);
    });
  }

  /**
   * Has the gateway make a refund that was decided, and takes its credits. Asked again, it goes on where it was.
   * @returns how it stands: `done`, `pending`, or `failed` when the gateway refuses it for good, after which nothing was taken.
   * @throws AppError `service_unavailable` when gateway or database is away; it is tried again by itself.
   */
  async carryOut(id: string): Promise<RefundOrder> {
    return this.#carryOut(id, async () => {});
  }

  async #carryOut(id: string, onRefused: (order: RefundOrder, fault: string) => Promise<void>): Promise<RefundOrder> {
    return this.#running.during(async () => {
      const order = await this.getOrder(id);
      if (order.state !== 'sending') return order;
      const purchase = await this.#getPurchase(order.purchaseId);
      const gateway = this.#getGatewayOf(purchase);
      const { cents } = order;
      const made = await gateway.refundPayment({ refundId: id, sessionId: String(purchase.gatewaySessionId), cents });
      const outcome = toOutcome(made);
      if (outcome.state === 'failed') {
        await onRefused(order, outcome.fault);
        return this.#end(order, outcome);
      }
      const { mismatch } = await this.parts.reconciliation.reconcile(order.purchaseId);
      return this.#end(order, { ...outcome, fault: mismatch });
    });
  }

  /** Carries out what a server that died, or a gateway that was away, has left, 100 at a time. What is refused is told to the operator. */
  async resume(): Promise<void> {
    const { clock, logger, unitOfWork } = this.parts;
    const isLeft = isOlder(clock.nowMs(), ownedMs);
    const left = (after: string, take: number) => {
      const sending = { state: 'sending', id: MoreThan(after) } as const;
      const where = [
        { ...sending, decidedAtMs: isLeft },
        { ...sending, decidedAtMs: IsNull(), askedAtMs: isLeft },
      ];
      return unitOfWork.reader.find(RefundOrderEntity, { where, order: { id: 'ASC' }, take });
    };
    for (const { id } of await this.#left.next(left)) {
      // Nobody waits for its answer any more.
      await this.#carryOut(id, (order, fault) => tellOfFailedRefund(this.parts.outbox, order, fault)).catch(
        (error: unknown) => {
          logger.warn('refund_not_carried_out', { refundId: id, message: (error as Error).message });
        },
      );
    }
  }

  /** Those that wait for a second operator or for the gateway, the oldest first; at most 100. */
  async listOpen(): Promise<readonly RefundOrder[]> {
    const where = { state: In(['waiting', 'sending', 'pending']) };
    return this.parts.unitOfWork.reader.find(RefundOrderEntity, { where, order: { id: 'ASC' }, take: listedMax });
  }

  /** @throws AppError `not_found` */
  async getOrder(id: string): Promise<RefundOrder> {
    const order = await this.parts.unitOfWork.reader.findOneBy(RefundOrderEntity, { id });
    if (order === null) throw new AppError('not_found', 'There is no such refund.');
    return order;
  }

  async #getCents(transaction: EntityManager, purchase: PurchaseEntity, wanted: number | undefined): Promise<number> {
    this.#getGatewayOf(purchase);
    const { id: purchaseId, amountCents, status } = purchase;
    if (status !== 'paid')
      throw new AppError('conflict', 'This purchase is not paid, so there is nothing to give back.');
    const booked = await transaction.findOneBy(PurchaseReversalEntity, { purchaseId });
    if (booked !== null && booked.disputeState !== 'none') {
      throw new AppError('conflict', 'This purchase is disputed: the bank decides about its money. Answer at Stripe.');
    }
    const undone = await sumUndone(transaction, purchaseId, booked);
    const left = amountCents - undone;
    const cents = wanted ?? left;
    if (left <= 0) throw new AppError('conflict', 'All of this purchase was given back already.');
    if (cents < 1 || cents > left) {
      throw new InvalidInputError('cents', `Give back 1 to ${left} cents: that is what is left of this purchase.`);
    }
    return cents;
  }

  /** What an order was asked for with is what it is answered for; a sum that is left out stands for all that was left. */
  async #requireSame(
    transaction: EntityManager,
    { id: purchaseId, amountCents }: PurchaseEntity,
    there: RefundOrder,
    { cents, reason }: RefundWish,
  ): Promise<RefundOrder> {
    if (there.reason === reason.trim()) {
      if (there.cents === cents) return there;
      const booked = await transaction.findOneBy(PurchaseReversalEntity, { purchaseId });
      const undone = await sumUndone(transaction, purchaseId, booked);
      const isCounted = there.state === 'sending' || there.state === 'pending' || there.state === 'done';
      if (cents === undefined && undone + (isCounted ? 0 : there.cents) >= amountCents) return there;
    }
    throw new AskedOtherwiseError(`${there.cents} cents`, there.reason);
  }

  #getGatewayOf(purchase: PurchaseEntity): PaymentGateway {
    const { gateway } = this.parts;
    if (gateway !== null && gateway.name === purchase.gateway && purchase.gatewaySessionId !== null) return gateway;
    const words = `This was paid by ${purchase.gateway}, which this server is not set up for. Give it back there.`;
    throw new AppError('conflict', words);
  }

  async #end(
    order: RefundOrder,
    ended: Pick<RefundOrder, 'state' | 'fault'> & Partial<RefundOrder>,
  ): Promise<RefundOrder> {
    const { id } = order;
    await this.parts.unitOfWork.transactForServer((transaction) =>
      transaction.update(RefundOrderEntity, { id, state: 'sending' }, ended),
    );
    const { purchaseId, cents } = order;
    this.parts.logger[ended.fault === null ? 'info' : 'warn']('refund_ended', {
      refundId: id,
      purchaseId,
      cents,
      ...ended,
    });
    return this.getOrder(id);
  }

  async #getPurchase(id: string): Promise<PurchaseEntity> {
    const found = isId('purchase', id) && (await this.parts.unitOfWork.reader.findOneBy(PurchaseEntity, { id }));
    if (!found) throw new NotFoundError('purchase');
    return found;
  }
}

/** What was given back or withdrawn of a purchase, and what is being given back, in cents. */
async function sumUndone(
  transaction: EntityManager,
  purchaseId: string,
  booked: PurchaseReversalEntity | null,
): Promise<number> {
  const sending = await transaction.sum(RefundOrderEntity, 'cents', { purchaseId, state: 'sending' });
  return (booked?.refundedCents ?? 0) + (booked?.disputedCents ?? 0) + Number(sending ?? 0);
}

// What reconciliation would take for it if nothing was given back before.
function creditsOf(purchase: PurchaseEntity, cents: number): number {
  return splitReversal(purchase, { ...noReversals, refundedCents: cents }).refund.millicredits;
}
