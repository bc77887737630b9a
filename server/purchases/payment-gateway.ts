/** Who takes the buyer's money. A port, since there are two of them: Stripe, and the simulated one. */
export interface PaymentGateway {
  /** Stands on each purchase that it was asked for. */
  readonly name: string;

  /** Opens a page where the buyer pays. Asked again for the same purchase, it answers the same session. */
  createCheckoutSession(input: CheckoutSessionInput): Promise<{ sessionId: string; url: string }>;

  /** What has become of a session, asked of the gateway itself each time. null: it knows no such session. */
  findCheckoutSession(sessionId: string): Promise<CheckoutSession | null>;
}

export interface CheckoutSessionInput {
  readonly purchaseId: string;
  readonly amountCents: number;
  /** Three lower-case letters. */
  readonly currency: string;
  /** Where the browser goes when the buyer has paid, and when the buyer has changed their mind. */
  readonly returnUrl: string;
  readonly cancelUrl: string;
}

export interface CheckoutSession {
  /** `expired` is final: it cannot be paid any more. */
  readonly status: 'open' | 'paid' | 'expired';
  readonly amountCents: number;
  readonly currency: string;
  readonly purchaseId: string;
}
