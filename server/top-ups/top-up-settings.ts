import type { EntityManager } from 'typeorm';
import { noteEvent } from '../audit/note-event.js';
import { allowDuplicate } from '../database/database-errors.js';
import { holdAccountRow } from '../database/hold-account-row.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import { assertInvariant } from '../kernel/assert.js';
import type { Clock } from '../kernel/clock.js';
import { readWallet } from '../ledger/read-wallet.js';
import type { CardGateway, SavedCard } from '../purchases/card-gateway.js';
import { AutoTopUpEntity, type TopUpFailure } from './auto-top-up.entity.js';
import { forgetAtGateway, forgetAtOnce } from './cards-to-forget.js';
import { readCard } from './kept-card.js';
import { lockTopUp } from './lock-top-up.js';
import {
  assertAmounts,
  assertThreshold,
  complete,
  raises,
  suggested,
  type TopUpChange,
  type TopUpChoice,
} from './top-up-choice.js';
import { sumSinceMonth } from './top-up-month.js';
import { seemsPaused } from './top-up-pause.js';
import { findPayer, isAgreed, type PayerOf, type TopUpPayers } from './top-up-payers.js';

export interface TopUpSettingsParts {
  readonly unitOfWork: UnitOfWork;
  /** null: nothing is sold here. */
  readonly cards: CardGateway | null;
  readonly payers: Pick<TopUpPayers, 'mayPay' | 'isOnlyPayer'>;
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
  /** The person who saved it; null: there is none, or nobody knows. */
  readonly payerId: string | null;
  /** When its owner agreed last, and to which wording. */
  readonly consentAtMs: number | null;
  readonly consentVersion: string | null;
  readonly failure: TopUpFailure | null;
  readonly pausedUntilMs: number | null;
}

/** What its owner agrees to; a change of the sense is a new version, which is kept with the consent. */
export const consentVersion = '2026-11';
export const consentText =
  'I agree that my saved card is charged this amount, without asking me each time, whenever my balance falls below the threshold, and never more than the monthly limit. I can turn this off at any time.';

/** What an account wants to be bought while nobody looks, and by which card. */
export class TopUpSettings {
  constructor(private readonly parts: TopUpSettingsParts) {}

  async find(accountId: string): Promise<TopUpSettingsView> {
    const { clock, unitOfWork } = this.parts;
    const row = await unitOfWork.reader.findOneBy(AutoTopUpEntity, { accountId });
    const nowMs = clock.nowMs();
    const boughtThisMonthCents = await sumSinceMonth(unitOfWork.reader, accountId, { fromMs: nowMs, toMs: nowMs });
    return {
      isOn: row?.isOn ?? false,
      thresholdMillicredits: row?.thresholdMillicredits ?? null,
      amountCents: row?.amountCents ?? null,
      monthlyCapCents: row?.monthlyCapCents ?? null,
      boughtThisMonthCents,
      card: row && this.#isOurs(row) ? readCard(row) : null,
      payerId: row && this.#isOurs(row) ? findPayer(row) : null,
      consentAtMs: row?.consentAtMs ?? null,
      consentVersion: row?.consentVersion ?? null,
      failure: row?.failure ?? null,
      pausedUntilMs: row?.pausedUntilMs ?? null,
    };
  }

  /** Below which balance a top-up would be tried now; null: none would be. Paused and capped ones are left to the sweep. */
  async findThreshold(accountId: string): Promise<number | null> {
    const row = await this.parts.unitOfWork.reader.findOneBy(AutoTopUpEntity, { accountId, isOn: true });
    if (!row || row.failure === 'monthly_cap' || seemsPaused(row, this.parts.clock.nowMs())) return null;
    return row.thresholdMillicredits;
  }

  /** Whether this would have the card charged where it is not charged now, or more, or sooner. */
  async raises(accountId: string, change: TopUpChange): Promise<boolean> {
    const row = await this.parts.unitOfWork.reader.findOneBy(AutoTopUpEntity, { accountId });
    return raises(row, complete(row, change));
  }

  /**
   * Changes the settings, by what they are when it is their turn. Turning it on wants a saved card and the consent of whoever saved it,
   * which is kept with its time and wording, and forgets earlier failures. Others who may pay turn it off and lower it, which leaves that
   * consent as it is.
   * @param by Who asks. @param mayRaise false: whoever asks was asked for no fresh proof, since nothing was to be raised.
   * @throws InvalidInputError naming the field; AppError `forbidden` when nothing is sold here, and for raising what another person's card
   *   is charged; `conflict` when the settings were lowered meanwhile, so that this would raise them.
   */
  async set({ accountId, personId }: PayerOf, change: TopUpChange, mayRaise = true): Promise<TopUpSettingsView> {
    this.#getCards();
    await this.#ensureRow(accountId);
    await this.parts.unitOfWork.transact(async (transaction) => {
      const row = await lockTopUp(transaction, accountId);
      assertInvariant(row !== null, 'an account has settings of its top-up before they are changed');
      const choice = complete(row, change);
      const isPayer = findPayer(row) === personId;
      this.#assertFit(row, choice, change.hasConsent || !isPayer);
      if (choice.isOn && !isPayer && raises(row, choice)) throw cardOfAnother();
      if (!mayRaise && raises(row, choice)) {
        throw new AppError('conflict', 'The automatic top-up was changed just now. Look at it, and ask again.');
      }
      const { isOn, thresholdMillicredits, dollars, monthlyCapDollars } = choice;
      const nowMs = this.parts.clock.nowMs();
      const consent = { consentAtMs: nowMs, payerConsentAtMs: nowMs, consentVersion, ...nothingWrong };
      await transaction.update(
        AutoTopUpEntity,
        { accountId },
        {
          isOn,
          thresholdMillicredits,
          amountCents: dollars * 100,
          monthlyCapCents: monthlyCapDollars * 100,
          ...(isOn && isPayer ? consent : {}),
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

  /** Opens the page where a person saves a card of theirs. @throws AppError `forbidden` when nothing is sold here. */
  async startCardSetup(payer: PayerOf): Promise<{ url: string }> {
    const credits = `${this.parts.publicUrl}/credits`;
    return this.#getCards().startCardSetup({ ...payer, returnUrl: credits, cancelUrl: credits });
  }

  /** What the page does that the browser comes back to. @throws AppError `not_found` for a setup of somebody else. */
  async confirmCardSetup({ accountId, personId }: PayerOf, setupId: string): Promise<TopUpSettingsView> {
    const setup = await this.#getCards().findCardSetup(setupId);
    if (setup?.accountId !== accountId || setup.personId !== personId) {
      throw new AppError('not_found', 'There is no such card setup of yours in this account. Save the card again.');
    }
    await this.keepCardOf(setupId);
    return this.find(accountId);
  }

  /**
   * Keeps the card of a setup that has ended well, as that of the person who began it, unless a newer one is kept. A setup that names no
   * person, as those of the release before, keeps none. The card of somebody who may not pay any more is forgotten at once, as is the one
   * that was kept before; another person's is charged from their own consent on.
   * @returns false when it is no setup of ours.
   */
  async keepCardOf(setupId: string): Promise<boolean> {
    const { cards, unitOfWork } = this.parts;
    const setup = await cards?.findCardSetup(setupId);
    if (!cards || !setup || setup.accountId === null) return false;
    const { accountId, card, personId } = setup;
    // Of another Tollgate that sells by the same account of the gateway.
    if ((await readWallet(unitOfWork.reader, accountId)) === null) return false;
    if (card === null || personId === null) return true;
    await this.#ensureRow(accountId);
    const payer = { accountId, personId };
    await unitOfWork.transact((transaction) =>
      this.#keepCard(transaction, payer, { gateway: cards.name, card, begunAtMs: setup.begunAtMs }),
    );
    this.parts.onChange(accountId);
    return true;
  }

  async #keepCard(
    transaction: EntityManager,
    { accountId, personId }: PayerOf,
    { gateway, card, begunAtMs }: { readonly gateway: string; readonly card: SavedCard; readonly begunAtMs: number },
  ): Promise<void> {
    const row = await lockTopUp(transaction, accountId);
    assertInvariant(row !== null, 'an account has settings of its top-up before a card is kept');
    if (isOldNews(row, begunAtMs)) return;
    const { cardId, brand, last4, expiryMonth, expiryYear } = card;
    const forget = (of: { gateway: string; cardId: string }) =>
      forgetAtGateway(transaction, { ...of, nowMs: this.parts.clock.nowMs() });
    if (!(await this.parts.payers.mayPay(transaction, { accountId, personId }))) return forget({ gateway, cardId });
    if (row.cardId !== null && row.gateway !== null && row.cardId !== cardId) {
      await forget({ gateway: row.gateway, cardId: row.cardId });
    }
    await noteEvent(transaction, { accountId, kind: 'card_saved', detail: last4 });
    const goesOn = isAgreed(row) && findPayer(row) === personId;
    if (row.isOn && !goesOn) await noteEvent(transaction, { accountId, kind: 'auto_top_up_set', detail: 'off' });
    const isFailed = ['no_card', 'card_declined', 'canceled', 'payer_left', 'consent_needed'].includes(
      row.failure ?? '',
    );
    await transaction.update(
      AutoTopUpEntity,
      { accountId },
      {
        gateway,
        cardId,
        cardBrand: brand.slice(0, 24),
        cardLast4: last4,
        cardExpiryMonth: expiryMonth,
        cardExpiryYear: expiryYear,
        cardSavedAtMs: begunAtMs,
        ...{ payerId: personId, payerCardId: cardId, payerConsentAtMs: goesOn ? row.payerConsentAtMs : null },
        isOn: goesOn,
        ...(isFailed ? nothingWrong : {}),
      },
    );
  }

  /**
   * Opens the gateway's own page, where whoever has it sees and removes every card that is kept for the account: for the person who holds
   * all of them, and for nobody else. A card that was not saved here may be anybody's who may pay.
   * @throws AppError `forbidden` when a card there is, or may be, another person's; when nothing is sold here, or there is no such page.
   */
  async openBillingPortal({ accountId, personId }: PayerOf): Promise<string> {
    const cards = this.#getCards();
    const { payers, publicUrl, unitOfWork } = this.parts;
    const cardIds = await forgetAtOnce({ unitOfWork, cards }, await cards.listCardIds(accountId));
    const row = await unitOfWork.reader.findOneBy(AutoTopUpEntity, { accountId });
    const holderId = row && findPayer(row);
    const others = cardIds.filter((cardId) => cardId !== row?.cardId);
    const isChargedOfOther = others.length < cardIds.length && holderId !== personId;
    const mayBeOfOther = others.length > 0 && !(await payers.isOnlyPayer(unitOfWork.reader, { accountId, personId }));
    if (isChargedOfOther || mayBeOfOther) throw cardsOfOthers();
    return cards.openBillingPortal(accountId, `${publicUrl}/credits`);
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
    const row = { accountId, isOn: false, ...suggested, ...nothingWrong, revision: 0 };
    await allowDuplicate(
      unitOfWork.transact(async (transaction) => {
        await holdAccountRow(transaction, accountId);
        await transaction.insert(AutoTopUpEntity, row);
      }),
    );
  }
}

// News of a newer card was here first; or this very card was kept and is forgotten, and its news comes late or once more.
function isOldNews({ cardId, cardSavedAtMs }: AutoTopUpEntity, begunAtMs: number): boolean {
  return cardSavedAtMs !== null && (cardSavedAtMs > begunAtMs || (cardSavedAtMs === begunAtMs && cardId === null));
}

function cardsOfOthers(): AppError {
  const words =
    'The payment service keeps a card for this account that is another person’s, or may be, and its page would let you remove it. Receipts and invoices stand beside each purchase here. To pay by a card of your own, save it here: it takes the place of the one that is charged.';
  return new AppError('forbidden', words);
}

function cardOfAnother(): AppError {
  const words =
    'The saved card is another person’s: only whoever saved it turns the automatic top-up on, or raises what it is charged. Save a card of your own for that.';
  return new AppError('forbidden', words);
}

const nothingWrong = { failure: null, failuresInARow: 0, pausedUntilMs: null } as const;
