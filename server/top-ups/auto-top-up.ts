import { type EntityManager, MoreThan } from 'typeorm';
import { isUniqueViolation } from '../database/database-errors.js';
import { CountedWaits } from '../database/time/counted-waits.js';
import { isAged } from '../database/time/has-come.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { RotatingPages } from '../kernel/jobs/rotating-pages.js';
import { RunningWork } from '../kernel/jobs/running-work.js';
import type { Logger } from '../kernel/logger.js';
import { readWallet } from '../ledger/read-wallet.js';
import type { TimeRead } from '../ledger/receipts/proven-time.js';
import { hasRoomToBuy } from '../ledger/wallet-room.js';
import type { CardGateway } from '../purchases/card-gateway.js';
import { describeCredits, priceChoice } from '../purchases/checkout/credit-packs.js';
import type { PurchaseReconciliation } from '../purchases/purchase-reconciliation.js';
import {
  expireUnasked,
  findPurchaseById,
  insertPurchase,
  listPurchasesById,
  markExpired,
  noteGatewayPayment,
  type Purchase,
} from '../purchases/purchase-rows.js';
import { AutoTopUpEntity } from './auto-top-up.entity.js';
import { AutoTopUpChargeEntity } from './auto-top-up-charge.entity.js';
import { forgetNotedCards, makeCardPages } from './cards-to-forget.js';
import { lockTopUp } from './lock-top-up.js';
import { sumSinceMonth, takeBackCharges, toMonthUtc } from './top-up-month.js';
import type { TopUpOutcomes } from './top-up-outcomes.js';
import { isPausedAfterCharge, isPausedAfterRefusal } from './top-up-pause.js';
import { isAgreed, type TopUpPayers } from './top-up-payers.js';

export interface AutoTopUpParts {
  readonly unitOfWork: UnitOfWork;
  readonly cards: CardGateway;
  readonly reconciliation: Pick<PurchaseReconciliation, 'reconcile'>;
  readonly outcomes: Pick<TopUpOutcomes, 'finish' | 'tellOfCap'>;
  readonly payers: Pick<TopUpPayers, 'endUnlessAgreed'>;
  /** The time now, and one that has surely come, as `ProvenTime` reads them, in the transaction that asks. */
  readTime(transaction: EntityManager): Promise<TimeRead>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A charge that is being made on another instance is left alone. */
const settlingMs = 60_000;
/** Beyond this the gateway no longer knows that it was asked before. */
const resumableMs = 22 * 60 * 60 * 1_000;
const accountsPerPage = 200;
const waitsToldMax = 10_000;

/**
 * Buys credits by the saved card when a balance has fallen below its owner's threshold, reservations not taken off: the purchase row first, then the
 * gateway, then the same reconciliation as every other purchase. One at a time per account, on however many instances, and with a
 * pause while a threshold is out of reach (`top-up-pause.ts`).
 */
export class AutoTopUp {
  readonly #running = new RunningWork();
  /** Accounts whose wait for the clock the log has. */
  readonly #waitsTold = new Set<string>();

  readonly #waits: CountedWaits;
  readonly #openCharges = new RotatingPages<AutoTopUpChargeEntity>(accountsPerPage, ({ openFor }) => openFor ?? '');
  readonly #cardPages = makeCardPages();

  constructor(private readonly parts: AutoTopUpParts) {
    this.#waits = new CountedWaits(parts.clock);
  }

  /** How many cards are being charged now. */
  get runningCount(): number {
    return this.#running.count;
  }

  /** Tops an account up if it wants that now. @returns whether a charge was begun. */
  async topUpIfNeeded(accountId: string): Promise<boolean> {
    const elapsedMs = this.parts.clock.elapsedMs();
    const begun = await this.#begin(accountId);
    if (begun === null) return false;
    await this.#charge(begun.purchase, begun.cardId, elapsedMs);
    return true;
  }

  /**
   * Takes up what a server that died has left: charges that were not made or not heard of, accounts whose balance fell
   * while nobody saw it, and cards that the gateway is to forget.
   */
  async sweep(): Promise<void> {
    const { clock, logger, unitOfWork } = this.parts;
    const attempt = async (work: () => Promise<unknown>) => {
      await work().catch((error: unknown) => logger.warn('top_up_sweep_failed', { message: (error as Error).message }));
    };
    const open = await this.#openCharges.next((after, take) => {
      const where = { state: 'open', openFor: MoreThan(after) } as const;
      return unitOfWork.reader.find(AutoTopUpChargeEntity, { where, order: { openFor: 'ASC' }, take });
    });
    const ids = open.map(({ purchaseId }) => purchaseId);
    for (const purchase of await listPurchasesById(unitOfWork, ids)) {
      if (!isAged(purchase.createdAtMs, clock.nowMs(), settlingMs)) continue;
      await attempt(async () => (await this.resume(purchase)) && this.parts.reconciliation.reconcile(purchase.id));
    }
    for await (const accountId of this.#listOn()) {
      await attempt(async () => (await this.#mayNeed(accountId)) && this.topUpIfNeeded(accountId));
    }
    await forgetNotedCards(this.parts, this.#cardPages, attempt);
  }

  /**
   * Takes up a charge whose answer nobody noted. It is made only while its owner still wants this very charge: on, by this card, for
   * at least this amount, with a balance below the threshold. Else the gateway is asked whether it was made: money that was taken
   * brings its credits, and a charge that was never made ends. The gateway knows what it was asked before.
   * @returns false for a purchase that is no automatic top-up.
   * @throws AppError `service_unavailable` when the gateway cannot be reached; the charge stays open, and is made by nobody.
   */
  async resume(purchase: Purchase): Promise<boolean> {
    const { cards, clock, unitOfWork } = this.parts;
    const charge = await unitOfWork.reader.findOneBy(AutoTopUpChargeEntity, { purchaseId: purchase.id });
    if (!charge) return false;
    const isUnasked = purchase.status === 'pending' && purchase.gatewaySessionId === null;
    if (!isUnasked) return true;
    const elapsedMs = clock.elapsedMs();
    const isWanted = await this.#isStillWanted(charge);
    const isKnown = !isAged(purchase.createdAtMs, clock.nowMs(), resumableMs);
    // A clock that was set back tells of fewer hours than have passed, so it is not believed alone.
    const payment = await cards.findCharge({ purchaseId: purchase.id, accountId: purchase.accountId });
    if (payment !== null) await this.#reconcilePayment(purchase.id, payment.paymentId);
    else if (isWanted && isKnown) await this.#charge(purchase, charge.cardId, elapsedMs);
    else await this.#end(purchase, isWanted);
    return true;
  }

  async #isStillWanted({ accountId, cardId, amountCents, monthUtc }: AutoTopUpChargeEntity): Promise<boolean> {
    return this.parts.unitOfWork.transactForServer(async (transaction) => {
      const settings = await this.#lockNeed(transaction, accountId);
      if (settings?.cardId !== cardId || amountCents > settings.amountCents) return false;
      const month = { fromMs: Date.parse(`${monthUtc}-01`), toMs: settings.time.nowMs };
      return (await sumSinceMonth(transaction, accountId, month)) <= settings.monthlyCapCents;
    });
  }

  /** Ends a charge that was not made, and is not to be made any more. @param isFailure Its owner waits for it, and is told. */
  async #end(purchase: Purchase, isFailure: boolean): Promise<void> {
    const { logger, unitOfWork } = this.parts;
    const { id, accountId } = purchase;
    if (isFailure) return this.#giveUp(id, null);
    const hasEnded = await unitOfWork.transactForServer(async (transaction) => {
      if (!(await expireUnasked(transaction, id))) return false;
      const ended = { state: 'failed', openFor: null } as const;
      await transaction.update(AutoTopUpChargeEntity, { purchaseId: id, state: 'open' }, ended);
      return true;
    });
    if (hasEnded) logger.info('top_up_dropped', { purchaseId: id, accountId });
  }

  /** By reads alone, so that a sweep locks and writes nothing of the many who have enough; `#lockNeed` decides. */
  async #mayNeed(accountId: string): Promise<boolean> {
    const { reader } = this.parts.unitOfWork;
    const settings = await reader.findOneBy(AutoTopUpEntity, { accountId, isOn: true });
    if (settings === null) return false;
    if (!isAgreed(settings)) return true;
    const wallet = await readWallet(reader, accountId);
    return wallet?.isOpen === true && wallet.balanceMillicredits < settings.thresholdMillicredits;
  }

  /** Writes the purchase and takes the account's one place, in one transaction that sees the balance as it is. */
  async #begin(accountId: string): Promise<{ purchase: Purchase; cardId: string } | null> {
    const { unitOfWork } = this.parts;
    try {
      return await unitOfWork.transactForServer((transaction) => this.#beginIn(transaction, accountId));
    } catch (error) {
      // Another instance was quicker.
      if (isUniqueViolation(error)) return null;
      throw error;
    }
  }

  /**
   * Locks an account's settings, and turns off what nobody who may pay has agreed to. @returns them when it wants credits now, and the card
   * may be charged for them; else null.
   */
  async #lockNeed(transaction: EntityManager, accountId: string) {
    const { cards, payers, readTime } = this.parts;
    // Whoever comes second sees what the first one has bought or turned off.
    const settings = await lockTopUp(transaction, accountId);
    if (!settings?.isOn || settings.gateway !== cards.name || !settings.cardId) return null;
    if (!(await payers.endUnlessAgreed(transaction, settings))) return null;
    const wallet = await readWallet(transaction, accountId);
    if (!wallet?.isOpen || wallet.balanceMillicredits >= settings.thresholdMillicredits) return null;
    const time = await readTime(transaction);
    return { ...settings, cardId: settings.cardId, time };
  }

  async #beginIn(transaction: EntityManager, accountId: string) {
    const { cards, logger, outcomes } = this.parts;
    const settings = await this.#lockNeed(transaction, accountId);
    if (settings === null) return null;
    if (await transaction.existsBy(AutoTopUpChargeEntity, { openFor: accountId })) return null;
    const { amountCents, monthlyCapCents, cardId, time } = settings;
    // Not asked of a charge that was left: it was begun behind the pause.
    if (isPausedAfterRefusal(settings, { waits: this.#waits, time })) return null;
    if (await isPausedAfterCharge(transaction, settings, { waits: this.#waits, time })) return null;
    const { nowMs } = time;
    const monthUtc = toMonthUtc(nowMs);
    // A month is over only when it surely is: a clock that is ahead for a moment has no card charged beyond its limit.
    const surelyMs = Math.min(nowMs, time.believedMs);
    await takeBackCharges(transaction, accountId, time);
    if ((await sumSinceMonth(transaction, accountId, { fromMs: nowMs, toMs: nowMs })) + amountCents > monthlyCapCents) {
      await outcomes.tellOfCap(transaction, settings, monthUtc);
      return null;
    }
    const sinceSurely = { fromMs: surelyMs, toMs: nowMs };
    if ((await sumSinceMonth(transaction, accountId, sinceSurely)) + amountCents > monthlyCapCents) {
      this.#tellOfWait({ accountId, monthUtc, surelyMonthUtc: toMonthUtc(surelyMs) });
      return null;
    }
    const choice = { dollars: amountCents / 100 };
    const { creditsMillicredits } = priceChoice(choice);
    if (!(await hasRoomToBuy(transaction, accountId, creditsMillicredits))) {
      logger.warn('top_up_without_room', { accountId });
      return null;
    }
    const purchase = await insertPurchase(transaction, { accountId, gateway: cards.name, choice, nowMs });
    const charge = { purchaseId: purchase.id, accountId, openFor: accountId, monthUtc, amountCents, cardId };
    await transaction.insert(AutoTopUpChargeEntity, { ...charge, state: 'open' });
    return { purchase, cardId };
  }

  #tellOfWait(facts: { readonly accountId: string; readonly monthUtc: string; readonly surelyMonthUtc: string }): void {
    const { accountId, monthUtc } = facts;
    if (this.#waitsTold.has(`${accountId} ${monthUtc}`)) return;
    if (this.#waitsTold.size >= waitsToldMax) this.#waitsTold.clear();
    this.#waitsTold.add(`${accountId} ${monthUtc}`);
    this.parts.logger.info('top_up_waits_for_clock', facts);
  }

  /** @param decidedElapsedMs When it began to be decided that the card is to be charged. */
  async #charge(purchase: Purchase, cardId: string, decidedElapsedMs: number): Promise<void> {
    const { cards, clock, logger } = this.parts;
    const { id, accountId, amountCents, currency } = purchase;
    // The machine has slept since, and another one may have charged the card: the sweep asks the gateway first.
    if (clock.elapsedMs() - decidedElapsedMs > settlingMs)
      throw new AppError('service_unavailable', 'This charge was begun too long ago. It is looked at again.');
    logger.info('top_up_begun', { purchaseId: id, accountId, amountCents });
    const title = `${describeCredits(purchase)}, automatic top-up`;
    const charge = { purchaseId: id, accountId, cardId, amountCents, currency, title };
    const payment = await this.#running.during(() => cards.chargeSavedCard(charge));
    if (payment === null) {
      await this.#giveUp(id, 'no_card');
      return;
    }
    await this.#reconcilePayment(id, payment.paymentId);
  }

  async #reconcilePayment(purchaseId: string, paymentId: string): Promise<void> {
    await noteGatewayPayment(this.parts.unitOfWork, purchaseId, paymentId);
    await this.parts.reconciliation.reconcile(purchaseId);
  }

  // No payment was ever made for it.
  async #giveUp(purchaseId: string, failureCode: string | null): Promise<void> {
    const { outcomes, unitOfWork } = this.parts;
    await markExpired(unitOfWork, purchaseId);
    const purchase = await findPurchaseById(unitOfWork, purchaseId);
    if (purchase) await outcomes.finish(purchase, failureCode);
  }

  async *#listOn(): AsyncGenerator<string> {
    const { unitOfWork } = this.parts;
    for (let after = ''; ; ) {
      const page = await unitOfWork.reader
        .createQueryBuilder(AutoTopUpEntity, 'settings')
        .select('settings.accountId', 'accountId')
        .where('settings.isOn = :isOn AND settings.accountId > :after', { isOn: true, after })
        .orderBy('settings.accountId')
        .limit(accountsPerPage)
        .getRawMany<{ accountId: string }>();
      for (const { accountId } of page) yield accountId;
      after = page.at(-1)?.accountId ?? '';
      if (page.length < accountsPerPage) return;
    }
  }
}
