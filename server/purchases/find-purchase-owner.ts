import type { EntityManager } from 'typeorm';
import { PurchaseEntity } from './purchase.entity.js';

/** The account that began a purchase, paid or not; null: there is no such purchase. */
export async function findPurchaseOwner(reader: EntityManager, purchaseId: string): Promise<string | null> {
  return (await reader.findOneBy(PurchaseEntity, { id: purchaseId }))?.accountId ?? null;
}

/** The account of a payment, by the id that the payment service has given to it or to its page; null: there is no such one. */
export async function findPaymentOwner(reader: EntityManager, gatewaySessionId: string): Promise<string | null> {
  return (await reader.findOneBy(PurchaseEntity, { gatewaySessionId }))?.accountId ?? null;
}
