import { LessThan } from 'typeorm';
import { repeatOnDuplicate } from '../database/database-errors.js';
import { raiseMark } from '../database/raise-mark.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { PurchaseComparisonEntity } from './purchase-comparison.entity.js';

/** @param gateway `PaymentNoticeSource.noticeSource`. @returns null: no comparison with it has come to its end yet. */
export async function findComparedToMs({ reader }: UnitOfWork, gateway: string): Promise<number | null> {
  return (await reader.findOneBy(PurchaseComparisonEntity, { gateway }))?.comparedToMs ?? null;
}

/** Remembers that every notice up to this one was dealt with; one that reached further stays. */
export async function noteComparedTo(unitOfWork: UnitOfWork, gateway: string, comparedToMs: number): Promise<void> {
  const rise = { whose: { gateway }, lower: [{ comparedToMs: LessThan(comparedToMs) }], mark: { comparedToMs } };
  // Another instance may end its first comparison at this moment.
  await repeatOnDuplicate(() =>
    unitOfWork.transactForServer((transaction) => raiseMark(transaction, PurchaseComparisonEntity, rise)),
  );
}
