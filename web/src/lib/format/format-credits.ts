/** The digits of an amount of credits, as the server sent them. */
interface CreditDigits {
  readonly isNegative: boolean;
  readonly whole: string;
  /** Up to three digits, no trailing zeros; empty for a round amount. */
  readonly decimals: string;
}

function creditDigits(credits: number): CreditDigits {
  const [whole = '0', decimals = ''] = String(credits).replace('-', '').split('.');
  return { isNegative: credits < 0, whole, decimals };
}

/** Groups the digits of a non-negative whole number by thousands: `1234567` becomes `1,234,567`. */
export function groupThousands(whole: number | bigint | string): string {
  return String(whole).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Shows credits with up to three decimals, digit for digit as the server sent them: `12,345.678`. */
export function formatCredits(credits: number): string {
  const { isNegative, whole, decimals } = creditDigits(credits);
  return `${isNegative ? '−' : ''}${groupThousands(whole)}${decimals ? `.${decimals}` : ''}`;
}

/** Shows credits with exactly three decimals, so that the points of a column stand below one another. */
export function formatCreditsAligned(credits: number): string {
  const { isNegative, whole, decimals } = creditDigits(credits);
  return `${isNegative ? '−' : ''}${groupThousands(whole)}.${decimals.padEnd(3, '0')}`;
}

/** Like `formatCreditsAligned`, with the sign always written: `+5,000.000`, `−1.200`. */
export function formatSignedCredits(credits: number): string {
  return credits > 0 ? `+${formatCreditsAligned(credits)}` : formatCreditsAligned(credits);
}

/** What credits cost in dollars (1,000 credits = 1 dollar), to the nearest cent: 12,345.678 credits are `$12.35`. */
export function formatCreditsAsDollars(credits: number): string {
  const millicredits = toMillicredits(credits);
  const amount = millicredits < 0n ? -millicredits : millicredits;
  const cents = roundToCents(amount);
  if (cents === 0n && amount > 0n) return `${millicredits < 0n ? '−' : ''}under $0.01`;
  return `${millicredits < 0n ? '−' : ''}$${writeCents(cents)}`;
}

/** What whole millicredits cost in dollars, to the last of six decimals, so that nothing is rounded: `$0.004200`. */
export function formatMillicreditsAsDollars(millicredits: number): string {
  const digits = String(Math.abs(millicredits)).padStart(7, '0');
  return `${millicredits < 0 ? '−' : ''}$${groupThousands(digits.slice(0, -6))}.${digits.slice(-6)}`;
}

/** The nearest whole cent of an amount that is not negative; half a cent is one. A cent is 10,000 millicredits. */
export function roundToCents(millicredits: bigint): bigint {
  return (millicredits + 5_000n) / 10_000n;
}

/** Cents that are not negative as dollars, without the sign of the currency: `1,234.50`. */
export function writeCents(cents: bigint): string {
  return `${groupThousands(cents / 100n)}.${(cents % 100n).toString().padStart(2, '0')}`;
}

/** Whole millicredits of an amount of credits, by digits and without rounding error. */
export function toMillicredits(credits: number): bigint {
  const { isNegative, whole, decimals } = creditDigits(credits);
  const millicredits = BigInt(whole + decimals.slice(0, 3).padEnd(3, '0'));
  return isNegative ? -millicredits : millicredits;
}
