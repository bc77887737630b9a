import { type EntityManager, MoreThanOrEqual } from 'typeorm';
import type { CountedWaits } from '../database/time/counted-waits.js';
import { hasCome } from '../database/time/has-come.js';
import { findLastTransfer, findUseSince } from '../ledger/find-use-since.js';
import type { TimeRead } from '../ledger/receipts/proven-time.js';
import { findPurchaseById } from '../purchases/purchase-rows.js';
import type { AutoTopUpEntity } from './auto-top-up.entity.js';
import { AutoTopUpChargeEntity } from './auto-top-up-charge.entity.js';
import { toMonthUtc } from './top-up-month.js';

/** Between two charges of which the first has not brought the balance up to the threshold. */
const pauseAfterChargeMs = 10 * 60_000;

const hourMs = 60 * 60_000;
/** A card that is declined is not charged again for longer and longer; after the last pause one more refusal ends it. */
const pausesAfterRefusalMs = [hourMs, 24 * hourMs, 72 * hourMs] as const;
const longestPauseMs = Math.max(...pausesAfterRefusalMs);
const chargesLookedAtMax = 1_000;

/** How a pause is told whether it runs. */
export interface PauseTime {
  readonly waits: CountedWaits;
  readonly time: Pick<TimeRead, 'nowMs' | 'believedMs'>;
}

/**
 * How long a card rests after a failure; undefined: it is not charged again. Whose fault it was decides: a bank that said no is asked less
 * and less often, as is one whose payment was canceled, an owner who has to do something not at all.
 */
export function findPauseMs({
  failure,
  failuresInARow,
}: Pick<AutoTopUpEntity, 'failure' | 'failuresInARow'>): number | undefined {
  if (failure === 'no_answer') return pausesAfterRefusalMs[0];
  const isRefusal = failure === 'card_declined' || failure === 'canceled';
  return isRefusal ? pausesAfterRefusalMs[failuresInARow - 1] : undefined;
}

/** Whether the pause of a card that was declined, or not answered for, seems to run: a hint, for what is looked at. @param pausedUntilMs null: there is none. */
export function seemsPaused({ pausedUntilMs }: Pick<AutoTopUpEntity, 'pausedUntilMs'>, nowMs: number): boolean {
  return pausedUntilMs !== null && !hasCome(pausedUntilMs, nowMs, longestPauseMs);
}

/** Whether the pause of a card that was declined, or not answered for, may still run. It never ends early, wherever a clock is set. */
export function isPausedAfterRefusal(
  settings: Pick<AutoTopUpEntity, 'accountId' | 'pausedUntilMs' | 'failure' | 'failuresInARow'>,
  { waits, time }: PauseTime,
): boolean {
  const { accountId, pausedUntilMs } = settings;
  if (pausedUntilMs === null) return false;
  const lengthMs = findPauseMs(settings) ?? longestPauseMs;
  return !waits.isOver({ id: `${accountId} ${pausedUntilMs}`, dueAtMs: pausedUntilMs, lengthMs }, time.believedMs);
}

/**
 * Whether an account waits after its last automatic charge. It does for ten minutes when that charge left it below its threshold, since
 * then a threshold that is out of reach would have the card charged over and over up to the monthly limit. It does not wait when half of
 * what the charge brought is used already: who uses credits that quickly needs them, and pays for no more than twice of what was used.
 * A threshold that one charge reaches never makes it wait. The ten minutes never end early, wherever a clock is set.
 */
export async function isPausedAfterCharge(
  transaction: EntityManager,
  { accountId, thresholdMillicredits }: Pick<AutoTopUpEntity, 'accountId' | 'thresholdMillicredits'>,
  { waits, time }: PauseTime,
): Promise<boolean> {
  const purchaseId = await findLastPaid(transaction, accountId, Math.min(time.nowMs, time.believedMs));
  const purchase = purchaseId === null ? null : await findPurchaseById({ reader: transaction }, purchaseId);
  if (purchase === null) return false;
  const dueAtMs = (purchase.paidAtMs ?? purchase.createdAtMs) + pauseAfterChargeMs;
  if (waits.isOver({ id: purchase.id, dueAtMs, lengthMs: pauseAfterChargeMs }, time.believedMs)) return false;
  const use = await findUseSince(transaction, { accountId, transferId: `purchase:${purchase.id}` });
  if (use === null) return true;
  const isReached = use.balanceAfterMillicredits >= thresholdMillicredits;
  return !isReached && use.usedMillicredits < use.amountMillicredits / 2;
}

/** The charge that was booked last, by the order of the journal: no clock has a say in it. */
async function findLastPaid(transaction: EntityManager, accountId: string, surelyMs: number): Promise<string | null> {
  const monthUtc = MoreThanOrEqual(toMonthUtc(Math.max(0, surelyMs - pauseAfterChargeMs)));
  const paid = await transaction.find(AutoTopUpChargeEntity, {
    select: { purchaseId: true },
    where: { accountId, monthUtc, state: 'paid' },
    order: { purchaseId: 'DESC' },
    take: chargesLookedAtMax,
  });
  const transferIds = paid.map(({ purchaseId }) => `purchase:${purchaseId}`);
  const last = await findLastTransfer(transaction, { accountId, transferIds });
  return last?.slice('purchase:'.length) ?? paid[0]?.purchaseId ?? null;
}
