import type { EntityManager } from 'typeorm';
import { PurchaseEntity } from './purchase.entity.js';

/** The account that began a purchase, paid or not; null: there is no such purchase. */
export async function findPurchaseOwner(reader: EntityManager, purchaseId: string): Promise<string | null> {
  return (await reader.findOneBy(PurchaseEntity, { id: purchaseId }))?.accountId ?? null;
}
