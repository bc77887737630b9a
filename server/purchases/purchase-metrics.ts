import { setTimeout as sleep } from 'node:timers/promises';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Metric } from '../kernel/metrics/metric.js';
import type { PaymentNotices } from './payment-notices.js';
import { StripeEventEntity } from './stripe/stripe-event.entity.js';

const databaseTimeoutMs = 2_000;

/**
 * What buying tells its operator; of what is stored nothing while the database does not answer.
 * @param notices null: there is no service that would send any.
 */
export async function listPurchaseMetrics(
  unitOfWork: UnitOfWork,
  notices: Pick<PaymentNotices, 'foreignCount'> | null,
): Promise<Metric[]> {
  const foreign: Metric[] = notices === null ? [] : [countForeign(notices)];
  const quarantined = await Promise.race([
    unitOfWork.reader.countBy(StripeEventEntity, { state: 'quarantined' }).catch(() => null),
    sleep(databaseTimeoutMs, null, { ref: false }),
  ]);
  if (quarantined === null) return foreign;
  const help = 'Payment events that did not fit and were set aside; each one more needs a person.';
  const name = 'tollgate_payment_events_quarantined';
  return [{ name, help, kind: 'gauge', value: quarantined, ofSeveral: 'max' }, ...foreign];
}

function countForeign({ foreignCount }: Pick<PaymentNotices, 'foreignCount'>): Metric {
  const help =
    'Payment events of another Tollgate that sells by the same account of the payment service; they are passed over.';
  return { name: 'tollgate_payment_events_foreign_total', help, kind: 'counter', value: foreignCount };
}
