import { allowDuplicate } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { Logger } from '../kernel/logger.js';
import { toMillicredits } from '../kernel/millicredits.js';
import type { Ledger } from '../ledger/ledger.js';
import type { GrantResult } from '../ledger/ledger-types.js';
import type { PaymentReversals } from './payment-gateway.js';
import type { PurchaseEntity } from './purchase.entity.js';
import { type DisputeState, PurchaseReversalEntity } from './purchase-reversal.entity.js';

export interface PurchaseReversalsParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: Pick<Ledger, 'grantCredits' | 'reverseGrant' | 'setWalletState'>;
  readonly logger: Logger;
  /**
   * Called before anything of a purchase is undone here because its money goes back, or its bank disputes it: from then on nothing may
   * take the money again by itself. It may be called again for the same.
   */
  onMoneyBack?(purchase: PurchaseEntity, why: UndoneKind): Promise<void>;
}

/** What of a purchase is undone on our side. */
export type BookedReversal = Omit<PurchaseReversalEntity, 'purchase'>;

export type UndoneKind = 'refund' | 'dispute';

/** How much of a purchase has to be undone for one reason, in both kinds of money. */
interface Undone {
  readonly cents: number;
  readonly millicredits: number;
}

/** More changes to one account's disputes than this cannot come in between. */
const freezeRoundsMax = 10;

/**
 * Brings what is undone on our side to what the gateway says is undone: refunds, disputes, and either of them taken back.
 *
 * It works on sums, so neither the order of the news nor their repetition matters, and on revisions, so that an old answer of
 * the gateway cannot undo a newer one: whoever wants to book reads the revision, then asks the gateway, and books only from
 * that very revision to the next. The balance may fall below zero by it; what is missing is the wallet's debt.
 */
export class PurchaseReversals {
  constructor(private readonly parts: PurchaseReversalsParts) {}

  /** To be read before the gateway is asked. */
  async findBooked({ id: purchaseId, accountId }: BookedFor): Promise<BookedReversal> {
    const row = await this.parts.unitOfWork.reader.findOneBy(PurchaseReversalEntity, { purchaseId });
    return row ?? { purchaseId, accountId, ...nothingUndone };
  }

  /**
   * Books what is missing between the two.
   * @returns false when somebody else has booked in the meantime: then read and ask again. True: both agree.
   */
  async book(purchase: PurchaseEntity, booked: BookedReversal, observed: PaymentReversals): Promise<boolean> {
    const wanted = splitReversal(purchase, observed);
    const changes = [
      { kind: 'refund', to: wanted.refund, delta: wanted.refund.millicredits - booked.refundedMillicredits },
      { kind: 'dispute', to: wanted.dispute, delta: wanted.dispute.millicredits - booked.disputedMillicredits },
    ] as const;
    const isOpen = booked.disputeState === 'open';
    const current = { ...booked };
    const news =
      changes.find(({ delta }) => delta > 0)?.kind ?? (observed.hasOpenDispute && !isOpen ? 'dispute' : null);
    if (news !== null) await this.parts.onMoneyBack?.(purchase, news);
    if (observed.hasOpenDispute !== isOpen) {
      if (!(await this.#setDisputeState(current, observed.hasOpenDispute ? 'open' : 'closing'))) return false;
    }
    // What is given back comes first, so that never more is undone than was bought.
    for (const change of changes.filter(({ delta }) => delta !== 0).sort((a, b) => a.delta - b.delta)) {
      if (!(await this.#move(current, change))) return false;
    }
    return this.#followDispute(current);
  }

  async #move(current: BookedReversal, change: { kind: UndoneKind; to: Undone; delta: number }): Promise<boolean> {
    await this.#ensureRow(current);
    const { kind, to, delta } = change;
    const { purchaseId, accountId, revision } = current;
    const column = kind === 'refund' ? 'refunded' : 'disputed';
    const movement = {
      transferId: `${kind}:${purchaseId}:${revision + 1}`,
      accountId,
      amountMillicredits: toMillicredits(Math.abs(delta)),
      companion: {
        sql: `UPDATE purchase_reversal SET ${column}_cents = ?, ${column}_millicredits = ?, revision = ? WHERE purchase_id = ? AND revision = ?`,
        values: [to.cents, to.millicredits, revision + 1, purchaseId, revision],
      },
    };
    const { ledger } = this.parts;
    const result =
      delta > 0
        ? await ledger.reverseGrant({ ...movement, type: kind })
        : await ledger.grantCredits({ ...movement, type: kind === 'refund' ? 'adjustment' : 'dispute_reversal' });
    return this.#accept(result, current, { kind, deltaMillicredits: delta });
  }

  // A replay means that this revision was booked before, perhaps by somebody who saw other sums.
  #accept(
    result: GrantResult,
    current: BookedReversal,
    facts: { kind: UndoneKind; deltaMillicredits: number },
  ): boolean {
    const { purchaseId, accountId } = current;
    if (result.status === 'refused') {
      if (result.reason === 'companion_changed_nothing') return false;
      this.parts.logger.error('purchase_reversal_refused', { purchaseId, accountId, ...facts });
      throw new AppError('internal_error', 'The ledger refused to undo a purchase; nothing was booked.');
    }
    if (result.isReplay) return false;
    current.revision += 1;
    this.parts.logger.warn('purchase_reversed', { purchaseId, accountId, ...facts });
    return true;
  }

  async #setDisputeState(current: BookedReversal, disputeState: DisputeState): Promise<boolean> {
    await this.#ensureRow(current);
    const { purchaseId, revision } = current;
    const { affected } = await this.parts.unitOfWork.transactForServer((transaction) =>
      transaction.update(PurchaseReversalEntity, { purchaseId, revision }, { disputeState, revision: revision + 1 }),
    );
    if (affected !== 1) return false;
    current.revision += 1;
    current.disputeState = disputeState;
    return true;
  }

  // The wallet follows the rows, never the other way round: a process that dies in between leaves a row that says what is
  // still to be done.
  async #followDispute(current: BookedReversal): Promise<boolean> {
    if (current.disputeState === 'none') return true;
    await this.#freezeOrOpen(current.accountId);
    return current.disputeState === 'open' || this.#setDisputeState(current, 'none');
  }

  async #freezeOrOpen(accountId: string): Promise<void> {
    const { ledger, logger, unitOfWork } = this.parts;
    const hasOpenDispute = () =>
      unitOfWork.reader.existsBy(PurchaseReversalEntity, { accountId, disputeState: 'open' });
    for (let round = 0; round < freezeRoundsMax; round += 1) {
      const isDisputed = await hasOpenDispute();
      await ledger.setWalletState({ accountId, state: isDisputed ? 'frozen' : 'open', reason: 'dispute' });
      // Another dispute of this account may have begun or ended meanwhile.
      if ((await hasOpenDispute()) === isDisputed) return;
    }
    logger.error('wallet_state_unsettled', { accountId });
  }

  async #ensureRow(current: BookedReversal): Promise<void> {
    if (current.revision > 0) return;
    const { purchaseId, accountId } = current;
    const row = { purchaseId, accountId, ...nothingUndone };
    await allowDuplicate(
      this.parts.unitOfWork.transactForServer((transaction) => transaction.insert(PurchaseReversalEntity, row)),
    );
  }
}

interface BookedFor {
  readonly id: string;
  readonly accountId: string;
}

const nothingUndone = {
  revision: 0,
  refundedCents: 0,
  refundedMillicredits: 0,
  disputedCents: 0,
  disputedMillicredits: 0,
  disputeState: 'none',
} as const;

/**
 * The credits that go with the money: rounded down, and all of them when all of the money is gone. Refunds come first; what
 * refunds and disputes take together is never more than was paid.
 */
export function splitReversal(
  { amountCents, creditsMillicredits }: Pick<PurchaseEntity, 'amountCents' | 'creditsMillicredits'>,
  { refundedCents, disputedCents }: PaymentReversals,
): { refund: Undone; dispute: Undone } {
  const creditsFor = (cents: number) => Number((BigInt(creditsMillicredits) * BigInt(cents)) / BigInt(amountCents));
  const refunded = Math.min(refundedCents, amountCents);
  const undone = Math.min(refunded + disputedCents, amountCents);
  return {
    refund: { cents: refunded, millicredits: creditsFor(refunded) },
    dispute: { cents: undone - refunded, millicredits: creditsFor(undone) - creditsFor(refunded) },
  };
}
