import { In } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Logger } from '../kernel/logger.js';
import type { Outbox } from '../notices/outbox.js';
import type { RefundAnswer, RefundStanding } from './payment-gateway.js';
import { RefundOrderEntity, type RefundState } from './refund-order.entity.js';

export interface FollowRefundsParts {
  readonly unitOfWork: UnitOfWork;
  readonly outbox: Pick<Outbox, 'tellOperator'>;
  readonly logger: Logger;
}

/** What the gateway's answer makes of an order. */
export function toOutcome(answer: RefundAnswer) {
  if (answer.status === 'refused') return { state: 'failed', fault: answer.code.slice(0, 191) } as const;
  const { gatewayRefundId } = answer;
  return { state: answer.status === 'made' ? 'done' : 'pending', fault: null, gatewayRefundId } as const;
}

// Only onwards: an answer of the gateway may be older than what another one has brought already.
const statesBefore: Readonly<Record<'pending' | 'done' | 'failed', readonly RefundState[]>> = {
  pending: ['sending'],
  done: ['sending', 'pending'],
  failed: ['sending', 'pending', 'done'],
};

/**
 * Brings the orders of a purchase's refunds to where the gateway says they are. One that has failed by now, however long after it was
 * made, is told to the operator first, so that whoever dies in between leaves it to be told again.
 */
export async function followRefunds(
  { logger, outbox, unitOfWork }: FollowRefundsParts,
  purchaseId: string,
  standings: readonly RefundStanding[],
): Promise<void> {
  if (standings.length === 0) return;
  const id = In(standings.map(({ refundId }) => refundId));
  const orders = await unitOfWork.reader.findBy(RefundOrderEntity, { id, purchaseId });
  for (const { refundId, ...answer } of standings) {
    const order = orders.find((one) => one.id === refundId);
    const outcome = toOutcome(answer);
    const before = statesBefore[outcome.state];
    if (order === undefined || !before.includes(order.state)) continue;
    if (outcome.state === 'failed') await tellOfFailedRefund(outbox, order, outcome.fault);
    const { affected } = await unitOfWork.transactForServer((transaction) =>
      transaction.update(RefundOrderEntity, { id: refundId, state: In([...before]) }, outcome),
    );
    if (affected === 1) logger.warn('refund_changed', { refundId, purchaseId, from: order.state, ...outcome });
  }
}

/** Tells the operator once that an order came to nothing. */
export async function tellOfFailedRefund(
  outbox: Pick<Outbox, 'tellOperator'>,
  { id, purchaseId, accountId, cents }: Pick<RefundOrderEntity, 'id' | 'purchaseId' | 'accountId' | 'cents'>,
  fault: string,
): Promise<void> {
  await outbox.tellOperator({
    subjectKey: `refund-failed:${id}`,
    title: 'A refund has failed at the payment service',
    body: `${id}: ${cents} cents of ${purchaseId} were not refunded (${fault}), and account ${accountId} keeps their credits. Refund it again, or give the money back in another way.\n`,
  });
}
