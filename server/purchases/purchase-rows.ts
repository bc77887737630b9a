import { type EntityManager, In, IsNull } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { createId } from '../kernel/ids.js';
import { type CheckoutChoice, priceChoice, purchaseCurrency } from './checkout/credit-packs.js';
import { PurchaseEntity } from './purchase.entity.js';

export type Purchase = Readonly<Omit<PurchaseEntity, 'account'>>;

export interface NewPurchase {
  readonly accountId: string;
  /** The name of the payment gateway that is to be asked. */
  readonly gateway: string;
  readonly choice: CheckoutChoice;
  readonly nowMs: number;
}

/** A purchase before anybody has heard of it; written nowhere yet. @throws InvalidInputError for a choice that is not on offer. */
export function makePurchase({ accountId, gateway, choice, nowMs }: NewPurchase): PurchaseEntity {
  return {
    id: createId('purchase'),
    accountId,
    gateway,
    gatewaySessionId: null,
    checkoutUrl: null,
    receiptUrl: null,
    invoiceUrl: null,
    ...priceChoice(choice),
    currency: purchaseCurrency,
    status: 'pending',
    createdAtMs: nowMs,
    paidAtMs: null,
  };
}

/** Makes a purchase and writes it, in the caller's transaction. @throws what `makePurchase` throws. */
export async function insertPurchase(transaction: EntityManager, wanted: NewPurchase): Promise<Purchase> {
  const purchase = makePurchase(wanted);
  await transaction.insert(PurchaseEntity, purchase);
  return purchase;
}

/** Null: there is none. */
export function findPurchaseById({ reader }: Pick<UnitOfWork, 'reader'>, id: string): Promise<Purchase | null> {
  return reader.findOneBy(PurchaseEntity, { id });
}

/** Those of these purchases that there are, in the order of their ids. */
export function listPurchasesById(
  { reader }: Pick<UnitOfWork, 'reader'>,
  ids: readonly string[],
): Promise<readonly Purchase[]> {
  return reader.find(PurchaseEntity, { where: { id: In([...ids]) }, order: { id: 'ASC' } });
}

/** Remembers what a purchase is paid by, so that the gateway can be asked for it. The first one stays: news of another does not fit, and is told. */
export async function noteGatewayPayment(unitOfWork: UnitOfWork, id: string, paymentId: string): Promise<void> {
  const noted = { gatewaySessionId: paymentId };
  await unitOfWork.transactForServer((transaction) =>
    transaction.update(PurchaseEntity, { id, gatewaySessionId: IsNull() }, noted),
  );
}

/**
 * Ends, in the caller's transaction, a purchase that the gateway has no payment for.
 * @returns false when that is not so any more, and nothing was changed.
 */
export async function expireUnasked(transaction: EntityManager, id: string): Promise<boolean> {
  const unasked = { id, status: 'pending', gatewaySessionId: IsNull() } as const;
  const { affected } = await transaction.update(PurchaseEntity, unasked, { status: 'expired' });
  return affected === 1;
}

/** Ends a purchase that nobody has paid for; one that was paid meanwhile stays so. */
export async function markExpired(unitOfWork: UnitOfWork, id: string): Promise<void> {
  await unitOfWork.transactForServer((transaction) =>
    transaction.update(PurchaseEntity, { id, status: 'pending' }, { status: 'expired' }),
  );
}
