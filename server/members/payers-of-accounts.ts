import type { EntityManager } from 'typeorm';

/**
 * Who keeps the cards that members have saved for an account. Members know nothing of cards; they say what became of a membership, in
 * the transaction of the change.
 */
export interface PayersOfAccounts {
  /** Forgets a person's card in an account where they may not pay any more. */
  endIfNoPayer(
    transaction: EntityManager,
    of: { readonly accountId: string; readonly personId: string },
  ): Promise<void>;
  /** Forgets the card of an account that is deleted. */
  forgetCardOf(transaction: EntityManager, accountId: string): Promise<void>;
  /**
   * Turns off what a person has agreed to since then, and forgets the card that they have saved since `cardsSinceMs`; null: cards stay.
   * What was agreed to last in `keptSessionId` stays. The person is mailed where `isPersonTold` says so.
   * @returns how many ended.
   */
  endSince(
    transaction: EntityManager,
    of: {
      readonly accountId: string;
      readonly personId: string;
      readonly sinceMs: number;
      readonly cardsSinceMs: number | null;
      readonly keptSessionId?: string;
      readonly isPersonTold?: boolean;
    },
  ): Promise<{ readonly topUps: number; readonly cards: number }>;
}
