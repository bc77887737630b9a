import { groupThousands, roundToCents, writeCents } from './format-credits';
import { formatMillicredits } from './usage-series';

export interface CallPlan {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly calls: number;
  /** Whole millicredits for one token. */
  readonly millicreditsPerToken: bigint;
}

/** What so many calls of this size cost, in whole millicredits. */
export function priceOfCalls({ promptTokens, completionTokens, calls, millicreditsPerToken }: CallPlan): bigint {
  return (BigInt(promptTokens) + BigInt(completionTokens)) * BigInt(calls) * millicreditsPerToken;
}

/** Millicredits as dollars: to the nearest cent from ten cents on, below that with as many digits as tell something. */
export function formatMillicreditsAsDollars(millicredits: bigint): string {
  if (millicredits >= 100_000n) return `$${writeCents(roundToCents(millicredits))}`;
  // A millicredit is a millionth of a dollar.
  const [whole = '0', fraction = ''] = formatMillionths(millicredits).split('.');
  const digits = fraction.replace(/0+$/, '');
  return digits === '' ? '$0' : `$${groupThousands(whole)}.${digits}`;
}

function formatMillionths(millionths: bigint): string {
  const digits = millionths.toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** Millicredits as credits, without the zeros at the end. */
export function formatPrice(millicredits: bigint): string {
  return formatMillicredits(millicredits).replace(/\.?0+$/, (zeros) =>
    zeros.startsWith('.') ? '' : zeros.replace(/0+$/, ''),
  );
}
