import { randomBytes } from 'node:crypto';
import { type Form, textAt, textsAt } from './stripe-double-form.js';

/** An object of Stripe's, as its API shows it. */
export type StripeObject = Record<string, unknown> & { readonly id: string; readonly object: string };

export interface SessionObject extends StripeObject {
  status: 'open' | 'complete' | 'expired';
  payment_status: 'paid' | 'unpaid' | 'no_payment_required';
  payment_intent: string | null;
  amount_total: number;
  currency: string;
  client_reference_id: string;
  livemode: boolean;
}

/** Where the double's receipts are said to be. */
export const receiptHost = 'https://receipts.stripe.test';

interface DisputeObject extends StripeObject {
  status: string;
  readonly amount: number;
  currency: string;
  readonly balance_transactions: { amount: number }[];
}

/** What Stripe keeps on its side, and what befalls it there. Each thing that befalls makes the events that Stripe would make. */
export class StripeDoubleBooks {
  readonly customers: StripeObject[] = [];
  readonly sessions: SessionObject[] = [];
  readonly payments: StripeObject[] = [];
  readonly cards: StripeObject[] = [];
  readonly refunds: StripeObject[] = [];
  readonly disputes: DisputeObject[] = [];
  /** Oldest first. */
  readonly events: StripeObject[] = [];
  /** Whether everything is of Stripe's live mode. */
  livemode = false;
  /** What the bank says to payments by a saved card. */
  bank: 'accepts' | 'takes its time' | 'declines' | 'wants its customer' | 'asks first' | 'says something new' =
    'accepts';

  /** How a refund begins. */
  refundsAre: 'succeeded' | 'pending' = 'succeeded';

  createCustomer(form: Form): StripeObject {
    const customer = { id: makeId('cus'), object: 'customer', metadata: textsAt(form, 'metadata') };
    this.customers.push(customer);
    return customer;
  }

  /** On Stripe's own page; what names it from then on is refused. */
  deleteCustomer(customerId: string): void {
    this.customers.splice(this.customers.indexOf(get(this.customers, customerId)), 1);
  }

  /** The buyer gives a card on the page of a setup session. */
  saveCard(sessionId: string): StripeObject {
    const session = this.getSession(sessionId);
    session.status = 'complete';
    const card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2034 };
    const method = { id: makeId('pm'), object: 'payment_method', card, customer: session.customer };
    this.cards.push(method);
    session.setup_intent = { id: makeId('seti'), object: 'setup_intent', status: 'succeeded', payment_method: method };
    return this.emit('checkout.session.completed', session);
  }

  /** null: it was detached before. */
  detachCard(cardId: string): StripeObject | null {
    const at = this.cards.findIndex(({ id }) => id === cardId);
    return at < 0 ? null : (this.cards.splice(at, 1)[0] ?? null);
  }

  /** A payment by a saved card, with nobody in front. What the bank says to it, `bank` decides. */
  chargeCard(form: Form): { payment: StripeObject; isDeclined: boolean } {
    const statuses = {
      ...{ accepts: 'succeeded', 'takes its time': 'processing' },
      ...{ 'asks first': 'requires_action', 'says something new': 'teleporting' },
    } as const;
    const status = this.bank in statuses ? statuses[this.bank as keyof typeof statuses] : 'requires_payment_method';
    const isDeclined = status === 'requires_payment_method';
    const code = this.bank === 'wants its customer' ? 'authentication_required' : 'card_declined';
    const id = makeId('pi');
    const payment: StripeObject = {
      id,
      object: 'payment_intent',
      amount: Number(textAt(form, 'amount')),
      currency: textAt(form, 'currency'),
      customer: textAt(form, 'customer'),
      metadata: textsAt(form, 'metadata'),
      livemode: this.livemode,
      status,
      last_payment_error: isDeclined ? { type: 'card_error', code } : null,
      latest_charge: isDeclined ? null : { id: makeId('ch'), object: 'charge', receipt_url: `${receiptHost}/${id}` },
    };
    this.payments.push(payment);
    if (status === 'succeeded') this.emit('payment_intent.succeeded', payment);
    if (isDeclined) this.emit('payment_intent.payment_failed', payment);
    return { payment, isDeclined };
  }

  /** The money of a payment that took its time has arrived. */
  arrive(paymentId: string): StripeObject {
    const payment = get(this.payments, paymentId);
    payment.status = 'succeeded';
    return this.emit('payment_intent.succeeded', payment);
  }

  cancelPayment(paymentId: string): StripeObject {
    const payment = get(this.payments, paymentId);
    payment.status = 'canceled';
    this.emit('payment_intent.canceled', payment);
    return payment;
  }

  createSession(form: Form, publicUrl: string): SessionObject {
    const id = makeId('cs_test');
    const session: SessionObject = {
      id,
      object: 'checkout.session',
      mode: textAt(form, 'mode'),
      status: 'open',
      payment_status: 'unpaid',
      payment_intent: null,
      created: Math.floor(Date.now() / 1_000),
      amount_total: Number(textAt(form, 'line_items.0.price_data.unit_amount')),
      currency: textAt(form, 'line_items.0.price_data.currency'),
      client_reference_id: textAt(form, 'client_reference_id'),
      customer: textAt(form, 'customer'),
      metadata: textsAt(form, 'metadata'),
      livemode: this.livemode,
      url: `${publicUrl}/pay/${id}`,
      success_url: textAt(form, 'success_url').replace('{CHECKOUT_SESSION_ID}', id),
    };
    this.sessions.push(session);
    return session;
  }

  getSession(sessionId: string): SessionObject {
    return get(this.sessions, sessionId);
  }

  /** The buyer pays by card: the money is there at once. */
  pay(sessionId: string): StripeObject {
    const session = this.#complete(sessionId, 'succeeded');
    session.payment_status = 'paid';
    return this.emit('checkout.session.completed', session);
  }

  /** The buyer pays by bank debit: the session is complete, and the money is on its way. */
  payLater(sessionId: string): StripeObject {
    return this.emit('checkout.session.completed', this.#complete(sessionId, 'processing'));
  }

  succeedLater(sessionId: string): StripeObject {
    const session = this.getSession(sessionId);
    session.payment_status = 'paid';
    get(this.payments, String(session.payment_intent)).status = 'succeeded';
    return this.emit('checkout.session.async_payment_succeeded', session);
  }

  failLater(sessionId: string): StripeObject {
    const session = this.getSession(sessionId);
    get(this.payments, String(session.payment_intent)).status = 'requires_payment_method';
    return this.emit('checkout.session.async_payment_failed', session);
  }

  expire(sessionId: string): StripeObject {
    const session = this.getSession(sessionId);
    session.status = 'expired';
    return this.emit('checkout.session.expired', session);
  }

  refund(sessionId: string, amount: number): StripeObject {
    return this.refundPayment(String(this.getSession(sessionId).payment_intent), amount);
  }

  refundPayment(paymentId: string, amount: number): StripeObject {
    return this.createRefund(paymentId, amount, {}).event;
  }

  /** By the API, or on Stripe's own page. */
  createRefund(paymentId: string, amount: number, metadata: Readonly<Record<string, string>>) {
    const refund = {
      id: makeId('re'),
      object: 'refund',
      amount,
      currency: 'usd',
      payment_intent: paymentId,
      status: this.refundsAre,
      metadata,
    };
    this.refunds.push(refund);
    return { refund, event: this.emit('refund.created', refund) };
  }

  /** The bank sends a refund back: the money is ours again. */
  failRefund(refundId: string): StripeObject {
    const refund = get(this.refunds, refundId);
    refund.status = 'failed';
    return this.emit('refund.failed', refund);
  }

  /** The money of a refund that was on its way has arrived. */
  arriveRefund(refundId: string): StripeObject {
    const refund = get(this.refunds, refundId);
    refund.status = 'succeeded';
    return this.emit('refund.updated', refund);
  }

  openDispute(sessionId: string, amount = this.getSession(sessionId).amount_total): StripeObject {
    return this.disputePayment(String(this.getSession(sessionId).payment_intent), amount);
  }

  disputePayment(paymentId: string, amount: number): StripeObject {
    const dispute: DisputeObject = {
      id: makeId('dp'),
      object: 'dispute',
      amount,
      currency: 'usd',
      payment_intent: paymentId,
      status: 'needs_response',
      balance_transactions: [],
    };
    this.disputes.push(dispute);
    return this.emit('charge.dispute.created', dispute);
  }

  withdrawFunds(disputeId: string): StripeObject {
    const dispute = get(this.disputes, disputeId);
    dispute.balance_transactions.push({ amount: -dispute.amount });
    return this.emit('charge.dispute.funds_withdrawn', dispute);
  }

  reinstateFunds(disputeId: string): StripeObject {
    const dispute = get(this.disputes, disputeId);
    dispute.balance_transactions.push({ amount: dispute.amount });
    return this.emit('charge.dispute.funds_reinstated', dispute);
  }

  closeDispute(disputeId: string, status: 'won' | 'lost'): StripeObject {
    const dispute = get(this.disputes, disputeId);
    dispute.status = status;
    return this.emit('charge.dispute.closed', dispute);
  }

  /** An event as it is delivered: the object as it was at that moment, which is soon out of date. */
  emit(type: string, object: StripeObject): StripeObject {
    const event = {
      id: makeId('evt'),
      object: 'event',
      type,
      created: Math.floor(Date.now() / 1_000),
      livemode: this.livemode,
      data: { object: structuredClone(object) },
    };
    this.events.push(event);
    return event;
  }

  #complete(sessionId: string, paymentStatus: string): SessionObject {
    const session = this.getSession(sessionId);
    const id = makeId('pi');
    const charge = { id: makeId('ch'), object: 'charge', receipt_url: `${receiptHost}/${id}` };
    const payment = { id, object: 'payment_intent', status: paymentStatus, metadata: {}, latest_charge: charge };
    session.invoice = { id: makeId('in'), object: 'invoice', hosted_invoice_url: `${receiptHost}/invoice-of-${id}` };
    this.payments.push(payment);
    session.status = 'complete';
    session.payment_intent = payment.id;
    return session;
  }
}

function get<Kind extends StripeObject>(objects: readonly Kind[], id: string): Kind {
  const found = objects.find((object) => object.id === id);
  if (!found) throw new Error(`The double has no ${id}.`);
  return found;
}

function makeId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}
