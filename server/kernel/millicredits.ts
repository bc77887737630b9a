import { InvalidInputError } from './app-error.js';
import { assertInvariant } from './assert.js';

declare const millicreditsBrand: unique symbol;

/** Money inside Tollgate: an integer; 1,000 millicredits are 1 credit, 1,000 credits are 1 dollar. */
export type Millicredits = number & { readonly [millicreditsBrand]: true };

export const millicreditsPerCredit = 1_000;
export const creditsPerDollar = 1_000;

/**
 * No amount, balance or running total of one account may pass this: it and twice what one may name stay safe integers of JavaScript, and
 * the tables refuse more. Sums over accounts have no such bound and are `bigint`.
 */
export const millicreditsMax = 9_000_000_000_000_000;

/**
 * 10^12 credits, 15 digits with the three decimals: up to here each amount of credits is a JSON number of its own, and every program that
 * reads numbers as doubles gives back the same digits. Near 8.8 * 10^12 credits neighbours become the same number.
 */
export const exactMillicreditsMax = 1_000_000_000_000_000;

/**
 * 10^9 credits, a million dollars: the most that a person or a program may name at once, be it a grant, a gift code, a purchase, an
 * adjustment, a limit, a budget or a threshold. Amounts that were stored before this bound are read as they are.
 */
const namedMillicreditsMax = 1_000_000_000_000;

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

/** What a person or a program names an amount for. */
export interface NamedField {
  readonly name: string;
  /** As a sentence about it begins, such as `A gift`. */
  readonly words: string;
  /** In millicredits: 1, or 0 where nothing is an amount, too. */
  readonly least: 0 | 1;
  /** What stands there, in millicredits: of before the bound, it may stay, or be lowered. */
  readonly before?: number | null;
}

/** Bounds an amount by `namedMillicreditsMax`. @throws InvalidInputError naming the field and both bounds. */
export function requireNamedAmount(amount: number, field: NamedField): void {
  if (amount >= field.least && amount <= Math.max(namedMillicreditsMax, field.before ?? 0)) return;
  const least = field.least === 0 ? 'no less than 0' : 'more than 0';
  const most = formatGroupedCredits(namedMillicreditsMax as Millicredits);
  throw new InvalidInputError(field.name, `${field.words} is ${least} and no more than ${most} credits.`);
}

/** 12345 becomes '12.345': credits with exactly three decimals, worked out on integers. A `bigint` is a sum over accounts. */
export function formatCredits(amount: Millicredits | bigint): string {
  const digits = (amount < 0 ? -amount : amount).toString().padStart(4, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`;
}

/** The JSON number of the `Credits` scalar: at most three decimals, exact up to ±`exactMillicreditsMax`, beyond it the nearest number. */
export function toCredits(amount: Millicredits | bigint): number {
  return Number(formatCredits(amount));
}

/** For a person to read, in groups of three digits: 12345600 becomes '12,345.6'; no zeros at the end. */
export function formatGroupedCredits(amount: Millicredits): string {
  const [whole = '', decimals = ''] = formatCredits(amount).split('.');
  const rest = decimals.replace(/0+$/, '');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${rest && `.${rest}`}`;
}
