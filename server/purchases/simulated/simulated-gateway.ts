import type { EntityManager } from 'typeorm';
import { allowDuplicate } from '../../database/database-errors.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { NotFoundError } from '../../kernel/app-error.js';
import { assertInvariant } from '../../kernel/assert.js';
import type { Clock } from '../../kernel/clock.js';
import {
  type CheckoutSession,
  type CheckoutSessionInput,
  noPapers,
  noReversals,
  type PaymentGateway,
  type RefundAnswer,
  type RefundInput,
} from '../payment-gateway.js';
import { SimulatedCheckoutEntity } from './simulated-checkout.entity.js';
import { SimulatedRefundEntity } from './simulated-refund.entity.js';

const openForMs = 24 * 60 * 60 * 1_000;

export const simulatedGatewayName = 'simulated';

/**
 * A gateway that takes no real money, for trying Tollgate out. It keeps its sessions in a table of its own and knows no
 * more about purchases than Stripe would.
 */
export class SimulatedGateway implements PaymentGateway {
  readonly name = simulatedGatewayName;
  readonly takesRealMoney = false;

  /** @throws Error in production, where credits that nobody paid for would be given away. */
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly settings: { readonly publicUrl: string; readonly isProduction: boolean },
  ) {
    assertInvariant(!settings.isProduction, 'the simulated checkout is not used in production');
  }

  async createCheckoutSession(input: CheckoutSessionInput): Promise<{ sessionId: string; url: string }> {
    const sessionId = await this.#insertSession(input, { isPaid: false });
    return { sessionId, url: `${this.settings.publicUrl}/checkout/simulated/${input.purchaseId}` };
  }

  /** What a saved card does: a session that is paid from the start. @returns its id; the same one for the same purchase. */
  payAtOnce(input: Pick<CheckoutSessionInput, 'purchaseId' | 'amountCents' | 'currency'>): Promise<string> {
    return this.#insertSession(input, { isPaid: true });
  }

  /** null: none was begun for this purchase. */
  findSessionOf(purchaseId: string): Promise<CheckoutSession | null> {
    return this.findCheckoutSession(nameSession(purchaseId));
  }

  async findCheckoutSession(sessionId: string): Promise<CheckoutSession | null> {
    const session = await this.unitOfWork.reader.findOne(SimulatedCheckoutEntity, {
      where: { id: sessionId },
      relations: { purchase: true },
    });
    if (!session) return null;
    const { amountCents, currency, purchaseId, purchase } = session;
    const isOver = this.clock.nowMs() >= session.createdAtMs + openForMs;
    return {
      sessionId,
      status: session.isPaid ? 'paid' : isOver ? 'expired' : 'open',
      amountCents,
      currency,
      purchaseId,
      accountId: purchase?.accountId ?? null,
      installationId: null,
      reversals: { ...noReversals, refundedCents: await sumRefunds(this.unitOfWork.reader, sessionId) },
      // None of them fails later.
      refunds: [],
      ...noPapers,
    };
  }

  /**
   * What the Pay button does: ends the session as paid. Paying twice changes nothing, nor does paying too late.
   * @throws NotFoundError when there is no session for this purchase.
   */
  async payCheckoutSession(purchaseId: string): Promise<void> {
    const id = nameSession(purchaseId);
    const session = await this.findCheckoutSession(id);
    if (!session) throw new NotFoundError('checkout');
    if (session.status !== 'open') return;
    await this.unitOfWork.transactForServer((transaction) =>
      transaction.update(SimulatedCheckoutEntity, { id }, { isPaid: true }),
    );
  }

  async expireCheckoutSession(id: string): Promise<void> {
    // A session is over by its age.
    const createdAtMs = this.clock.nowMs() - openForMs;
    await this.unitOfWork.transactForServer((transaction) =>
      transaction.update(SimulatedCheckoutEntity, { id, isPaid: false }, { createdAtMs }),
    );
  }

  refundPayment({ refundId, sessionId, cents }: RefundInput): Promise<RefundAnswer> {
    return this.unitOfWork.transactForServer(async (transaction) => {
      // Refunds of one session wait for each other.
      await transaction.update(SimulatedCheckoutEntity, { id: sessionId }, { id: sessionId });
      const made = { status: 'made', gatewayRefundId: `sim_${refundId}` } as const;
      if (await transaction.existsBy(SimulatedRefundEntity, { id: refundId })) return made;
      const session = await transaction.findOneBy(SimulatedCheckoutEntity, { id: sessionId });
      const left = (session?.isPaid ? session.amountCents : 0) - (await sumRefunds(transaction, sessionId));
      if (cents > left) return { status: 'refused', code: 'charge_already_refunded' };
      await transaction.insert(SimulatedRefundEntity, { id: refundId, sessionId, cents });
      return made;
    });
  }

  async #insertSession(
    { purchaseId, amountCents, currency }: Pick<CheckoutSessionInput, 'purchaseId' | 'amountCents' | 'currency'>,
    { isPaid }: Pick<SimulatedCheckoutEntity, 'isPaid'>,
  ): Promise<string> {
    const id = nameSession(purchaseId);
    const session: SimulatedCheckoutEntity = {
      id,
      purchaseId,
      amountCents,
      currency,
      isPaid,
      createdAtMs: this.clock.nowMs(),
    };
    await allowDuplicate(
      this.unitOfWork.transactForServer((transaction) => transaction.insert(SimulatedCheckoutEntity, session)),
    );
    return id;
  }
}

function nameSession(purchaseId: string): string {
  return `sim_${purchaseId}`;
}

async function sumRefunds(manager: EntityManager, sessionId: string): Promise<number> {
  return Number((await manager.sum(SimulatedRefundEntity, 'cents', { sessionId })) ?? 0);
}
