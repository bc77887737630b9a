import { groupThousands } from './format/format-credits';
import { withoutEnd } from './format/without-end';

/** What a field of a number takes. */
export interface NumberBounds {
  readonly min: number;
  /** Without one, the largest that the server's type takes: 2,147,483,647 for whole numbers, else 1,000,000,000 credits. */
  readonly max?: number | undefined;
  /** Digits after the point; without it, whole numbers only. */
  readonly decimals?: number;
  /** What to say of an empty field; without it, a field may be empty. */
  readonly emptyFault?: string | undefined;
}

/** A number that may be sent, null for an empty field, or why what was typed is neither. */
export type NumberReading = { readonly value: number | null } | { readonly fault: string };

const wholeMax = 2_147_483_647;
const creditsMax = 1_000_000_000;
/** A number in the program holds no more. */
const digitsMax = 15;

/** Reads what was typed, in digits with a point, to the last digit: nothing is rounded, cut off or moved into the bounds. */
export function readNumber(typed: string, bounds: NumberBounds): NumberReading {
  const { min, decimals = 0, max = decimals > 0 ? creditsMax : wholeMax, emptyFault } = bounds;
  const text = typed.trim();
  if (text === '') return emptyFault === undefined ? { value: null } : { fault: emptyFault };
  const [, whole = '', fraction = ''] = /^-?(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole + fraction === '') return { fault: 'Enter a number in digits.' };
  const kept = withoutEnd(fraction, '0');
  if (kept.length > decimals) return { fault: decimalsFault(decimals) };
  // Whatever is 0 has no sign.
  const value = Number(text) + 0;
  if (value < min || value > max) {
    return { fault: bounds.max === undefined && value < min ? `Enter ${name(min)} or more.` : rangeFault(min, max) };
  }
  if ((whole.replace(/^0+/, '') + kept).length > digitsMax) return { fault: 'Enter fewer digits.' };
  return { value };
}

function decimalsFault(decimals: number): string {
  return decimals === 0 ? 'Enter a whole number.' : `Enter at most ${decimals} digits after the point.`;
}

function rangeFault(min: number, max: number): string {
  return `Enter a number from ${name(min)} to ${name(max)}.`;
}

function name(bound: number): string {
  return Number.isInteger(bound) ? groupThousands(bound) : String(bound);
}
