import { type EntityManager, IsNull } from 'typeorm';
import { allowDuplicate } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { isId } from '../kernel/ids.js';
import type { Logger } from '../kernel/logger.js';
import { readWallet } from '../ledger/read-wallet.js';
import type { Outbox } from '../notices/outbox.js';
import type { CheckoutSession, PaymentGateway, PaymentNotice, PaymentNoticeSource } from './payment-gateway.js';
import { PurchaseEntity } from './purchase.entity.js';
import { findMismatch, type PurchaseReconciliation } from './purchase-reconciliation.js';
import { StripeEventEntity, type StripeEventState } from './stripe/stripe-event.entity.js';

/** What a webhook needs: to tell a genuine delivery, and to deal with it. */
export interface PaymentWebhook {
  /** null: it is not from the payment gateway. */
  readNotice(rawBody: Buffer, signature: string): PaymentNotice | null;
  receive(notice: PaymentNotice): Promise<StripeEventState | 'known'>;
}

export interface PaymentNoticesParts {
  readonly unitOfWork: UnitOfWork;
  readonly gateway: PaymentGateway & PaymentNoticeSource;
  readonly reconciliation: Pick<PurchaseReconciliation, 'reconcile'>;
  /** Keeps the card of a card setup; false when the session is none. */
  keepCardOf(sessionId: string): Promise<boolean>;
  /** What stands on everything that this installation has begun at the gateway. */
  getInstallationId(): Promise<string>;
  /** Tells the operator of what was set aside. */
  readonly outbox: Pick<Outbox, 'tellOperator'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Verdict {
  readonly state: StripeEventState;
  readonly reason: string | null;
  readonly purchaseId: string | null;
  /** The other installation that it is of; left out: of none. */
  readonly foreignId?: string;
  /** Whether nothing in it names this installation, or an account of it; left out: that is not known. */
  readonly isOfNobodyHere?: boolean;
}

/** For so long a purchase that we do not know may be one that another instance is still writing. */
const unknownForMs = 10 * 60 * 1_000;
const unknownReason = 'it names a purchase that does not exist';

/** What to do when the payment gateway says that something has happened, whether it told us or we asked. */
export class PaymentNotices {
  #foreignCount = 0;

  constructor(private readonly parts: PaymentNoticesParts) {}

  /** How many notices were about payments of another installation, since this process began. */
  get foreignCount(): number {
    return this.#foreignCount;
  }

  /**
   * Looks where the notice points and brings that purchase to where the gateway says it is. A notice that was dealt with is
   * not looked at again; one that does not fit is set aside for the operator, and changes nothing.
   * @param isOld Whether it happened long before anybody asked: what is of an unknown purchase, and names nothing of ours, is then `unclaimed`,
   *   and not asked about again until somebody looks at it who does not say so.
   * @returns `known` when it was dealt with before. Whatever else it returns is on disk.
   * @throws when it could not be dealt with now: it must be delivered again.
   */
  async receive(notice: PaymentNotice, { isOld = false } = {}): Promise<StripeEventState | 'known'> {
    if (notice.subject === null) return 'ignored';
    const known = await this.parts.unitOfWork.reader.findOneBy(StripeEventEntity, { id: notice.id });
    if (known !== null && known.state !== 'unclaimed') return 'known';
    if (known !== null && isOld) return 'unclaimed';
    const verdict = await this.#judge(notice);
    if (isOld && verdict.isOfNobodyHere) {
      await this.#record(notice, { ...verdict, state: 'unclaimed' });
      return 'unclaimed';
    }
    if (verdict.state === 'quarantined') {
      const { id: eventId, type } = notice;
      this.parts.logger.error('payment_notice_quarantined', { eventId, type, ...verdict });
      await this.parts.outbox.tellOperator(wordMail(notice, verdict, this.parts.clock.nowMs()));
    }
    if (verdict.foreignId !== undefined) await this.#tellOfForeign(notice, verdict.foreignId);
    await this.#record(notice, verdict);
    return verdict.state;
  }

  /**
   * Looks again at a notice that was set aside, at the gateway itself, and writes down what it came to.
   * @param also Runs in the transaction that writes it down.
   * @returns how it stands now, and why it still does not fit.
   * @throws AppError `not_found` for one that is not set aside; `conflict` when the gateway keeps it no longer.
   */
  async tryAgain(id: string, also: (transaction: EntityManager) => Promise<void>): Promise<Verdict> {
    const { gateway, reconciliation, unitOfWork } = this.parts;
    const row = await unitOfWork.reader.findOneBy(StripeEventEntity, { id, state: 'quarantined' });
    if (row === null) throw noSuchEvent();
    const notice = await gateway.findNotice(id);
    if (notice === null && row.purchaseId === null) {
      throw new AppError('conflict', 'The payment service no longer has this event. Dismiss it with a reason.');
    }
    const looked = notice ? await this.#judge(notice) : await judgePurchase(reconciliation, String(row.purchaseId));
    const { state, reason, purchaseId } = looked;
    // What the gateway has said is written down whoever asked for it: the look has moved what it moves.
    await this.parts.unitOfWork.transactForServer((transaction) =>
      changeSetAside(transaction, id, { state, reason, purchaseId }, also),
    );
    return looked;
  }

  /** Ends a notice that was set aside, for a reason. Nothing is credited by it. @throws as `tryAgain`. */
  async dismiss(id: string, reason: string, also: (transaction: EntityManager) => Promise<void>): Promise<void> {
    const change = { state: 'ignored', reason: `dismissed: ${reason}`.slice(0, 191) } as const;
    await this.parts.unitOfWork.transact((transaction) => changeSetAside(transaction, id, change, also));
  }

  async #judge(notice: PaymentNotice): Promise<Verdict> {
    const { gateway, reconciliation } = this.parts;
    if (notice.subject === null || !notice.isOurMode) {
      return { state: 'quarantined', reason: 'test money and real money are mixed up', purchaseId: null };
    }
    const sessionId = await gateway.findSessionIdOf(notice.subject);
    if (sessionId === null) {
      // By a key of another account of the gateway everything belongs to no checkout: it is looked at once the key is back.
      if ((await gateway.findNotice(notice.id)) === null)
        throw new AppError(
          'service_unavailable',
          'This is of another account of the payment service. Deliver it again.',
        );
      return { state: 'ignored', reason: 'it belongs to no checkout', purchaseId: null };
    }
    const found = await this.#findPurchaseId(sessionId, notice);
    if (typeof found !== 'string') return found;
    return judgePurchase(reconciliation, found);
  }

  // Beside the usual case there is the purchase whose server died before it could note its session.
  async #findPurchaseId(sessionId: string, notice: PaymentNotice): Promise<string | Verdict> {
    const { gateway, unitOfWork } = this.parts;
    const ofGateway = { gateway: gateway.name };
    const { reader } = unitOfWork;
    const known = await reader.findOneBy(PurchaseEntity, { ...ofGateway, gatewaySessionId: sessionId });
    if (known) return known.id;
    const session = await gateway.findCheckoutSession(sessionId);
    const purchaseId = session?.purchaseId ?? '';
    if (!isId('purchase', purchaseId)) {
      if (await this.parts.keepCardOf(sessionId)) return { state: 'processed', reason: null, purchaseId: null };
      return { state: 'ignored', reason: 'it is about nothing that we sell', purchaseId: null };
    }
    const purchase = await reader.findOneBy(PurchaseEntity, { id: purchaseId, ...ofGateway });
    if (!purchase) {
      const foreignId = await this.#findForeign(session);
      if (foreignId === null) return this.#judgeUnknown(notice, session);
      return { state: 'ignored', reason: `it is of the installation ${foreignId}`, purchaseId: null, foreignId };
    }
    const mismatch = findMismatch({ ...purchase, gatewaySessionId: purchase.gatewaySessionId ?? sessionId }, session);
    if (mismatch !== null) return { state: 'quarantined', reason: mismatch, purchaseId };
    await unitOfWork.transactForServer((transaction) =>
      transaction.update(
        PurchaseEntity,
        { id: purchaseId, gatewaySessionId: IsNull() },
        { gatewaySessionId: sessionId },
      ),
    );
    return purchaseId;
  }

  /**
   * The other Tollgate that sells by the same account of the gateway and has begun this; null: none. What names an account of ours is
   * ours, whatever installation it names: of a database that was restored or copied nothing is passed over in silence.
   */
  async #findForeign(session: CheckoutSession | null): Promise<string | null> {
    if (session === null || session.installationId === null || session.accountId === null) return null;
    const { getInstallationId, unitOfWork } = this.parts;
    if (session.installationId === (await getInstallationId())) return null;
    return (await readWallet(unitOfWork.reader, session.accountId)) === null ? session.installationId : null;
  }

  /** Once of each installation: it may be this one, whose database was lost or restored from before it had an id. */
  async #tellOfForeign({ id: eventId, type }: PaymentNotice, foreignId: string): Promise<void> {
    this.#foreignCount += 1;
    this.parts.logger.info('payment_notice_foreign', { eventId, type, installationId: foreignId });
    await this.parts.outbox.tellOperator({
      subjectKey: `foreign:${foreignId}`.slice(0, 191),
      title: 'Payments of another Tollgate are ignored',
      body: `The payment service sends events of the installation ${foreignId}, of which this database knows neither the purchases nor the
accounts. They are acknowledged and ignored. This mail is sent once.

If another Tollgate sells by the same account of the payment service, you need not do anything. If ${foreignId} was this one,
and its database was lost or restored from an older backup, its buyers have paid and have no credits: ${eventId} (${type})
is such an event. The log has each as payment_notice_foreign, and the console those of ${foreignId}.
`,
    });
  }

  async #judgeUnknown(notice: PaymentNotice, session: CheckoutSession | null): Promise<Verdict> {
    if (this.parts.clock.nowMs() - notice.createdAtMs < unknownForMs) {
      throw new AppError('service_unavailable', 'This purchase is not known here yet. Deliver it again.');
    }
    const { installationId, accountId } = session ?? { installationId: null, accountId: null };
    const isNamed = installationId !== null || accountId === null;
    const isOfNobodyHere = !isNamed && (await readWallet(this.parts.unitOfWork.reader, accountId)) === null;
    return { state: 'quarantined', reason: unknownReason, purchaseId: null, isOfNobodyHere };
  }

  async #record(notice: PaymentNotice, { state, reason, purchaseId }: Verdict): Promise<void> {
    const { id, type, createdAtMs } = notice;
    const row = { id, type, state, reason, purchaseId, createdAtMs, receivedAtMs: this.parts.clock.nowMs() };
    // The same notice may be delivered twice at once.
    await allowDuplicate(
      this.parts.unitOfWork.transactForServer(async (transaction) => {
        await transaction.delete(StripeEventEntity, { id, state: 'unclaimed' });
        await transaction.insert(StripeEventEntity, row);
      }),
    );
  }
}

// Of unknown purchases there is no end where another Tollgate of an earlier release sells by the same Stripe account: one mail a day.
function wordMail({ id, type }: PaymentNotice, { reason, purchaseId }: Verdict, nowMs: number) {
  const isUnknown = reason === unknownReason;
  const about = isUnknown ? `unknown:${new Date(nowMs).toISOString().slice(0, 10)}` : id;
  const others = isUnknown
    ? `
Other events of unknown purchases are set aside today without a mail; they stand in the log and in the console. They come where an
older backup was restored, where a copy of this database sells by the same Stripe account, and where another Tollgate does whose release
does not yet write on its payments whose they are.
`
    : '';
  return {
    subjectKey: `quarantined:${about}`,
    title: `A payment event does not fit: ${type}`,
    body: `${id} was set aside and nothing was credited: ${reason}. Purchase: ${purchaseId ?? 'none'}.
${others}`,
  };
}

async function judgePurchase(
  reconciliation: PaymentNoticesParts['reconciliation'],
  purchaseId: string,
): Promise<Verdict> {
  const { mismatch } = await reconciliation.reconcile(purchaseId);
  return { state: mismatch === null ? 'processed' : 'quarantined', reason: mismatch, purchaseId };
}

function noSuchEvent(): AppError {
  return new AppError('not_found', 'There is no such event that is set aside. Load the page again.');
}

async function changeSetAside(
  transaction: EntityManager,
  id: string,
  change: Partial<Verdict>,
  also: (transaction: EntityManager) => Promise<void>,
): Promise<void> {
  // Two who look at the same one wait for each other here.
  await transaction.update(StripeEventEntity, { id }, { id });
  if (!(await transaction.existsBy(StripeEventEntity, { id, state: 'quarantined' }))) throw noSuchEvent();
  await transaction.update(StripeEventEntity, { id }, change);
  await also(transaction);
}
