import type { EntityManager } from 'typeorm';
import { TotalsMarkEntity } from './totals-mark.entity.js';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Up to where the use of all accounts is summed; null: nowhere yet. */
export function findTotalsMark(reader: EntityManager): Promise<TotalsMarkEntity | null> {
  return reader.findOneBy(TotalsMarkEntity, { name: 'usage' });
}
