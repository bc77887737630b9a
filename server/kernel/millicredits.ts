import { assertInvariant } from './assert.js';

declare const millicreditsBrand: unique symbol;

/** Money inside Tollgate: an integer; 1,000 millicredits are 1 credit, 1,000 credits are 1 dollar. */
export type Millicredits = number & { readonly [millicreditsBrand]: true };

export const millicreditsPerCredit = 1_000;
export const creditsPerDollar = 1_000;

/** No amount or balance may pass this; it keeps every sum inside the safe integers of JavaScript and of both databases. */
export const millicreditsMax = 9_000_000_000_000_000;

/** Takes a number as money. Throws on fractions, NaN and anything beyond ±`millicreditsMax`: such a number is a bug. */
export function toMillicredits(amount: number): Millicredits {
  assertInvariant(
    Number.isSafeInteger(amount) && Math.abs(amount) <= millicreditsMax,
    `${amount} is a whole number of millicredits`,
  );
  return amount as Millicredits;
}

export const zeroMillicredits = toMillicredits(0);

/** Multiplies with a check of every factor and of the product, so that no price overflows in silence. */
export function multiplyMillicredits(price: Millicredits, count: number): Millicredits {
  assertInvariant(Number.isSafeInteger(count) && count >= 0, `${count} is a count`);
  return toMillicredits(price * count);
}

/** 12345 becomes '12.345': credits with exactly three decimals, worked out on integers. */
export function formatCredits(amount: Millicredits): string {
  const digits = Math.abs(amount).toString().padStart(4, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`;
}

/** The JSON number of the `Credits` scalar: at most three decimals, exact up to `millicreditsMax`. */
export function toCredits(amount: Millicredits): number {
  return Number(formatCredits(amount));
}

/** For a person to read: 12345600 becomes '12,345.6'; no zeros at the end. */
export function wordCredits(amount: Millicredits): string {
  const [whole = '', decimals = ''] = formatCredits(amount).split('.');
  const rest = decimals.replace(/0+$/, '');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${rest && `.${rest}`}`;
}
