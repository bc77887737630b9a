import { type EntityManager, type FindOperator, MoreThan, MoreThanOrEqual, Not } from 'typeorm';
import { AutoTopUpChargeEntity } from './auto-top-up-charge.entity.js';

/** The calendar month of UTC that a moment lies in, such as `2026-01`. */
export function toMonthUtc(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 7);
}

/** What automatic top-ups have cost an account in a month, in cents, those under way included. */
export async function sumMonth(manager: EntityManager, accountId: string, monthUtc: string): Promise<number> {
  return sum(manager, accountId, monthUtc);
}

/** As `sumMonth`, of a month and all that stand behind it, as charges do that were made while the clock was ahead. */
export async function sumSinceMonth(manager: EntityManager, accountId: string, monthUtc: string): Promise<number> {
  return sum(manager, accountId, MoreThanOrEqual(monthUtc));
}

/** Has charges that were made while the clock was ahead count in this month, which has surely come, and not in theirs as well. */
export async function takeBackToMonth(transaction: EntityManager, accountId: string, monthUtc: string): Promise<void> {
  // Read first: an update of a range would lock, on MySQL, what other accounts insert beside it.
  const ahead = await transaction.findBy(AutoTopUpChargeEntity, { accountId, monthUtc: MoreThan(monthUtc) });
  for (const { purchaseId } of ahead) await transaction.update(AutoTopUpChargeEntity, { purchaseId }, { monthUtc });
}

async function sum(manager: EntityManager, accountId: string, monthUtc: string | FindOperator<string>) {
  const where = { accountId, monthUtc, state: Not('failed' as const) };
  return Number(await manager.sum(AutoTopUpChargeEntity, 'amountCents', where)) || 0;
}
