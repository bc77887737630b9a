/** A card that the payment gateway keeps for an account; its number is never ours. */
export interface SavedCard {
  /** The gateway's name for it. */
  readonly cardId: string;
  readonly brand: string;
  readonly last4: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
}

/** What has become of the page where a card is saved. */
export interface CardSetup {
  /** null: it names none. */
  readonly accountId: string | null;
  /** Who began it; null: it names nobody, as those of the release before. */
  readonly personId: string | null;
  /** null: not saved yet, or never. */
  readonly card: SavedCard | null;
  readonly begunAtMs: number;
}

/** For which account which person gives a card, and where the browser goes then. */
export interface CardSetupRequest {
  readonly accountId: string;
  readonly personId: string;
  readonly returnUrl: string;
  readonly cancelUrl: string;
}

export interface CardCharge {
  readonly purchaseId: string;
  readonly accountId: string;
  readonly cardId: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly title: string;
}

/** Who keeps cards and charges them while nobody sits in front. Two of them: Stripe, and the simulated one. */
export interface CardGateway {
  readonly name: string;

  /** Opens a page where a person gives a card and nothing is charged. The browser comes back to `returnUrl?card=<setup>`. */
  startCardSetup(input: CardSetupRequest): Promise<{ url: string }>;

  /** null: it knows no such setup. */
  findCardSetup(setupId: string): Promise<CardSetup | null>;

  /**
   * Charges a card off-session, once per purchase however often it is asked within a day.
   * @returns the payment, whatever became of it: ask the gateway for that. null: it did not even begin, since the card is gone.
   * @throws AppError `service_unavailable` when the gateway cannot be reached; asking again is safe.
   */
  chargeSavedCard(charge: CardCharge): Promise<{ paymentId: string } | null>;

  /**
   * Asks the gateway whether such a charge was ever made, for when its answer was lost.
   * @returns the payment, whatever became of it; null: it has made none.
   * @throws AppError `service_unavailable` when the gateway cannot be reached.
   */
  findCharge(charge: Pick<CardCharge, 'purchaseId' | 'accountId'>): Promise<{ paymentId: string } | null>;

  /**
   * Forgets a card; one that it does not keep is forgotten already.
   * @throws AppError `service_unavailable` when the gateway cannot be reached; asking again is safe.
   */
  forgetCard(cardId: string): Promise<void>;

  /**
   * The gateway's names of all cards, and other means to pay, that it keeps for an account, whoever gave them; at most 1,000.
   * @throws AppError `service_unavailable` when the gateway cannot be reached.
   */
  listCardIds(accountId: string): Promise<readonly string[]>;

  /** A page of the gateway's own where all of these are seen and removed, with invoices and receipts. @throws AppError `forbidden` when it has none. */
  openBillingPortal(accountId: string, returnUrl: string): Promise<string>;
}
