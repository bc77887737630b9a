import { groupThousands, toMillicredits } from '../format/format-credits';

/**
 * How many tokens an amount of credits pays for, rounded down.
 *
 * @param creditsPerThousandTokens Price of the tier; above zero, else the answer is 0.
 */
export function affordableTokens(credits: number, creditsPerThousandTokens: number): bigint {
  const price = toMillicredits(creditsPerThousandTokens);
  const budget = toMillicredits(credits);
  return price > 0n && budget > 0n ? (budget * 1000n) / price : 0n;
}

/** Price of tokens in credits, exact to the millicredit; digits only, for one line of a receipt. */
export function formatTokenCost(tokens: number, creditsPerThousandTokens: number): string {
  const millicredits = (BigInt(tokens) * toMillicredits(creditsPerThousandTokens)) / 1000n;
  return `${groupThousands(millicredits / 1000n)}.${(millicredits % 1000n).toString().padStart(3, '0')}`;
}
