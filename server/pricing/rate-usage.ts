import { type Millicredits, multiplyMillicredits, toMillicredits } from '../kernel/millicredits.js';

/**
 * What the tokens of a call cost: (prompt + completion) × price of one token. Whole numbers all the way, so nothing is
 * ever rounded. The counts must be whole and not negative; anything else is a bug and throws.
 */
export function rateUsage(
  usage: { readonly inputTokens: number; readonly outputTokens: number },
  millicreditsPerToken: Millicredits,
): Millicredits {
  const input = multiplyMillicredits(millicreditsPerToken, usage.inputTokens);
  return toMillicredits(input + multiplyMillicredits(millicreditsPerToken, usage.outputTokens));
}
