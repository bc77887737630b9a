/** Who takes the buyer's money. A port, since there are two of them: Stripe, and the simulated one. */
export interface PaymentGateway {
  /** Stands on each purchase that it was asked for. */
  readonly name: string;

  /** false: whoever pays there has paid nothing. */
  readonly takesRealMoney: boolean;

  /**
   * Opens a page where the buyer pays. Asked again for the same purchase with the same input, within a day, it answers the
   * same session.
   * @throws AppError `service_unavailable` when the gateway cannot be reached; asking again is safe.
   */
  createCheckoutSession(input: CheckoutSessionInput): Promise<{ sessionId: string; url: string }>;

  /**
   * What has become of a session, or of a payment that was made without one, asked of the gateway itself each time. null: it knows no such session, or one that is not
   * for buying credits with the kind of money that this server is set up for, or is paid by nothing that can be asked for.
   */
  findCheckoutSession(sessionId: string): Promise<CheckoutSession | null>;

  /**
   * Ends a session that was not paid, so that nobody can pay on its page any more. One that is over stays as it is.
   * @throws AppError `service_unavailable` when the gateway cannot be reached, or does not end it: its payment may be under way.
   */
  expireCheckoutSession(sessionId: string): Promise<void>;

  /**
   * Gives money of a paid session back, once for each `refundId` however often and whenever it is asked for.
   * @throws AppError `service_unavailable` when the gateway cannot be reached; asking again is safe.
   */
  refundPayment(input: RefundInput): Promise<RefundAnswer>;
}

export interface RefundInput {
  readonly refundId: string;
  readonly sessionId: string;
  readonly cents: number;
}

export type RefundAnswer =
  /** `pending`: the money is on its way. One that is made can be refused later, too, by the buyer's bank. */
  | { readonly status: 'made' | 'pending'; readonly gatewayRefundId: string }
  /** For good, with the gateway's word for why. */
  | { readonly status: 'refused'; readonly code: string };

/** How a refund that we have asked for stands at the gateway. */
export type RefundStanding = RefundAnswer & Pick<RefundInput, 'refundId'>;

export interface CheckoutSessionInput {
  readonly purchaseId: string;
  readonly accountId: string;
  readonly amountCents: number;
  /** Three lower-case letters. */
  readonly currency: string;
  /** What is bought, in words for the bill. */
  readonly title: string;
  /** When the purchase was begun; its page stays open for less than a day from then. */
  readonly createdAtMs: number;
  /** Where the browser goes when the buyer has paid, and when the buyer has changed their mind. */
  readonly returnUrl: string;
  readonly cancelUrl: string;
}

export interface CheckoutSession {
  readonly sessionId: string;
  /** `open`: not paid, and may still be. `expired` is final: it cannot be paid any more, or its payment failed. */
  readonly status: 'open' | 'paid' | 'expired';
  readonly amountCents: number;
  readonly currency: string;
  /** The purchase that it says it is for; null: it names none. */
  readonly purchaseId: string | null;
  /** The account that it says it is for; null: it names none. */
  readonly accountId: string | null;
  /** The installation (`getDatabaseId`) that says it has begun it; null: it names none, as those of earlier releases. */
  readonly installationId: string | null;
  readonly reversals: PaymentReversals;
  /** The refunds of it that were begun here, and not at the gateway itself. */
  readonly refunds: readonly RefundStanding[];
  /** The gateway's receipt and invoice; null: it has made none, or not yet. */
  readonly receiptUrl: string | null;
  readonly invoiceUrl: string | null;
  /** Why it was not paid, in the gateway's word; null: nothing is known of it. */
  readonly failureCode: string | null;
}

/** A payment without papers, and without a fault. */
export const noPapers = { receiptUrl: null, invoiceUrl: null, failureCode: null } as const;

/** What of a payment has been undone by now: sums, not events, so that whatever order the news came in, they agree. */
export interface PaymentReversals {
  /** Given back to the buyer; a refund that failed does not count. */
  readonly refundedCents: number;
  /** Taken from us by the buyer's bank for disputes, and not reinstated. */
  readonly disputedCents: number;
  readonly hasOpenDispute: boolean;
}

/** Of a payment that stands. */
export const noReversals: PaymentReversals = { refundedCents: 0, disputedCents: 0, hasOpenDispute: false };

/** The gateway says that something has happened. Only a hint where to look: nothing in it is ever taken for true. */
export interface PaymentNotice {
  readonly id: string;
  readonly type: string;
  readonly createdAtMs: number;
  /** Whether it is about the kind of money, real or of the gateway's test mode, that this server is set up for. */
  readonly isOurMode: boolean;
  /** null: it is about something else than payments. */
  readonly subject: PaymentSubject | null;
}

/** What a notice is about. */
export interface PaymentSubject {
  readonly kind: 'session' | 'payment';
  readonly id: string;
}

/** Where notices come from and what they lead to; the simulated gateway has no such thing. */
export interface PaymentNoticeSource {
  /**
   * What tells the notices that this server can ask for from those of another account of the gateway, or of its other kind of money: how far
   * they were compared is remembered by it. At most 24 characters.
   */
  readonly noticeSource: string;

  /** The checkout session that a notice's subject belongs to, or the payment itself when it was made without one; null: none. */
  findSessionIdOf(subject: PaymentSubject): Promise<string | null>;

  /** A notice by its id; null: it is not kept any more. */
  findNotice(id: string): Promise<PaymentNotice | null>;

  /** Every notice about payments since then that is kept there, newest first, a page at a time: however many there are, few are in memory. */
  listNotices(sinceMs: number): AsyncIterable<PaymentNotice>;
}
