import { InvalidInputError } from '../../kernel/app-error.js';
import {
  creditsPerDollar,
  type Millicredits,
  millicreditsPerCredit,
  multiplyMillicredits,
  toMillicredits,
} from '../../kernel/millicredits.js';

/** An amount on offer. */
export interface CreditPack {
  readonly id: string;
  readonly dollars: number;
  readonly creditsMillicredits: Millicredits;
}

/** What a buyer chose: one of the packs, or a whole number of dollars. Exactly one of the two. */
export interface CheckoutChoice {
  readonly packId?: string | undefined;
  readonly dollars?: number | undefined;
}

/** What a purchase costs and what it brings. */
export interface PricedChoice {
  readonly amountCents: number;
  readonly creditsMillicredits: Millicredits;
}

export const purchaseCurrency = 'usd';
export const dollarsMin = 5;
export const dollarsMax = 1_000;

export const creditPacks: readonly CreditPack[] = [5, 20, 50, 100].map((dollars) => ({
  id: `pack-${dollars}`,
  dollars,
  creditsMillicredits: dollarsToMillicredits(dollars),
}));

/**
 * Prices a choice by our own table, and by nothing that the buyer or a gateway says.
 * @throws InvalidInputError for both or neither, an unknown pack, or dollars outside 5 to 1,000.
 */
export function priceChoice({ packId, dollars }: CheckoutChoice): PricedChoice {
  if ((packId === undefined) === (dollars === undefined)) {
    throw new InvalidInputError('packId', 'Choose either a pack (packId) or an amount (dollars), not both.');
  }
  const wholeDollars = dollars ?? creditPacks.find(({ id }) => id === packId)?.dollars;
  if (wholeDollars === undefined) {
    const ids = creditPacks.map(({ id }) => id).join(', ');
    throw new InvalidInputError('packId', `There is no such pack. The packs are: ${ids}.`);
  }
  if (!Number.isInteger(wholeDollars) || wholeDollars < dollarsMin || wholeDollars > dollarsMax) {
    throw new InvalidInputError(
      'dollars',
      `An amount is a whole number of dollars from ${dollarsMin} to ${dollarsMax}.`,
    );
  }
  return { amountCents: wholeDollars * 100, creditsMillicredits: dollarsToMillicredits(wholeDollars) };
}

/** `5,000 credits`, for bills and mails. */
export function describeCredits({ creditsMillicredits }: { readonly creditsMillicredits: number }): string {
  return `${(creditsMillicredits / millicreditsPerCredit).toLocaleString('en-US')} credits`;
}

function dollarsToMillicredits(dollars: number): Millicredits {
  return multiplyMillicredits(toMillicredits(creditsPerDollar * millicreditsPerCredit), dollars);
}
