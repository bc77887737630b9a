import { type EntityManager, In, IsNull, LessThan, Not } from 'typeorm';
import { noteEvent } from '../../audit/note-event.js';
import { isUniqueViolation } from '../../database/database-errors.js';
import { isAged } from '../../database/time/has-come.js';
import { findMadeChange, type KeyedChange, noteMadeChange } from '../../idempotency/idempotent-changes.js';
import { AppError, NotFoundError } from '../../kernel/app-error.js';
import { isId } from '../../kernel/ids.js';
import { RunningWork } from '../../kernel/jobs/running-work.js';
import { requireOpenWallet } from '../../ledger/require-open-wallet.js';
import { hasRoomToBuy, walletFull } from '../../ledger/wallet-room.js';
import { findPurchaseOwner } from '../find-purchase-owner.js';
import type { PaymentGateway } from '../payment-gateway.js';
import { PurchaseEntity } from '../purchase.entity.js';
import { PurchaseReconciliation, type PurchaseReconciliationParts } from '../purchase-reconciliation.js';
import { PurchaseReversalEntity } from '../purchase-reversal.entity.js';
import type { BookedReversal } from '../purchase-reversals.js';
import { expireUnasked, makePurchase, type Purchase } from '../purchase-rows.js';
import { type CheckoutChoice, describeCredits } from './credit-packs.js';

export interface PurchaseServiceParts extends PurchaseReconciliationParts {
  /** null: nobody has set up payments, and nothing is sold. */
  readonly gateway: PaymentGateway | null;
  readonly publicUrl: string;
  /** Those of these purchases that nobody sat in front of. */
  listAutomatic(purchaseIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** What became of a purchase, and how it came about. */
export interface PurchaseDetails {
  readonly reversal: BookedReversal | null;
  readonly isAutomatic: boolean;
}

/** Beyond this the gateway no longer answers with the session that it opened at first. */
const resumableMs = 22 * 60 * 60 * 1_000;

const endedCheckoutsMax = 100;
const endingForMs = 10_000;

/** Buying credits: from the choice of an amount to the grant, which happens once per purchase whoever asks for it. */
export class PurchaseService {
  readonly #reconciliation: PurchaseReconciliation;
  readonly #running = new RunningWork();

  constructor(private readonly parts: PurchaseServiceParts) {
    this.#reconciliation = new PurchaseReconciliation(parts);
  }

  /** How many checkouts are being begun and purchases looked up now. */
  get runningCount(): number {
    return this.#running.count + this.#reconciliation.runningCount;
  }

  /**
   * Begins a purchase and opens the page to pay on. The row is committed before the gateway hears of it, so no payment can
   * arrive for a purchase that we do not know.
   * @param idempotencyKey The same choice with the same key within 24 hours answers the same purchase; null: each is another.
   * @throws InvalidInputError for a choice that is not on offer; AppError `forbidden` when nothing is sold here; `conflict` while the
   *   account is frozen or closed, and where it has no room for the credits, so that none is paid for that could not be used; with a key, what `findMadeChange` throws.
   */
  async startCheckout(
    accountId: string,
    choice: CheckoutChoice,
    idempotencyKey: string | null = null,
  ): Promise<{ purchase: Purchase; url: string }> {
    const { gateway, unitOfWork, clock } = this.parts;
    if (!gateway)
      throw new AppError('forbidden', 'Credits are not sold here yet. Ask the operator to set up payments.');
    await requireOpenWallet(unitOfWork.reader, accountId);
    const wanted = makePurchase({ accountId, gateway: gateway.name, choice, nowMs: clock.nowMs() });
    if (!(await hasRoomToBuy(unitOfWork.reader, accountId, wanted.creditsMillicredits))) throw walletFull();
    const input = JSON.stringify(['startCheckout', choice.packId ?? null, choice.dollars ?? null]);
    const change = idempotencyKey === null ? null : { accountId, key: idempotencyKey, input, nowMs: clock.nowMs() };
    const insert = () => unitOfWork.transact((transaction) => insertOnce(transaction, wanted, change));
    // The same request at its side was quicker, and has its purchase on disk by now.
    const purchase = await insert().catch((error: unknown) => {
      if (change && isUniqueViolation(error)) return insert();
      throw error;
    });
    if (purchase.checkoutUrl !== null) return { purchase, url: purchase.checkoutUrl };
    if (purchase.gateway !== gateway.name) {
      throw new AppError('conflict', 'This was begun with another payment service. Begin it anew, with a new key.');
    }
    const opened = await this.#openSession(gateway, purchase);
    return { purchase: { ...purchase, ...opened }, url: opened.checkoutUrl };
  }

  /**
   * Brings one of the account's purchases up to date with the gateway; the page that the buyer returns to asks for it.
   * @throws NotFoundError for a missing or foreign purchase.
   */
  async confirmPurchase(accountId: string, purchaseId: string): Promise<Purchase> {
    const purchase = await this.findPurchase(accountId, purchaseId);
    if (!purchase) throw new NotFoundError('purchase');
    // What happens after the payment comes by the webhook; a page that is loaded again need not ask the gateway each time.
    if (purchase.status === 'paid') return purchase;
    return this.reconcilePurchase(purchaseId);
  }

  /**
   * Asks the gateway what has become of a purchase, grants its credits if it is paid, and undoes what was refunded. The
   * webhook, the return page and the Pay button all end here, in any order and however often: marking the purchase paid and
   * granting are one transaction with one id. What is granted stands in our row; the gateway only says whether it was paid for.
   * @throws NotFoundError; AppError `service_unavailable` when the database is away, after which asking again is safe.
   */
  async reconcilePurchase(purchaseId: string): Promise<Purchase> {
    return (await this.#reconciliation.reconcile(purchaseId)).purchase;
  }

  /**
   * Opens the session of a purchase whose server died between asking the gateway and noting its answer. The gateway answers
   * with the very same session. After a day it would not, and the purchase ends: its buyer never saw a page to pay on.
   */
  async resumeCheckout(purchase: Purchase): Promise<void> {
    const { clock, gateway, unitOfWork } = this.parts;
    if (isAged(purchase.createdAtMs, clock.nowMs(), resumableMs)) {
      await unitOfWork.transactForServer((transaction) => expireUnasked(transaction, purchase.id));
      return;
    }
    if (gateway && purchase.gateway === gateway.name) await this.#openSession(gateway, purchase);
  }

  /**
   * Ends the pages that an account could still pay on, for its deletion: the newest 100, and none is begun after ten seconds. It
   * never fails: what could not be ended is logged, and the operator is told of a payment on it.
   */
  async endCheckouts(accountId: string): Promise<void> {
    const { clock, gateway, logger, unitOfWork } = this.parts;
    if (!gateway) return;
    const untilMs = clock.elapsedMs() + endingForMs;
    const open = { accountId, gateway: gateway.name, status: 'pending', checkoutUrl: Not(IsNull()) } as const;
    const end = async ({ id, gatewaySessionId }: Purchase) => {
      if (clock.elapsedMs() > untilMs) throw new AppError('service_unavailable', 'There was no time left for it.');
      await gateway.expireCheckoutSession(String(gatewaySessionId));
      await this.reconcilePurchase(id);
    };
    await this.#running.during(async () => {
      const order = { id: 'DESC' } as const;
      const purchases = await unitOfWork.reader.find(PurchaseEntity, { where: open, order, take: endedCheckoutsMax });
      for (const purchase of purchases) {
        await end(purchase).catch((error: unknown) => {
          logger.warn('checkout_not_ended', { purchaseId: purchase.id, message: (error as Error).message });
        });
      }
    });
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

  /** What else is known of purchases: what was undone of each, and which ones nobody sat in front of. */
  async listDetails(purchaseIds: readonly string[]): Promise<ReadonlyMap<string, PurchaseDetails>> {
    const { reader } = this.parts.unitOfWork;
    const purchaseId = In([...purchaseIds]);
    const [reversals, automatic] = await Promise.all([
      reader.findBy(PurchaseReversalEntity, { purchaseId }),
      this.parts.listAutomatic(purchaseIds),
    ]);
    const toDetails = (id: string): PurchaseDetails => ({
      reversal: reversals.find((row) => row.purchaseId === id) ?? null,
      isAutomatic: automatic.has(id),
    });
    return new Map(purchaseIds.map((id) => [id, toDetails(id)]));
  }

  async findPurchase(accountId: string, purchaseId: string): Promise<Purchase | null> {
    if (!isId('purchase', purchaseId)) return null;
    return this.parts.unitOfWork.reader.findOneBy(PurchaseEntity, { id: purchaseId, accountId });
  }

  /** The account that began a purchase; null: there is no such purchase. */
  async findOwner(purchaseId: string): Promise<string | null> {
    return isId('purchase', purchaseId) ? findPurchaseOwner(this.parts.unitOfWork.reader, purchaseId) : null;
  }

  async #openSession(gateway: PaymentGateway, purchase: Purchase) {
    const { publicUrl, unitOfWork } = this.parts;
    const { id, accountId, amountCents, currency, createdAtMs } = purchase;
    const session = await this.#running.during(() =>
      gateway.createCheckoutSession({
        purchaseId: id,
        accountId,
        amountCents,
        currency,
        title: describeCredits(purchase),
        createdAtMs,
        returnUrl: `${publicUrl}/purchases/return?purchase=${id}`,
        cancelUrl: `${publicUrl}/credits`,
      }),
    );
    const opened = { gatewaySessionId: session.sessionId, checkoutUrl: session.url };
    return unitOfWork.transact(async (transaction) => {
      // Two who note one wait for each other here.
      await transaction.update(PurchaseEntity, { id }, { id });
      const { gatewaySessionId, checkoutUrl } = await transaction.findOneByOrFail(PurchaseEntity, { id });
      // By a key of another account of the gateway there is another session; of two the first is paid, as the row names one.
      const isOfAnother = gatewaySessionId !== null && gatewaySessionId !== opened.gatewaySessionId;
      if (isOfAnother && checkoutUrl !== null) return { gatewaySessionId, checkoutUrl };
      await transaction.update(PurchaseEntity, { id }, opened);
      return opened;
    });
  }
}

/** Writes the purchase, or finds the one that the same change has written before. */
async function insertOnce(
  transaction: EntityManager,
  wanted: PurchaseEntity,
  change: KeyedChange | null,
): Promise<Purchase> {
  const made = change && (await findMadeChange(transaction, change));
  if (made) {
    const { accountId } = wanted;
    const earlier = await transaction.findOneBy(PurchaseEntity, { id: made.subjectId, accountId });
    if (!earlier) throw new NotFoundError('purchase');
    return earlier;
  }
  await transaction.insert(PurchaseEntity, wanted);
  await noteEvent(transaction, { accountId: wanted.accountId, kind: 'checkout_started', subjectId: wanted.id });
  if (change) await noteMadeChange(transaction, change, { subjectId: wanted.id, note: null });
  return wanted;
}
