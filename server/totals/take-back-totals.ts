import { type EntityManager, MoreThanOrEqual } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { monthOf } from '../kernel/spend-period.js';
import { AccountMonthEntity } from './account-month.entity.js';
import { AccountPartEntity } from './account-part.entity.js';
import { findTotalsMark } from './totals-hours.js';
import { TotalsMarkEntity } from './totals-mark.entity.js';
import { UsageTotalEntity } from './usage-total.entity.js';

/**
 * Takes back all sums from the beginning of a month on, so that they are made anew: the latest month first, each in one transaction that
 * moves the mark to its beginning; also where there are none, so that hours of that time that came in by hand are summed. What is not summed is read from the hours themselves meanwhile.
 * @param fromMs Any time of the month. @returns whether there were any. @throws the database's error, or that of the signal; what is taken
 *   back by then stays so.
 */
export async function takeBackTotals(unitOfWork: UnitOfWork, fromMs: number, signal?: AbortSignal): Promise<boolean> {
  const firstMs = monthOf(Math.max(0, fromMs));
  for (let isAny = false; ; isAny = true) {
    signal?.throwIfAborted();
    const isDone = await unitOfWork.transactForServer(async (transaction) => {
      // Whoever sums, or reads months, meanwhile waits.
      await transaction.query("UPDATE totals_mark SET hour_ms = hour_ms WHERE name = 'usage'");
      const lastMs = await findLastMs(transaction);
      if (lastMs === null || lastMs < firstMs) {
        const isBack = await moveMarkBack(transaction, firstMs);
        isAny ||= isBack;
        return true;
      }
      await takeBackMonth(transaction, Math.max(monthOf(lastMs), firstMs));
      return false;
    });
    if (isDone) return isAny;
  }
}

async function findLastMs(transaction: EntityManager): Promise<number | null> {
  const [row] = await transaction.query(
    `SELECT MAX(at_ms) AS at_ms FROM (SELECT MAX(hour_ms) AS at_ms FROM usage_total UNION ALL
       SELECT MAX(month_ms) FROM account_month UNION ALL SELECT MAX(month_ms) FROM account_part) ends`,
  );
  return row?.at_ms == null ? null : Number(row.at_ms);
}

async function takeBackMonth(transaction: EntityManager, monthMs: number): Promise<void> {
  await transaction.delete(UsageTotalEntity, { hourMs: MoreThanOrEqual(monthMs) });
  await transaction.delete(AccountMonthEntity, { monthMs: MoreThanOrEqual(monthMs) });
  await transaction.delete(AccountPartEntity, { monthMs: MoreThanOrEqual(monthMs) });
  await moveMarkBack(transaction, monthMs);
}

/** @returns false where it was not behind that time. */
async function moveMarkBack(transaction: EntityManager, atMs: number): Promise<boolean> {
  const mark = await findTotalsMark(transaction);
  if (mark === null || mark.hourMs < atMs) return false;
  const isBehind = mark.hourMs > atMs || mark.accountId !== '';
  if (isBehind) await transaction.update(TotalsMarkEntity, { name: 'usage' }, { hourMs: atMs, accountId: '' });
  return isBehind;
}
