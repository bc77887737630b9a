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

/** Digits, all in a row or in groups of three with commas, as the dashboard shows them, and a point. */
const written = /^-?(\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(\d*))?$/;

/**
 * Reads what was typed or pasted, to the last digit: nothing is rounded, cut off or moved into the bounds. A comma stands between
 * thousands and nowhere else, and a whole number has no point: `1,5` and `20.000` mean different numbers to different people, so
 * that neither is guessed.
 */
export function readNumber(typed: string, bounds: NumberBounds): NumberReading {
  const { min, decimals = 0, max = decimals > 0 ? creditsMax : wholeMax, emptyFault } = bounds;
  const text = typed.trim();
  if (text === '') return emptyFault === undefined ? { value: null } : { fault: emptyFault };
  const [, groups = '', fraction = ''] = written.exec(text) ?? [];
  const whole = groups.replaceAll(',', '');
  if (whole + fraction === '')
    return { fault: text.includes(',') ? commaFault(decimals) : 'Enter a number in digits.' };
  if (decimals === 0 && text.includes('.')) return { fault: 'Enter a whole number, without a point.' };
  const kept = withoutEnd(fraction, '0');
  if (kept.length > decimals) return { fault: `Enter at most ${decimals} digits after the point.` };
  // Whatever is 0 has no sign.
  const value = Number(text.replaceAll(',', '')) + 0;
  if (value < min || value > max) {
    return { fault: bounds.max === undefined && value < min ? `Enter ${name(min)} or more.` : rangeFault(min, max) };
  }
  if ((whole.replace(/^0+/, '') + kept).length > digitsMax) return { fault: 'Enter fewer digits.' };
  return { value };
}

function commaFault(decimals: number): string {
  return decimals === 0
    ? 'Write 1500 or 1,500.'
    : 'Write thousands as 1500 or 1,500, and decimals with a point, as in 1.5.';
}

function rangeFault(min: number, max: number): string {
  return `Enter a number from ${name(min)} to ${name(max)}.`;
}

function name(bound: number): string {
  return Number.isInteger(bound) ? groupThousands(bound) : String(bound);
}
