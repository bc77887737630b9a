/** What a call's tokens cost; fixed when the call is let in. */
export interface TokenPrice {
  /** The list price of one token, in millicredits. */
  readonly millicreditsPerToken: number;
  /** Per mille of the list price that the account pays: 800 is a fifth less. null, or left out: 1,000. */
  readonly priceMultiplier?: number | null | undefined;
}

/** The multiplier of an account that pays the list price. */
export const listPriceMultiplier = 1_000;
export const priceMultiplierMin = 1;
export const priceMultiplierMax = 100_000;

/**
 * What so many tokens cost, in millicredits: tokens × list price × multiplier, exact, and rounded up once to a whole millicredit. More
 * tokens never cost less, and any token costs something. The only place where this is worked out.
 */
export function priceTokens(tokens: number, { millicreditsPerToken, priceMultiplier }: TokenPrice): number {
  const atListPrice = tokens * millicreditsPerToken;
  const multiplier = priceMultiplier ?? listPriceMultiplier;
  if (multiplier === listPriceMultiplier) return atListPrice;
  // In two parts, since the product alone may pass the safe integers while the price does not.
  const rest = atListPrice % listPriceMultiplier;
  const thousands = (atListPrice - rest) / listPriceMultiplier;
  return thousands * multiplier + Math.ceil((rest * multiplier) / listPriceMultiplier);
}

/** The most tokens that cost no more than this; below zero for less than nothing. */
export function countTokensFor(millicredits: number, { millicreditsPerToken, priceMultiplier }: TokenPrice): number {
  const multiplier = priceMultiplier ?? listPriceMultiplier;
  if (multiplier === listPriceMultiplier || millicredits < 0) return Math.floor(millicredits / millicreditsPerToken);
  const perThousandTokens = BigInt(millicreditsPerToken) * BigInt(multiplier);
  return Number((BigInt(millicredits) * BigInt(listPriceMultiplier)) / perThousandTokens);
}
