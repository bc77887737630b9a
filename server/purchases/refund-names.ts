import type { EntityManager } from 'typeorm';
import { createId, nameId } from '../kernel/ids.js';
import { RefundOrderEntity } from './refund-order.entity.js';
import type { RefundOrder, RefundWish } from './refund-orders.js';

type NamedWish = Pick<RefundWish, 'purchaseId' | 'once'>;

/** What an order is known by, here and at the payment service: by its word the same for every operator, and on the server's machine as from afar. */
export function nameOrder({ purchaseId, once }: NamedWish): string {
  return once === undefined ? createId('refund') : nameId('refund', [purchaseId, once]);
}

/**
 * What a word has asked for before, in the transaction that holds the purchase; null: nothing, or there is no word. Orders of earlier releases
 * are named by who asked as well, and so there may be several of one word: one that gives money back goes before one that does not.
 */
export async function findNamedOrder(transaction: EntityManager, wish: NamedWish): Promise<RefundOrder | null> {
  const { purchaseId, once } = wish;
  if (once === undefined) return null;
  const orders = await transaction.findBy(RefundOrderEntity, { purchaseId });
  const id = nameOrder(wish);
  const named = orders.filter((order) => [id, nameId('refund', [order.askedBy, purchaseId, once])].includes(order.id));
  return named.find(({ state }) => state !== 'failed' && state !== 'refused') ?? named[0] ?? null;
}
