import { setTimeout as sleep } from 'node:timers/promises';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Metric } from '../kernel/metrics/metric.js';
import { StripeEventEntity } from './stripe/stripe-event.entity.js';

const databaseTimeoutMs = 2_000;

/** What buying tells its operator; left out while the database does not answer. */
export async function listPurchaseMetrics(unitOfWork: UnitOfWork): Promise<Metric[]> {
  const quarantined = await Promise.race([
    unitOfWork.reader.countBy(StripeEventEntity, { state: 'quarantined' }).catch(() => null),
    sleep(databaseTimeoutMs, null, { ref: false }),
  ]);
  if (quarantined === null) return [];
  const help = 'Payment events that did not fit and were set aside; each one more needs a person.';
  return [{ name: 'tollgate_payment_events_quarantined', help, kind: 'gauge', value: quarantined, ofSeveral: 'max' }];
}
