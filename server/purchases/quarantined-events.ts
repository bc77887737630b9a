import type { EntityManager } from 'typeorm';
import { StripeEventEntity } from './stripe/stripe-event.entity.js';

/** A notice of the payment service about one of our purchases that does not fit it. */
export type QuarantinedEvent = Readonly<
  Pick<StripeEventEntity, 'id' | 'type' | 'reason' | 'purchaseId' | 'receivedAtMs'>
>;

/** The newest of those that somebody has to look at. */
export async function listQuarantinedEvents(
  reader: EntityManager,
  first: number,
): Promise<readonly QuarantinedEvent[]> {
  return reader.find(StripeEventEntity, {
    where: { state: 'quarantined' },
    order: { receivedAtMs: 'DESC' },
    take: first,
  });
}
