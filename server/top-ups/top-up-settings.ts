import { noteEvent } from '../audit/note-event.js';
import { isUniqueViolation } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { millicreditsPerCredit, requireNamedAmount } from '../kernel/millicredits.js';
import type { CardGateway, SavedCard } from '../purchases/card-gateway.js';
import { dollarsMax, dollarsMin, priceChoice } from '../purchases/checkout/credit-packs.js';
import { AutoTopUpEntity, type TopUpFailure } from './auto-top-up.entity.js';
import { sumMonth, toMonthUtc } from './top-up-month.js';

export interface TopUpSettingsParts {
  readonly unitOfWork: UnitOfWork;
  /** null: nothing is sold here. */
  readonly cards: CardGateway | null;
  readonly clock: Clock;
  readonly publicUrl: string;
  /** Called when an account has changed what it wants. */
  onChange(accountId: string): void;
}

/** How an account's automatic top-up is set up. */
export interface TopUpSettingsView {
  readonly isOn: boolean;
  /** null, as the amounts below: never set. */
  readonly thresholdMillicredits: number | null;
  readonly amountCents: number | null;
  readonly monthlyCapCents: number | null;
  readonly boughtThisMonthCents: number;
  readonly card: SavedCard | null;
  /** When its owner agreed last, and to which wording. */
  readonly consentAtMs: number | null;
  readonly consentVersion: string | null;
  readonly failure: TopUpFailure | null;
  readonly pausedUntilMs: number | null;
}

interface TopUpChoice {
  readonly isOn: boolean;
  readonly thresholdMillicredits: number;
  readonly dollars: number;
  readonly monthlyCapDollars: number;
}

/** What is left out stays as it is. The consent is to this change. */
export interface TopUpChange extends Partial<TopUpChoice> {
  readonly hasConsent: boolean;
}

/** What its owner agrees to; a change of the sense is a new version, which is kept with the consent. */
export const consentVersion = '2026-11';
export const consentText =
  'I agree that my saved card is charged this amount, without asking me each time, whenever my balance falls below the threshold, and never more than the monthly limit. I can turn this off at any time.';

const monthlyCapDollarsMax = 100_000;
const suggested = { thresholdMillicredits: 1_000_000, amountCents: 2_000, monthlyCapCents: 10_000 };

/** What an account wants to be bought while nobody looks, and by which card. */
export class TopUpSettings {
  constructor(private readonly parts: TopUpSettingsParts) {}

  async find(accountId: string): Promise<TopUpSettingsView> {
    const { clock, unitOfWork } = this.parts;
    const row = await unitOfWork.reader.findOneBy(AutoTopUpEntity, { accountId });
    const boughtThisMonthCents = await sumMonth(unitOfWork.reader, accountId, toMonthUtc(clock.nowMs()));
    return {
      isOn: row?.isOn ?? false,
      thresholdMillicredits: row?.thresholdMillicredits ?? null,
      amountCents: row?.amountCents ?? null,
      monthlyCapCents: row?.monthlyCapCents ?? null,
      boughtThisMonthCents,
      card: row && this.#isOurs(row) ? readCard(row) : null,
      consentAtMs: row?.consentAtMs ?? null,
      consentVersion: row?.consentVersion ?? null,
      failure: row?.failure ?? null,
      pausedUntilMs: row?.pausedUntilMs ?? null,
    };
  }

  /** Below which balance a top-up would be tried now; null: none would be. Paused and capped ones are left to the sweep. */
  async findThreshold(accountId: string): Promise<number | null> {
    const row = await this.parts.unitOfWork.reader.findOneBy(AutoTopUpEntity, { accountId, isOn: true });
    if (!row || row.failure === 'monthly_cap' || (row.pausedUntilMs ?? 0) > this.parts.clock.nowMs()) return null;
    return row.thresholdMillicredits;
  }

  /** Whether this would have the card charged where it is not charged now, or more, or sooner. */
  async raises(accountId: string, change: TopUpChange): Promise<boolean> {
    const row = await this.parts.unitOfWork.reader.findOneBy(AutoTopUpEntity, { accountId });
    return raises(row, complete(row, change));
  }

  /**
   * Changes the settings, by what they are when it is their turn. Turning it on wants a saved card and the owner's consent, which is
   * kept with its time and wording, and forgets earlier failures. @param mayRaise false: whoever asks was asked for no fresh proof,
   *   since nothing was to be raised.
   * @throws InvalidInputError naming the field; AppError `forbidden` when nothing is sold here; `conflict` when the settings were
   *   lowered meanwhile, so that this would raise them.
   */
  async set(accountId: string, change: TopUpChange, mayRaise = true): Promise<TopUpSettingsView> {
    this.#getCards();
    await this.#ensureRow(accountId);
    await this.parts.unitOfWork.transact(async (transaction) => {
      // Locks the row.
      await transaction.increment(AutoTopUpEntity, { accountId }, 'revision', 1);
      const row = await transaction.findOneByOrFail(AutoTopUpEntity, { accountId });
      const choice = complete(row, change);
      this.#assertFit(row, choice, change.hasConsent);
      if (!mayRaise && raises(row, choice)) {
        throw new AppError('conflict', 'The automatic top-up was changed just now. Look at it, and ask again.');
      }
      const { isOn, thresholdMillicredits, dollars, monthlyCapDollars } = choice;
      await transaction.update(
        AutoTopUpEntity,
        { accountId },
        {
          isOn,
          thresholdMillicredits,
          amountCents: dollars * 100,
          monthlyCapCents: monthlyCapDollars * 100,
          ...(isOn ? { consentAtMs: this.parts.clock.nowMs(), consentVersion, ...nothingWrong } : {}),
        },
      );
      await noteEvent(transaction, { accountId, kind: 'auto_top_up_set', detail: isOn ? 'on' : 'off' });
    });
    this.parts.onChange(accountId);
    return this.find(accountId);
  }

  #assertFit(row: AutoTopUpEntity, choice: TopUpChoice, hasConsent: boolean): void {
    assertThreshold(choice, row);
    assertAmounts(choice, row.thresholdMillicredits);
    if (choice.isOn && !(this.#isOurs(row) && readCard(row))) {
      throw new InvalidInputError('isOn', 'Save a card first; the automatic top-up charges it.');
    }
    if (choice.isOn && !hasConsent) {
      throw new InvalidInputError('hasConsent', 'Agree to the automatic charges, or leave them off.');
    }
  }

  /** Opens the page where a card is saved. @throws AppError `forbidden` when nothing is sold here. */
  async startCardSetup(accountId: string): Promise<{ url: string }> {
    const credits = `${this.parts.publicUrl}/credits`;
    return this.#getCards().startCardSetup({ accountId, returnUrl: credits, cancelUrl: credits });
  }

  /** What the page does that the browser comes back to. @throws AppError `not_found` for a setup of somebody else. */
  async confirmCardSetup(accountId: string, setupId: string): Promise<TopUpSettingsView> {
    const setup = await this.#getCards().findCardSetup(setupId);
    if (setup?.accountId !== accountId) throw new AppError('not_found', 'There is no such card setup in your account.');
    await this.keepCardOf(setupId);
    return this.find(accountId);
  }

  /** Keeps the card of a setup that has ended well, unless a newer one is kept. @returns false when it is no setup of ours. */
  async keepCardOf(setupId: string): Promise<boolean> {
    const { cards, unitOfWork } = this.parts;
    const setup = await cards?.findCardSetup(setupId);
    if (!cards || !setup || setup.accountId === null) return false;
    const { accountId, card, begunAtMs } = setup;
    if (card === null) return true;
    await this.#ensureRow(accountId);
    await unitOfWork.transact(async (transaction) => {
      const row = await transaction.findOneBy(AutoTopUpEntity, { accountId });
      if ((row?.cardSavedAtMs ?? 0) > begunAtMs) return;
      const { cardId, brand, last4, expiryMonth, expiryYear } = card;
      await noteEvent(transaction, { accountId, kind: 'card_saved', detail: last4 });
      const isFailed = row?.failure === 'no_card' || row?.failure === 'card_declined';
      await transaction.update(
        AutoTopUpEntity,
        { accountId },
        {
          gateway: cards.name,
          cardId,
          cardBrand: brand.slice(0, 24),
          cardLast4: last4,
          cardExpiryMonth: expiryMonth,
          cardExpiryYear: expiryYear,
          cardSavedAtMs: begunAtMs,
          ...(isFailed ? nothingWrong : {}),
        },
      );
    });
    this.parts.onChange(accountId);
    return true;
  }

  /** @throws AppError `forbidden` when nothing is sold here, or the gateway has no such page. */
  async openBillingPortal(accountId: string): Promise<string> {
    return this.#getCards().openBillingPortal(accountId, `${this.parts.publicUrl}/credits`);
  }

  // A card of another gateway, from the time before this one was set up, is of no use.
  #isOurs(row: AutoTopUpEntity): boolean {
    return row.gateway === this.parts.cards?.name;
  }

  #getCards(): CardGateway {
    const { cards } = this.parts;
    if (!cards) throw new AppError('forbidden', 'Credits are not sold here yet. Ask the operator to set up payments.');
    return cards;
  }

  async #ensureRow(accountId: string): Promise<void> {
    const { unitOfWork } = this.parts;
    if (await unitOfWork.reader.existsBy(AutoTopUpEntity, { accountId })) return;
    try {
      await unitOfWork.transact((transaction) =>
        transaction.insert(AutoTopUpEntity, { accountId, isOn: false, ...suggested, ...nothingWrong, revision: 0 }),
      );
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
  }
}

const nothingWrong = { failure: null, failuresInARow: 0, pausedUntilMs: null } as const;

function readCard(row: AutoTopUpEntity): SavedCard | null {
  if (row.cardId === null) return null;
  return {
    cardId: row.cardId,
    brand: row.cardBrand ?? '',
    last4: row.cardLast4 ?? '',
    expiryMonth: row.cardExpiryMonth ?? 0,
    expiryYear: row.cardExpiryYear ?? 0,
  };
}

/** What an account has after a change. */
function complete(row: AutoTopUpEntity | null, change: TopUpChange): TopUpChoice {
  const { isOn, thresholdMillicredits, amountCents, monthlyCapCents } = row ?? { isOn: false, ...suggested };
  return {
    isOn: change.isOn ?? isOn,
    thresholdMillicredits: change.thresholdMillicredits ?? thresholdMillicredits,
    dollars: change.dollars ?? amountCents / 100,
    monthlyCapDollars: change.monthlyCapDollars ?? monthlyCapCents / 100,
  };
}

function raises(row: AutoTopUpEntity | null, choice: TopUpChoice): boolean {
  if (!choice.isOn) return false;
  if (!row?.isOn || choice.thresholdMillicredits > row.thresholdMillicredits) return true;
  return choice.dollars * 100 > row.amountCents || choice.monthlyCapDollars * 100 > row.monthlyCapCents;
}

// One top-up is to bring the balance up to the threshold, or the next would follow at once. Settings of before this rule that
// are on may be kept and lowered; `top-up-pause.ts` bounds what they cost.
function assertThreshold(choice: TopUpChoice, row: AutoTopUpEntity): void {
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

function assertAmounts({ thresholdMillicredits, dollars, monthlyCapDollars }: TopUpChoice, before: number): void {
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
