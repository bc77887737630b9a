import { createHash } from 'node:crypto';
import { MoreThan, Not } from 'typeorm';
import { isOlder } from '../database/time/is-due.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { RepeatedJob } from '../kernel/jobs/repeated-job.js';
import type { Logger } from '../kernel/logger.js';
import type { Outbox } from '../notices/outbox.js';
import { findComparedToMs, noteComparedTo } from './compared-notices.js';
import type { PaymentGateway, PaymentNotice, PaymentNoticeSource } from './payment-gateway.js';
import type { PaymentNotices } from './payment-notices.js';
import { PurchaseEntity } from './purchase.entity.js';
import type { PurchaseReconciliation } from './purchase-reconciliation.js';
import { PurchaseReversalEntity } from './purchase-reversal.entity.js';
import type { Purchase } from './purchase-rows.js';

export interface PurchaseReconcilerParts {
  readonly unitOfWork: UnitOfWork;
  readonly gateway: PaymentGateway & PaymentNoticeSource;
  readonly notices: Pick<PaymentNotices, 'receive'>;
  readonly reconciliation: Pick<PurchaseReconciliation, 'reconcile'>;
  /** Asks the gateway again for a purchase whose server died before it noted the answer, or ends it. */
  resume(purchase: Purchase): Promise<void>;
  /** Tells the operator of differences. */
  readonly outbox: Pick<Outbox, 'tellOperator'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What one round found. */
export interface ReconcilerReport {
  /** Notices that had never arrived, and were dealt with now. */
  readonly missedNotices: number;
  /** Purchases that were looked at because they wait for something. */
  readonly waitingPurchases: number;
  /** Of those, the ones that are paid now. */
  readonly paidPurchases: number;
  /** What does not fit, each as one sentence; the operator has to look. */
  readonly differences: readonly string[];
  /** What could not be looked at now; the next round tries again. */
  readonly failures: number;
}

export interface ReconcilerRound {
  readonly endedAtMs: number;
  readonly report: ReconcilerReport;
}

/** Counts what fails as null, so that one that cannot be looked at hides no other. */
type Attempt = <Result>(work: () => Promise<Result>) => Promise<Result | null>;

const hourMs = 60 * 60 * 1_000;
/** What Stripe adds late, and what failed, is looked at again for so long: it delivers for three days what was not taken. */
const overlapMs = 3 * 24 * hourMs;
/** Stripe keeps events for thirty days. */
export const longestLookBackMs = 30 * 24 * hourMs;
/** A checkout that is being started on another instance is left alone. */
const settlingMs = 60 * 1_000;
const firstMsMax = 5 * 60 * 1_000;
const purchasesPerPage = 200;

/** What is told of payments that Stripe has and nobody here knows: a month of them may come. */
interface UnclaimedNotices {
  count: number;
  oldestMs: number;
  newest: PaymentNotice | null;
}

/**
 * Compares what the gateway has with what we have, for the case that a notice never arrived or a server died in between: asks
 * for the gateway's notices, and asks about every purchase that still waits. Every instance may do it; nothing happens twice.
 */
export class PurchaseReconciler {
  #job: RepeatedJob | null = null;
  #last: ReconcilerRound | null = null;

  constructor(private readonly parts: PurchaseReconcilerParts) {}

  /** When a round last came to its end; what it could not look at is in its report. */
  get lastDoneAtMs(): number | null {
    return this.#last?.endedAtMs ?? null;
  }

  /** The last round of this process; null: there was none since its start. */
  get last(): ReconcilerRound | null {
    return this.#last;
  }

  /** Runs within five minutes, for what a server missed while it was away, however often it is started; then about every `intervalMs`. */
  start(intervalMs = hourMs): void {
    const onFailure = (error: unknown) =>
      this.parts.logger.warn('purchase_reconciler_failed', { message: (error as Error).message });
    this.#job = new RepeatedJob({ run: () => this.run(), intervalMs, onFailure });
    this.#job.start(Math.random() * Math.min(intervalMs, firstMsMax));
  }

  /**
   * One round.
   * @param lookBackMs How old a notice may be that never arrived; at most thirty days. Left out: from three days before the newest one
   *   that a round has dealt with together with every earlier one, on whatever instance, and of all that are kept where there was no round.
   * @throws when neither side can be asked at all.
   */
  async run(lookBackMs?: number): Promise<ReconcilerReport> {
    const differences: string[] = [];
    let failures = 0;
    const attempt: Attempt = async (work) => {
      try {
        return await work();
      } catch (error) {
        failures += 1;
        this.parts.logger.error('purchase_reconciliation_failed', { error });
        return null;
      }
    };
    const missedNotices = await this.#receiveMissed(lookBackMs, differences, attempt);
    let waitingPurchases = 0;
    let paidPurchases = 0;
    for await (const purchaseId of this.#listWaiting()) {
      waitingPurchases += 1;
      const reconciled = await attempt(() => this.#reconcile(purchaseId));
      if (reconciled?.purchase.status === 'paid') paidPurchases += 1;
      if (reconciled?.mismatch) differences.push(`${purchaseId}: ${reconciled.mismatch}`);
    }
    const report = { missedNotices, waitingPurchases, paidPurchases, differences, failures };
    const hasNews = missedNotices + differences.length + failures > 0;
    if (differences.length > 0) {
      const body = `${differences.join('\n')}\n`;
      const subjectKey = `differences:${createHash('sha256').update(body).digest('hex')}`;
      await this.parts.outbox.tellOperator({ subjectKey, title: 'Stripe and Tollgate disagree about purchases', body });
    }
    this.parts.logger[hasNews ? 'warn' : 'info']('purchases_reconciled', report);
    this.#last = { endedAtMs: this.parts.clock.nowMs(), report };
    return report;
  }

  /** Lets a round under way end, for five seconds at most: whatever it leaves undone, the next one does. */
  async close(): Promise<void> {
    await this.#job?.close();
  }

  /** @returns how many were dealt with only now. */
  async #receiveMissed(lookBackMs: number | undefined, differences: string[], attempt: Attempt): Promise<number> {
    const { clock, gateway, notices, unitOfWork } = this.parts;
    const nowMs = clock.nowMs();
    const comparedToMs = await findComparedToMs(unitOfWork, gateway.noticeSource);
    const usualMs = comparedToMs === null ? nowMs - longestLookBackMs : Math.min(comparedToMs, nowMs) - overlapMs;
    const sinceMs = lookBackMs === undefined ? usualMs : nowMs - lookBackMs;
    const unclaimed: UnclaimedNotices = { count: 0, oldestMs: nowMs, newest: null };
    let missed = 0;
    let newestMs = 0;
    // A round that looks back for less leaves out what an earlier one has not come to.
    let isWhole = sinceMs <= usualMs;
    for await (const notice of gateway.listNotices(sinceMs)) {
      newestMs = Math.max(newestMs, notice.createdAtMs);
      // Of another Tollgate that sells by the same account there may be a month of these: only who asks for all of it has them set aside.
      const isOld = lookBackMs === undefined && notice.createdAtMs < nowMs - overlapMs;
      const state = await attempt(() => notices.receive(notice, { isOld }));
      if (state === 'unclaimed') countUnclaimed(unclaimed, notice);
      // The next round comes to a younger one in any case.
      if (state === null && notice.createdAtMs < newestMs - overlapMs) isWhole = false;
      if (state === 'processed') missed += 1;
      if (state === 'quarantined') differences.push(`${notice.type} ${notice.id} does not fit`);
    }
    const isTold = await attempt(() => this.#tellOfUnclaimed(unclaimed));
    if (isTold === null) isWhole = false;
    // By the gateway's clock, so that one of ours that was ahead leaves nothing out.
    if (isWhole && newestMs > 0) await noteComparedTo(unitOfWork, gateway.noticeSource, newestMs);
    return missed;
  }

  /** Before it is noted that they were compared: told once, also where the process dies here. A set is known by its newest, since its oldest ones end at Stripe. */
  async #tellOfUnclaimed({ count, oldestMs, newest }: UnclaimedNotices): Promise<boolean> {
    if (newest === null) return true;
    this.parts.logger.warn('payments_unclaimed', { events: count });
    const [first, last] = [oldestMs, newest.createdAtMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
    await this.parts.outbox.tellOperator({
      subjectKey: `unclaimed:${newest.id}`.slice(0, 191),
      title: 'Stripe has payments for purchases that this Tollgate does not know',
      body: `${count} events from ${first} to ${last} are about purchases that this database does not have, and name neither it nor an
account of it. They are older than three days, and nothing was credited for them. The newest is ${newest.id} (${newest.type}).

If another Tollgate of an earlier release sells by the same Stripe account, you need not do anything. If an older backup of this
database was restored, buyers may have paid and have no credits. This command sets each event aside, for the console to show:
npm run purchases:reconcile
`,
    });
    return true;
  }

  async #reconcile(purchaseId: string) {
    const { reconciliation, unitOfWork } = this.parts;
    const purchase = await unitOfWork.reader.findOneBy(PurchaseEntity, { id: purchaseId });
    if (purchase?.status === 'pending' && purchase.gatewaySessionId === null) await this.parts.resume(purchase);
    return reconciliation.reconcile(purchaseId);
  }

  /** Purchases that are not paid yet, and those whose dispute is not over. */
  async *#listWaiting(): AsyncGenerator<string> {
    const { clock, gateway, unitOfWork } = this.parts;
    const createdAtMs = isOlder(clock.nowMs(), settlingMs);
    for (let afterId = ''; ; ) {
      const page = await unitOfWork.reader.find(PurchaseEntity, {
        select: { id: true },
        where: { id: MoreThan(afterId), gateway: gateway.name, status: 'pending', createdAtMs },
        order: { id: 'ASC' },
        take: purchasesPerPage,
      });
      for (const { id } of page) yield id;
      afterId = page.at(-1)?.id ?? '';
      if (page.length < purchasesPerPage) break;
    }
    for (let afterId = ''; ; ) {
      const page = await unitOfWork.reader.find(PurchaseReversalEntity, {
        select: { purchaseId: true },
        where: { purchaseId: MoreThan(afterId), disputeState: Not('none') },
        order: { purchaseId: 'ASC' },
        take: purchasesPerPage,
      });
      for (const { purchaseId } of page) yield purchaseId;
      afterId = page.at(-1)?.purchaseId ?? '';
      if (page.length < purchasesPerPage) return;
    }
  }
}

function countUnclaimed(unclaimed: UnclaimedNotices, notice: PaymentNotice): void {
  const { newest } = unclaimed;
  unclaimed.count += 1;
  unclaimed.oldestMs = Math.min(unclaimed.oldestMs, notice.createdAtMs);
  const isNewer = newest === null || notice.createdAtMs > newest.createdAtMs;
  if (isNewer || (notice.createdAtMs === newest.createdAtMs && notice.id > newest.id)) unclaimed.newest = notice;
}
