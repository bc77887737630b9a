import { InvalidInputError } from '../kernel/app-error.js';
import { millicreditsPerCredit, requireNamedAmount } from '../kernel/millicredits.js';
import { dollarsMax, dollarsMin, priceChoice } from '../purchases/checkout/credit-packs.js';
import type { AutoTopUpEntity } from './auto-top-up.entity.js';
import { isAgreed } from './top-up-payers.js';

export interface TopUpChoice {
  readonly isOn: boolean;
  readonly thresholdMillicredits: number;
  readonly dollars: number;
  readonly monthlyCapDollars: number;
}

/** What is left out stays as it is. The consent is to this change. */
export interface TopUpChange extends Partial<TopUpChoice> {
  readonly hasConsent: boolean;
}

const monthlyCapDollarsMax = 100_000;
/** What an account has that has chosen nothing. */
export const suggested = { thresholdMillicredits: 1_000_000, amountCents: 2_000, monthlyCapCents: 10_000 };

/** What an account has after a change. */
export function complete(row: AutoTopUpEntity | null, change: TopUpChange): TopUpChoice {
  const { isOn, thresholdMillicredits, amountCents, monthlyCapCents } = row ?? { isOn: false, ...suggested };
  return {
    isOn: change.isOn ?? isOn,
    thresholdMillicredits: change.thresholdMillicredits ?? thresholdMillicredits,
    dollars: change.dollars ?? amountCents / 100,
    monthlyCapDollars: change.monthlyCapDollars ?? monthlyCapCents / 100,
  };
}

/** Whether a choice would have the card charged where it is not charged now, or more, or sooner. */
export function raises(row: AutoTopUpEntity | null, choice: TopUpChoice): boolean {
  if (!choice.isOn) return false;
  if (row === null || !isAgreed(row) || choice.thresholdMillicredits > row.thresholdMillicredits) return true;
  return choice.dollars * 100 > row.amountCents || choice.monthlyCapDollars * 100 > row.monthlyCapCents;
}

// One top-up is to bring the balance up to the threshold, or the next would follow at once. Settings of before this rule that
// are on may be kept and lowered; `top-up-pause.ts` bounds what they cost.
export function assertThreshold(choice: TopUpChoice, row: AutoTopUpEntity): void {
  const { creditsMillicredits } = priceChoice({ dollars: choice.dollars });
  if (!choice.isOn || choice.thresholdMillicredits <= creditsMillicredits) return;
  const isKept = row.isOn && choice.thresholdMillicredits <= row.thresholdMillicredits;
  if (isKept && choice.dollars * 100 >= row.amountCents) return;
  const credits = (creditsMillicredits / millicreditsPerCredit).toLocaleString('en-US');
  throw new InvalidInputError(
    'threshold',
    `The threshold is at most what one top-up brings: ${credits} credits for $${choice.dollars}. Lower it, or buy for more each time.`,
  );
}

/** @throws InvalidInputError naming the field. @param before The threshold that is stored. */
export function assertAmounts(
  { thresholdMillicredits, dollars, monthlyCapDollars }: TopUpChoice,
  before: number,
): void {
  requireNamedAmount(thresholdMillicredits, { name: 'threshold', words: 'The threshold', least: 1, before });
  if (!Number.isInteger(dollars) || dollars < dollarsMin || dollars > dollarsMax) {
    const rule = `An amount is a whole number of dollars from ${dollarsMin} to ${dollarsMax}.`;
    throw new InvalidInputError('dollars', rule);
  }
  const isCap = Number.isInteger(monthlyCapDollars) && monthlyCapDollars <= monthlyCapDollarsMax;
  if (!isCap || monthlyCapDollars < dollars) {
    throw new InvalidInputError(
      'monthlyCapDollars',
      `The monthly limit is a whole number of dollars, at least one top-up and at most ${monthlyCapDollarsMax}.`,
    );
  }
}
