import { groupThousands, roundToCents, toMillicredits, writeCents } from '../format/format-credits';
import { formatMillicredits } from '../reports/usage-series';

export interface CallPlan {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly calls: number;
  /** Whole millicredits for 1,000 tokens: one token may cost a part of one. */
  readonly millicreditsPerThousandTokens: bigint;
}

/** What so many calls of this size cost, in whole millicredits; each call is rounded up to one. */
export function priceOfCalls({ promptTokens, completionTokens, calls, ...price }: CallPlan): bigint {
  const thousandths = (BigInt(promptTokens) + BigInt(completionTokens)) * price.millicreditsPerThousandTokens;
  return ((thousandths + 999n) / 1_000n) * BigInt(calls);
}

/** Millicredits as dollars: to the nearest cent from ten cents on, below that with as many digits as tell something. */
export function formatMillicreditsAsDollars(millicredits: bigint): string {
  if (millicredits >= 100_000n) return `$${writeCents(roundToCents(millicredits))}`;
  // A millicredit is a millionth of a dollar.
  const [whole = '0', fraction = ''] = formatMillionths(millicredits).split('.');
  const digits = fraction.replace(/0+$/, '');
  return digits === '' ? '$0' : `$${groupThousands(whole)}.${digits}`;
}

/** Millicredits as dollars, exactly: `$12.00`, `$0.0042`. */
export function formatExactDollars(millicredits: bigint): string {
  const [whole = '0', fraction = ''] = formatMillionths(millicredits).split('.');
  return `$${groupThousands(whole)}.${fraction.replace(/0{1,4}$/, '')}`;
}

/** What a million tokens cost in dollars, exactly: credits for 1,000 tokens are dollars for a million. */
export function formatDollarsPerMillion(creditsPerThousandTokens: number): string {
  return formatExactDollars(toMillicredits(creditsPerThousandTokens) * 1_000n);
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
