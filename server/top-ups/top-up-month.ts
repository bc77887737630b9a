import { type EntityManager, MoreThan } from 'typeorm';
import type { TimeRead } from '../ledger/receipts/proven-time.js';
import { AutoTopUpChargeEntity } from './auto-top-up-charge.entity.js';

/** Longer than any calendar month. */
const monthMsMax = 31 * 24 * 60 * 60_000;

/** The calendar month of UTC that a moment lies in, such as `2026-01`. */
export function toMonthUtc(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 7);
}

/**
 * What automatic top-ups have cost an account, in cents, those under way included, in a month and in all that stand behind it, as those do
 * that were made before a clock was set back. A charge that was taken back counts in its own month, too.
 * @param fromMs Within the first month. @param toMs Within the newest one that may have come.
 */
export async function sumSinceMonth(
  manager: EntityManager,
  accountId: string,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<number> {
  const from = new Date(fromMs);
  const to = new Date(toMs);
  const found = await manager
    .createQueryBuilder(AutoTopUpChargeEntity, 'charge')
    .innerJoin('charge.purchase', 'purchase')
    .select('SUM(charge.amountCents)', 'cents')
    .where('charge.accountId = :accountId AND charge.state <> :failed', { accountId, failed: 'failed' })
    .andWhere('(charge.monthUtc >= :month OR (purchase.createdAtMs >= :firstMs AND purchase.createdAtMs < :endMs))', {
      month: toMonthUtc(fromMs),
      firstMs: Date.UTC(from.getUTCFullYear(), from.getUTCMonth()),
      endMs: Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1),
    })
    .getRawOne<{ cents: number | string | null }>();
  return Number(found?.cents ?? 0);
}

/**
 * Has charges of months that lie further ahead than the next count until the next is over, and in their own: they were made while the clock
 * was ahead, or it is set back now, which nobody can tell apart. Only by a clock that has been watched for a day, and for 31 days at least.
 */
export async function takeBackCharges(transaction: EntityManager, accountId: string, time: TimeRead): Promise<void> {
  if (time.believedMs < time.nowMs) return;
  const monthUtc = toMonthUtc(time.nowMs + monthMsMax);
  // Read first: an update of a range would lock, on MySQL, what other accounts insert beside it.
  const ahead = await transaction.findBy(AutoTopUpChargeEntity, { accountId, monthUtc: MoreThan(monthUtc) });
  for (const { purchaseId } of ahead) await transaction.update(AutoTopUpChargeEntity, { purchaseId }, { monthUtc });
}
