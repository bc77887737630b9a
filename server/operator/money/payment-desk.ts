import { AppError } from '../../kernel/app-error.js';
import type { PaymentNotices, Verdict } from '../../purchases/payment-notices.js';
import type { PurchaseReconciler, ReconcilerRound } from '../../purchases/purchase-reconciler.js';
import { type OperatorLog, requireReason } from '../operator-log.js';
import { actorOf, type OperatorCaller } from '../people/operator-sessions.js';

export interface PaymentDeskParts {
  readonly log: OperatorLog;
  /** null: nothing is sold by a payment service. */
  readonly notices: Pick<PaymentNotices, 'tryAgain' | 'dismiss'> | null;
  readonly reconciler: Pick<PurchaseReconciler, 'run' | 'last'> | null;
}

// The width of the log's column.
const subjectLengthMax = 40;

/** Payments that do not fit: looked at again, dismissed, and all of them compared with the payment service. Each stands in the log. */
export class PaymentDesk {
  #running: Promise<ReconcilerRound> | null = null;

  constructor(private readonly parts: PaymentDeskParts) {}

  /** The last comparison of this process; null: none since its start. */
  get last(): ReconcilerRound | null {
    return this.parts.reconciler?.last ?? null;
  }

  /** Looks again at an event that was set aside. @throws as `PaymentNotices.tryAgain`; AppError `conflict` where nothing is sold by a payment service. */
  async tryAgain(eventId: string, by?: OperatorCaller): Promise<Verdict> {
    const change = {
      action: 'retry_event',
      subject: eventId.slice(0, subjectLengthMax),
      reason: 'Looked at again',
    } as const;
    return need(this.parts.notices).tryAgain(eventId, (transaction) => this.#log(by).write(transaction, change));
  }

  /** Ends it without crediting anything. @throws as `tryAgain`; InvalidInputError for the reason. */
  async dismiss(eventId: string, reason: string, by?: OperatorCaller): Promise<void> {
    const words = requireReason(reason);
    const change = { action: 'dismiss_event', subject: eventId.slice(0, subjectLengthMax), reason: words } as const;
    await need(this.parts.notices).dismiss(eventId, words, (transaction) => this.#log(by).write(transaction, change));
  }

  /**
   * Does what the hourly comparison with the payment service does, and posts what was missed. Who asks meanwhile waits for the same round.
   * @throws AppError `conflict` as `tryAgain`; `service_unavailable` when the payment service is away.
   */
  async reconcile(by?: OperatorCaller): Promise<ReconcilerRound> {
    const reconciler = need(this.parts.reconciler);
    await this.#log(by).note({ action: 'reconcile', reason: 'Compared with the payment service' });
    this.#running ??= reconciler
      .run()
      .then((report) => reconciler.last ?? { endedAtMs: 0, report })
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  /** Left out: whoever works at the command line. */
  #log(by: OperatorCaller | undefined): OperatorLog {
    return by === undefined ? this.parts.log : this.parts.log.by(actorOf(by));
  }
}

function need<Part>(part: Part | null): Part {
  if (part !== null) return part;
  throw new AppError('conflict', 'Nothing is sold by a payment service here. Set STRIPE_SECRET_KEY first.');
}
