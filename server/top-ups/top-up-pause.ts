import { type EntityManager, In } from 'typeorm';
import { hasCome, isAged } from '../database/time/is-due.js';
import { findUseSince } from '../ledger/find-use-since.js';
import { findPurchaseById } from '../purchases/purchase-rows.js';
import { AutoTopUpChargeEntity } from './auto-top-up-charge.entity.js';
import { toMonthUtc } from './top-up-month.js';

/** Between two charges of which the first has not brought the balance up to the threshold. */
export const pauseAfterChargeMs = 10 * 60_000;

const hourMs = 60 * 60_000;
/** A card that is declined is not charged again for longer and longer; after the last pause one more refusal ends it. */
export const pausesAfterRefusalMs = [hourMs, 24 * hourMs, 72 * hourMs] as const;

/** Whether the pause of a card that was declined, or not answered for, still runs. @param pausedUntilMs null: there is none. */
export function isPausedAfterRefusal(
  { pausedUntilMs }: { readonly pausedUntilMs: number | null },
  nowMs: number,
): boolean {
  return pausedUntilMs !== null && !hasCome(pausedUntilMs, nowMs, Math.max(...pausesAfterRefusalMs));
}

/**
 * Whether an account waits after its last automatic charge. It does for ten minutes when that charge left it below its threshold, since
 * then a threshold that is out of reach would have the card charged over and over up to the monthly limit. It does not wait when half of
 * what the charge brought is used already: who uses credits that quickly needs them, and pays for no more than twice of what was used.
 * A threshold that one charge reaches never makes it wait.
 */
export async function isPausedAfterCharge(
  transaction: EntityManager,
  { accountId, thresholdMillicredits }: { readonly accountId: string; readonly thresholdMillicredits: number },
  nowMs: number,
): Promise<boolean> {
  const months = [...new Set([toMonthUtc(nowMs), toMonthUtc(nowMs - pauseAfterChargeMs)])];
  const last = await transaction.findOne(AutoTopUpChargeEntity, {
    where: { accountId, monthUtc: In(months), state: 'paid' },
    order: { purchaseId: 'DESC' },
  });
  const purchase = last && (await findPurchaseById({ reader: transaction }, last.purchaseId));
  if (!purchase || isAged(purchase.paidAtMs ?? purchase.createdAtMs, nowMs, pauseAfterChargeMs)) return false;
  const use = await findUseSince(transaction, { accountId, transferId: `purchase:${purchase.id}` });
  if (use === null) return true;
  const isReached = use.balanceAfterMillicredits >= thresholdMillicredits;
  return !isReached && use.usedMillicredits < use.amountMillicredits / 2;
}
