import { removeOldEvents, toEventInsert } from '../audit/note-event.js';
import { AppError, NotFoundError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { RunningWork } from '../kernel/jobs/running-work.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { readWalletWithLeases } from '../ledger/read-wallet.js';
import type { Outbox } from '../notices/outbox.js';
import { followRefunds } from './follow-refunds.js';
import type { CheckoutSession, PaymentGateway } from './payment-gateway.js';
import { PurchaseEntity } from './purchase.entity.js';
import { PurchaseReversals, type PurchaseReversalsParts } from './purchase-reversals.js';
import { markExpired, type Purchase } from './purchase-rows.js';
import { hasRealPayments } from './real-money.js';

/** How a purchase stands after the gateway was asked. */
export interface Reconciled {
  readonly purchase: Purchase;
  /** Why nothing was booked although the gateway was asked: it tells of another deal than our row. null: all is well. */
  readonly mismatch: string | null;
}

export interface PurchaseReconciliationParts extends PurchaseReversalsParts {
  readonly gateway: PaymentGateway | null;
  /** Tells the operator of a refund of theirs that has failed later, and of a payment for credits that nobody can use. */
  readonly outbox: Pick<Outbox, 'tellOperator'>;
  readonly clock: Clock;
  /** Called with each purchase that was looked at, as it stands now; it may be called again for the same. */
  followUp?(purchase: Purchase, failureCode: string | null): Promise<void>;
}

/** More bookings of one purchase than this never come in between. */
const roundsMax = 8;

/**
 * Brings a purchase to where the gateway says it is: granted once it is paid, and undone as far as it was refunded or
 * disputed, with the orders of its refunds. The webhook, the return page and the reconciler all end here, in any order and however often.
 */
export class PurchaseReconciliation {
  readonly #reversals: PurchaseReversals;

  readonly #running = new RunningWork();

  constructor(private readonly parts: PurchaseReconciliationParts) {
    this.#reversals = new PurchaseReversals(parts);
  }

  /** How many purchases are being looked up now. */
  get runningCount(): number {
    return this.#running.count;
  }

  /**
   * @throws NotFoundError; AppError `service_unavailable` when the database or the gateway is away, after which asking again
   * is safe.
   */
  async reconcile(purchaseId: string): Promise<Reconciled> {
    return this.#running.during(async () => {
      const { failureCode, ...reconciled } = await this.#reconcile(purchaseId);
      await this.parts.followUp?.(reconciled.purchase, failureCode);
      return reconciled;
    });
  }

  async #reconcile(purchaseId: string): Promise<Reconciled & { failureCode: string | null }> {
    for (let round = 0; round < roundsMax; round += 1) {
      const purchase = await this.#getPurchase(purchaseId);
      if (purchase.gatewaySessionId === null) return { purchase, mismatch: null, failureCode: null };
      const booked = await this.#reversals.findBooked(purchase);
      const session = await this.#findSession(purchase, purchase.gatewaySessionId);
      const mismatch = findMismatch(purchase, session);
      if (session === null || mismatch !== null) {
        this.#raiseAlarm(purchase, session, mismatch);
        return { purchase, mismatch, failureCode: null };
      }
      if (session.status === 'expired') await markExpired(this.parts.unitOfWork, purchaseId);
      const { failureCode } = session;
      if (session.status !== 'paid') {
        return { purchase: await this.#getPurchase(purchaseId), mismatch: null, failureCode };
      }
      const refusal = purchase.status === 'paid' ? null : await this.#grantCredits(purchase, session);
      if (refusal !== null) return { purchase, mismatch: refusal, failureCode };
      await this.#saveReceiptLinks(purchase, session);
      if (await this.#reversals.book(purchase, booked, session.reversals)) {
        await followRefunds(this.parts, purchaseId, session.refunds);
        return { purchase: await this.#getPurchase(purchaseId), mismatch: null, failureCode };
      }
    }
    throw new AppError('service_unavailable', 'This purchase is being changed by others. Try again shortly.');
  }

  async #getPurchase(purchaseId: string): Promise<PurchaseEntity> {
    const purchase = await this.parts.unitOfWork.reader.findOneBy(PurchaseEntity, { id: purchaseId });
    if (!purchase) throw new NotFoundError('purchase');
    return purchase;
  }

  // A session that another gateway opened is nothing that ours can speak for.
  #findSession(purchase: Purchase, sessionId: string): Promise<CheckoutSession | null> {
    const { gateway } = this.parts;
    return purchase.gateway === gateway?.name ? gateway.findCheckoutSession(sessionId) : Promise.resolve(null);
  }

  // Nothing is credited, and the log calls for the operator.
  #raiseAlarm(purchase: Purchase, session: CheckoutSession | null, mismatch: string | null): void {
    const { gateway, logger } = this.parts;
    logger.error('purchase_mismatch_found', { purchaseId: purchase.id, gateway: gateway?.name, session, mismatch });
  }

  // Money that was taken brings its credits, even for a purchase that we had taken for expired. Returns why not; null: it did.
  async #grantCredits(purchase: Purchase, session: CheckoutSession): Promise<string | null> {
    const { gateway, unitOfWork } = this.parts;
    // The start refuses such a server; this one was started before the first real payment.
    if (!gateway?.takesRealMoney && (await hasRealPayments(unitOfWork.reader))) {
      const mismatch = 'no real money was paid, and credits were sold for real money here';
      this.#raiseAlarm(purchase, session, mismatch);
      return mismatch;
    }
    // First, so that no crash in between keeps it from being told.
    await this.#tellOfDeleted(purchase);
    const { accountId, id: purchaseId } = purchase;
    const result = await this.parts.ledger.grantCredits({
      transferId: `purchase:${purchaseId}`,
      type: 'purchase',
      accountId,
      amountMillicredits: toMillicredits(purchase.creditsMillicredits),
      companion: {
        sql: `UPDATE purchase SET status = 'paid', paid_at_ms = ? WHERE id = ? AND status <> 'paid'`,
        values: [this.parts.clock.nowMs(), purchaseId],
        also: [toEventInsert({ accountId, kind: 'credits_bought', subjectId: purchaseId })],
      },
    });
    const facts = { purchaseId, accountId };
    if (result.status === 'refused')
      this.parts.logger.error('purchase_grant_refused', { ...facts, reason: result.reason });
    else if (!result.isReplay) {
      this.parts.logger.info('purchase_paid', { ...facts, amountCents: purchase.amountCents });
      await this.parts.unitOfWork.transactForServer((transaction) => removeOldEvents(transaction, accountId));
    }
    return result.status === 'granted' ? null : 'the ledger refused the grant';
  }

  // A page that was open when its account was deleted, or a charge whose answer came later.
  async #tellOfDeleted({ id, accountId, amountCents }: Purchase): Promise<void> {
    const wallet = await readWalletWithLeases(this.parts.unitOfWork.reader, accountId);
    if (wallet?.state !== 'closing' && wallet?.state !== 'closed') return;
    this.parts.logger.error('deleted_account_paid', { purchaseId: id, accountId, amountCents });
    await this.parts.outbox.tellOperator({
      subjectKey: `deleted-account-paid:${id}`,
      title: `A deleted account has paid $${amountCents / 100}`,
      body: `${id} was paid after its account ${accountId} was deleted. Its credits are on a closed wallet, and nobody can use them. Give the money back:\nnpm run tollgate -- purchase refund ${id} --reason "The account was deleted"\n`,
    });
  }

  async #saveReceiptLinks(purchase: Purchase, { receiptUrl, invoiceUrl }: CheckoutSession): Promise<void> {
    const papers = { receiptUrl: receiptUrl ?? purchase.receiptUrl, invoiceUrl: invoiceUrl ?? purchase.invoiceUrl };
    if (papers.receiptUrl === purchase.receiptUrl && papers.invoiceUrl === purchase.invoiceUrl) return;
    await this.parts.unitOfWork.transactForServer((transaction) =>
      transaction.update(PurchaseEntity, { id: purchase.id }, papers),
    );
  }
}

/**
 * Compares what the gateway says with our row: the purchase, the account, the amount, the currency, the session.
 * @returns what differs, in words; null when it is the same deal.
 */
export function findMismatch(purchase: Purchase, session: CheckoutSession | null): string | null {
  if (session === null) return 'the gateway knows no such session';
  const wanted = {
    sessionId: purchase.gatewaySessionId,
    purchaseId: purchase.id,
    accountId: purchase.accountId,
    amountCents: purchase.amountCents,
    currency: purchase.currency,
  };
  const names = Object.keys(wanted) as (keyof typeof wanted)[];
  const different = names.filter((name) => session[name] !== wanted[name]);
  return different.length === 0 ? null : `another ${different.join(', ')}`;
}
