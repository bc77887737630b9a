import type { EntityManager } from 'typeorm';
import { TotalsMarkEntity } from './totals-mark.entity.js';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The beginning of the month, in UTC, in which a time lies. */
export function monthOf(atMs: number): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth());
}

/** The beginning of the month after the one in which a time lies. */
export function monthAfter(atMs: number): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
}

/** Up to where the use of all accounts is summed; null: nowhere yet. */
export function findTotalsMark(reader: EntityManager): Promise<TotalsMarkEntity | null> {
  return reader.findOneBy(TotalsMarkEntity, { name: 'usage' });
}
