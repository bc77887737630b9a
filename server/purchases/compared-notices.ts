import { LessThan } from 'typeorm';
import { isUniqueViolation } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { PurchaseComparisonEntity } from './purchase-comparison.entity.js';

/** Null: no comparison with this gateway has come to its end yet. */
export async function findComparedToMs({ reader }: UnitOfWork, gateway: string): Promise<number | null> {
  return (await reader.findOneBy(PurchaseComparisonEntity, { gateway }))?.comparedToMs ?? null;
}

/** Remembers that every notice up to this one was dealt with; one that reached further stays. */
export async function noteComparedTo(unitOfWork: UnitOfWork, gateway: string, comparedToMs: number): Promise<void> {
  const note = () =>
    unitOfWork.transactForServer(async (transaction) => {
      const earlier = { gateway, comparedToMs: LessThan(comparedToMs) };
      const { affected } = await transaction.update(PurchaseComparisonEntity, earlier, { comparedToMs });
      if (affected === 1 || (await transaction.existsBy(PurchaseComparisonEntity, { gateway }))) return;
      await transaction.insert(PurchaseComparisonEntity, { gateway, comparedToMs });
    });
  await note().catch((error: unknown) => {
    // Another instance has ended its first comparison at this moment.
    if (isUniqueViolation(error)) return note();
    throw error;
  });
}
