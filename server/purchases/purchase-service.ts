import { IsNull, LessThan } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, NotFoundError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { createId, isId } from '../kernel/ids.js';
import type { Logger } from '../kernel/logger.js';
import { toMillicredits } from '../kernel/millicredits.js';
import type { Ledger } from '../ledger/ledger.js';
import { type CheckoutChoice, priceChoice, purchaseCurrency } from './credit-packs.js';
import type { CheckoutSession, PaymentGateway } from './payment-gateway.js';
import { PurchaseEntity } from './purchase.entity.js';

export type Purchase = Readonly<Omit<PurchaseEntity, 'account'>>;

export interface PurchaseServiceParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: Pick<Ledger, 'grantCredits'>;
  /** null: nobody has set up payments, and nothing is sold. */
  readonly gateway: PaymentGateway | null;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly publicUrl: string;
}

/** Buying credits: from the choice of an amount to the grant, which happens once per purchase whoever asks for it. */
export class PurchaseService {
  constructor(private readonly parts: PurchaseServiceParts) {}

  /**
   * Begins a purchase and opens the page to pay on. The row is committed before the gateway hears of it, so no payment can
   * arrive for a purchase that we do not know.
   * @throws InvalidInputError for a choice that is not on offer; AppError `forbidden` when nothing is sold here.
   */
  async startCheckout(accountId: string, choice: CheckoutChoice): Promise<{ purchase: Purchase; url: string }> {
    const { gateway, unitOfWork, clock, publicUrl } = this.parts;
    if (!gateway)
      throw new AppError('forbidden', 'Credits are not sold here yet. Ask the operator to set up payments.');
    const purchase: PurchaseEntity = {
      id: createId('purchase'),
      accountId,
      gateway: gateway.name,
      gatewaySessionId: null,
      checkoutUrl: null,
      ...priceChoice(choice),
      currency: purchaseCurrency,
      status: 'pending',
      createdAtMs: clock.nowMs(),
      paidAtMs: null,
    };
    await unitOfWork.transact((transaction) => transaction.insert(PurchaseEntity, purchase));
    const session = await gateway.createCheckoutSession({
      purchaseId: purchase.id,
      amountCents: purchase.amountCents,
      currency: purchase.currency,
      returnUrl: `${publicUrl}/purchases/return?purchase=${purchase.id}`,
      cancelUrl: `${publicUrl}/credits`,
    });
    const opened = { gatewaySessionId: session.sessionId, checkoutUrl: session.url };
    await unitOfWork.transact((transaction) => transaction.update(PurchaseEntity, { id: purchase.id }, opened));
    return { purchase: { ...purchase, ...opened }, url: session.url };
  }

  /**
   * Brings one of the account's purchases up to date with the gateway; the page that the buyer returns to asks for it.
   * @throws NotFoundError for a missing or foreign purchase.
   */
  async confirmPurchase(accountId: string, purchaseId: string): Promise<Purchase> {
    const purchase = await this.findPurchase(accountId, purchaseId);
    if (!purchase) throw new NotFoundError('purchase');
    return this.reconcilePurchase(purchaseId);
  }

  /**
   * Asks the gateway what has become of a purchase, and grants its credits if it is paid. The webhook, the return page and
   * the Pay button all end here, in any order and however often: marking the purchase paid and granting are one
   * transaction with one id. What is granted stands in our row; the gateway only says whether it was paid for.
   * @throws NotFoundError; AppError `service_unavailable` when the database is away, after which asking again is safe.
   */
  async reconcilePurchase(purchaseId: string): Promise<Purchase> {
    const purchase = await this.#getPurchase(purchaseId);
    if (purchase.status !== 'pending' || purchase.gatewaySessionId === null) return purchase;
    const session = await this.#findMatchingSession(purchase, purchase.gatewaySessionId);
    if (session?.status === 'paid') await this.#grantCredits(purchase);
    if (session?.status === 'expired') await this.#markExpired(purchaseId);
    return this.#getPurchase(purchaseId);
  }

  /** Newest first. @param page.beforeId The last id of the page before; null: from the newest. */
  async listPurchases(accountId: string, page: { first: number; beforeId: string | null }) {
    const where = page.beforeId === null ? { accountId } : { accountId, id: LessThan(page.beforeId) };
    const rows = await this.parts.unitOfWork.reader.find(PurchaseEntity, {
      where,
      order: { id: 'DESC' },
      take: page.first + 1,
    });
    const items: readonly Purchase[] = rows.slice(0, page.first);
    return { items, hasNextPage: rows.length > page.first };
  }

  async findPurchase(accountId: string, purchaseId: string): Promise<Purchase | null> {
    if (!isId('purchase', purchaseId)) return null;
    return this.parts.unitOfWork.reader.findOneBy(PurchaseEntity, { id: purchaseId, accountId });
  }

  async #getPurchase(purchaseId: string): Promise<Purchase> {
    const purchase = await this.parts.unitOfWork.reader.findOneBy(PurchaseEntity, { id: purchaseId });
    if (!purchase) throw new NotFoundError('purchase');
    return purchase;
  }

  // null when the gateway does not know the session, or when it tells of another deal than our row: then nothing is
  // credited, and the log calls for the operator.
  async #findMatchingSession(purchase: Purchase, sessionId: string): Promise<CheckoutSession | null> {
    const { gateway, logger } = this.parts;
    const session = purchase.gateway === gateway?.name ? await gateway.findCheckoutSession(sessionId) : null;
    const isSameDeal =
      session?.purchaseId === purchase.id &&
      session.amountCents === purchase.amountCents &&
      session.currency === purchase.currency;
    if (isSameDeal) return session;
    logger.error('purchase_mismatch_found', { purchaseId: purchase.id, gateway: gateway?.name, session });
    return null;
  }

  async #grantCredits(purchase: Purchase): Promise<void> {
    const result = await this.parts.ledger.grantCredits({
      transferId: `purchase:${purchase.id}`,
      type: 'purchase',
      accountId: purchase.accountId,
      amountMillicredits: toMillicredits(purchase.creditsMillicredits),
      companion: {
        sql: `UPDATE purchase SET status = 'paid', paid_at_ms = ? WHERE id = ? AND status = 'pending'`,
        values: [this.parts.clock.nowMs(), purchase.id],
      },
    });
    const facts = { purchaseId: purchase.id, accountId: purchase.accountId };
    if (result.status === 'refused')
      this.parts.logger.error('purchase_grant_refused', { ...facts, reason: result.reason });
    else if (!result.isReplay) this.parts.logger.info('purchase_paid', { ...facts, amountCents: purchase.amountCents });
  }

  async #markExpired(purchaseId: string): Promise<void> {
    await this.parts.unitOfWork.transact((transaction) =>
      transaction.update(
        PurchaseEntity,
        { id: purchaseId, status: 'pending', paidAtMs: IsNull() },
        { status: 'expired' },
      ),
    );
  }
}
