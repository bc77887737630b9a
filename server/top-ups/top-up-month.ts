import { type EntityManager, Not } from 'typeorm';
import { AutoTopUpChargeEntity } from './auto-top-up-charge.entity.js';

/** The calendar month of UTC that a moment lies in, such as `2026-01`. */
export function toMonthUtc(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 7);
}

/** What automatic top-ups have cost an account in a month, in cents, those under way included. */
export async function sumMonth(manager: EntityManager, accountId: string, monthUtc: string): Promise<number> {
  const where = { accountId, monthUtc, state: Not('failed' as const) };
  return Number(await manager.sum(AutoTopUpChargeEntity, 'amountCents', where)) || 0;
}
