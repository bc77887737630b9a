import { In } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AutoTopUpChargeEntity } from './auto-top-up-charge.entity.js';

/** Those of these purchases that nobody sat in front of. */
export async function listAutomatic(
  { reader }: Pick<UnitOfWork, 'reader'>,
  purchaseIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const charges = await reader.findBy(AutoTopUpChargeEntity, { purchaseId: In([...purchaseIds]) });
  return new Set(charges.map(({ purchaseId }) => purchaseId));
}
