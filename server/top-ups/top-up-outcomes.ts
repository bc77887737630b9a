import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { formatGroupedCredits, type Millicredits } from '../kernel/millicredits.js';
import { balanceAfter, type SideWrite } from '../ledger/companion-write.js';
import { type NewNotice, type Outbox, toNoticeInsert } from '../notices/outbox.js';
import { describeCredits } from '../purchases/checkout/credit-packs.js';
import type { Purchase } from '../purchases/purchase-rows.js';
import { type AttemptFailure, AutoTopUpEntity, type MoneyBack, type TakenBack } from './auto-top-up.entity.js';
import { AutoTopUpChargeEntity } from './auto-top-up-charge.entity.js';
import { noCard } from './kept-card.js';
import { lockTopUp } from './lock-top-up.js';
import { findPauseMs } from './top-up-pause.js';

export interface TopUpOutcomesParts {
  readonly unitOfWork: UnitOfWork;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly publicUrl: string;
  findEmail(accountId: string): Promise<string | null>;
}

/** A card that is of no use any more. */
export interface ForgottenCard {
  readonly accountId: string;
  /** The payment gateway that kept it. */
  readonly gateway: string;
  /** What the owner is told of once. */
  readonly subject: string;
}

/** Credits that an operator takes back. */
export interface TakenCredits {
  readonly accountId: string;
  /** Of the line that says so in the operator's log. */
  readonly eventId: string;
  readonly amountMillicredits: Millicredits;
}

interface TurnedOff {
  readonly failure: MoneyBack;
  /** What it is for. */
  readonly subject: string;
  readonly sentence: string;
  /** Who is told; null: nobody can be. */
  readonly email: string | null;
}

const hourMs = 60 * 60 * 1_000;

/** How automatic top-ups end: what is remembered of it, and what their owner is told. */
export class TopUpOutcomes {
  constructor(private readonly parts: TopUpOutcomesParts) {}

  /**
   * Ends the top-up that a purchase belongs to, once, when the purchase is paid or over. Any other purchase is none of its
   * business. A payment that came after all counts, even if it was taken for failed.
   */
  async finish(purchase: Purchase, failureCode: string | null): Promise<void> {
    if (purchase.status === 'pending') return;
    const { logger, unitOfWork } = this.parts;
    const { id: purchaseId, accountId } = purchase;
    const state = purchase.status === 'paid' ? 'paid' : 'failed';
    const charge = await unitOfWork.reader.findOneBy(AutoTopUpChargeEntity, { purchaseId });
    if (!charge || charge.state === state || charge.state === 'paid') return;
    const email = await this.parts.findEmail(accountId);
    const hasEnded = await unitOfWork.transactForServer(async (transaction) => {
      const change = { state, openFor: null } as const;
      const { affected } = await transaction.update(AutoTopUpChargeEntity, { purchaseId, state: charge.state }, change);
      if (affected !== 1) return false;
      if (state === 'paid') await this.#rememberSuccess(transaction, purchase, email);
      else await this.#rememberFailure(transaction, purchase, { failure: toFailure(failureCode), email });
      return true;
    });
    if (hasEnded) logger.info('top_up_ended', { purchaseId, accountId, state, failureCode });
  }

  /** Remembers, in the caller's transaction, that the monthly limit keeps a top-up from being made; tells it once a month. */
  async tellOfCap(transaction: EntityManager, settings: AutoTopUpEntity, monthUtc: string): Promise<void> {
    const { accountId, monthlyCapCents } = settings;
    if (settings.failure !== 'monthly_cap') {
      await transaction.update(AutoTopUpEntity, { accountId }, { failure: 'monthly_cap', pausedUntilMs: null });
    }
    const email = await this.parts.findEmail(accountId);
    await this.#tell(transaction, email, {
      subjectKey: `top-up-cap:${accountId}:${monthUtc}`,
      accountId,
      title: 'Your automatic top-up has reached its monthly limit',
      body: `Your balance is below your threshold, and another automatic top-up would exceed your limit of $${monthlyCapCents / 100} for this month. Nothing was charged. Buy credits or raise the limit here:`,
    });
  }

  /**
   * Turns an account's automatic top-up off, because money of one of its purchases goes back: what was given back by anybody's decision
   * is not taken again before its owner agrees anew. One that is on is told of by mail; one that is off stays as it is.
   */
  async turnOff({ id, accountId, amountCents }: Purchase, why: 'refund' | 'dispute'): Promise<void> {
    const failure = moneyBack[why];
    const sentence = `${moneyBackSentences[failure](amountCents / 100)} So that this money is not taken again, your saved card is not charged any more.`;
    const email = await this.parts.findEmail(accountId);
    const ending = { failure, subject: id, sentence, email };
    const end = (transaction: EntityManager) => this.#turnOffIn(transaction, accountId, ending);
    const isTurnedOff = await this.parts.unitOfWork.transactForServer(end);
    if (isTurnedOff) this.parts.logger.info('top_up_turned_off', { purchaseId: id, accountId, failure });
  }

  /**
   * What the ledger writes in the transaction in which an operator takes credits back. Where that leaves less than the threshold, it turns the automatic
   * top-up off: a card is charged for what calls have used, and for no correction, which may be a mistake. Its owner is told.
   */
  async findTakeBackWrites({ accountId, amountMillicredits, eventId }: TakenCredits): Promise<readonly SideWrite[]> {
    const setOff = `account_id = ? AND is_on = ? AND threshold_millicredits > ?`;
    const values = [accountId, 1, balanceAfter];
    // First, so that the mail and the turning off see the same row, and a charge that begins at this moment is waited for, or waits.
    const lock = { sql: `UPDATE auto_top_up SET revision = revision + 1 WHERE ${setOff}`, values };
    const off = {
      sql: `UPDATE auto_top_up SET is_on = ?, failure = ?, failures_in_a_row = 0, paused_until_ms = NULL WHERE ${setOff}`,
      values: [0, 'taken_back' satisfies TakenBack, ...values],
    };
    const recipient = await this.parts.findEmail(accountId);
    if (recipient === null) return [lock, off];
    const sentence = `Whoever runs this service has taken ${formatGroupedCredits(amountMillicredits)} credits of your account back. So that your saved card is not charged because of that, it is not charged any more.`;
    const notice = this.#toMail(recipient, {
      subjectKey: `top-up-off:${eventId}`,
      accountId,
      ...wordTurnedOff(sentence),
    });
    const mail = toNoticeInsert(notice, this.parts.clock.nowMs(), { table: 'auto_top_up', where: setOff, values });
    return [lock, mail, off];
  }

  async #turnOffIn(
    transaction: EntityManager,
    accountId: string,
    { failure, subject, sentence, email }: TurnedOff,
  ): Promise<boolean> {
    const off = { isOn: false, failure, failuresInARow: 0, pausedUntilMs: null } as const;
    const { affected } = await transaction.update(AutoTopUpEntity, { accountId, isOn: true }, off);
    if (affected !== 1) return false;
    await this.#tell(transaction, email, {
      // Turned on again it may be turned off again, by another refund of the same purchase.
      subjectKey: `top-up-off:${subject}:${this.parts.clock.nowMs()}`,
      accountId,
      ...wordTurnedOff(sentence),
    });
    return true;
  }

  /**
   * Forgets an account's saved card in the caller's transaction: it is of no use any more. An automatic top-up by it is turned off,
   * and its owner is told so, once for a subject.
   */
  async forgetCard(transaction: EntityManager, { accountId, gateway, subject }: ForgottenCard): Promise<void> {
    await lockTopUp(transaction, accountId);
    await transaction.update(AutoTopUpEntity, { accountId, gateway }, noCard);
    const off = { isOn: false, failure: 'no_card', pausedUntilMs: null } as const;
    const { affected } = await transaction.update(AutoTopUpEntity, { accountId, gateway, isOn: true }, off);
    if (affected !== 1) return;
    await this.#tell(transaction, await this.parts.findEmail(accountId), {
      subjectKey: `top-up-failed:${subject}`,
      accountId,
      title: 'Your automatic top-up is off',
      body: 'Your saved card was removed. Nothing was charged. The automatic top-up is off until you turn it on again. Save another card here:',
    });
  }

  async #rememberSuccess(transaction: EntityManager, purchase: Purchase, email: string | null): Promise<void> {
    const { id, accountId, amountCents } = purchase;
    const nothingWrong = { failure: null, failuresInARow: 0, pausedUntilMs: null };
    await transaction.update(AutoTopUpEntity, { accountId, isOn: true }, nothingWrong);
    await this.#tell(transaction, email, {
      subjectKey: `top-up-paid:${id}`,
      accountId,
      title: `Your balance was topped up by ${describeCredits(purchase)}`,
      body: `Your balance had fallen below your threshold, so your saved card was charged $${amountCents / 100}, as you agreed. The purchase and its receipt are here:`,
    });
  }

  async #rememberFailure(
    transaction: EntityManager,
    purchase: Purchase,
    { failure, email }: { failure: AttemptFailure; email: string | null },
  ): Promise<void> {
    const { id, accountId, amountCents } = purchase;
    const settings = await transaction.findOneBy(AutoTopUpEntity, { accountId });
    const failuresInARow = (settings?.failuresInARow ?? 0) + (failure === 'no_answer' ? 0 : 1);
    const pauseMs = settings?.isOn ? findPauseMs({ failure, failuresInARow }) : undefined;
    const pausedUntilMs = pauseMs === undefined ? null : this.parts.clock.nowMs() + pauseMs;
    const change = { failure, failuresInARow, pausedUntilMs, isOn: pauseMs !== undefined };
    // One that was turned off meanwhile stays off, and keeps why.
    await transaction.update(AutoTopUpEntity, { accountId, isOn: true }, change);
    const next =
      pauseMs === undefined
        ? 'The automatic top-up is off until you turn it on again.'
        : `We will try again in ${pauseMs / hourMs} hour(s) at the earliest.`;
    await this.#tell(transaction, email, {
      subjectKey: `top-up-failed:${id}`,
      accountId,
      title: 'Your automatic top-up failed',
      body: `${sentences[failure]} We tried to charge $${amountCents / 100}. Nothing was charged. ${next} Buy credits, or save another card, here:`,
    });
  }

  async #tell(
    transaction: EntityManager,
    email: string | null,
    notice: Pick<NewNotice, 'subjectKey' | 'accountId' | 'title' | 'body'>,
  ): Promise<void> {
    if (email !== null) await this.parts.outbox.put(transaction, this.#toMail(email, notice));
  }

  #toMail(recipient: string, notice: Pick<NewNotice, 'subjectKey' | 'accountId' | 'title' | 'body'>): NewNotice {
    const body = `${notice.body}\n${this.parts.publicUrl}/credits\n`;
    return { ...notice, body, channel: 'email', recipient };
  }
}

function wordTurnedOff(sentence: string) {
  return {
    title: 'Your automatic top-up was turned off',
    body: `${sentence} Calls work as long as you have credits. You can turn the automatic top-up on again here:`,
  };
}

const moneyBack = { refund: 'refunded', dispute: 'disputed' } as const satisfies Record<string, MoneyBack>;

const moneyBackSentences: Readonly<Record<MoneyBack, (dollars: number) => string>> = {
  refunded: (dollars) => `Your purchase for $${dollars} was refunded, in full or in part.`,
  disputed: (dollars) => `Your purchase for $${dollars} is disputed with your bank.`,
};

const sentences: Readonly<Record<AttemptFailure, string>> = {
  card_declined: 'Your card was declined.',
  canceled: 'The payment was canceled before it was taken.',
  authentication_required:
    'Your bank requires you to confirm this payment yourself, so it cannot be made automatically.',
  no_card: 'Your saved card was removed.',
  no_answer: 'The payment did not go through.',
  monthly_cap: 'The monthly limit is reached.',
};

function toFailure(code: string | null): AttemptFailure {
  if (code === null) return 'no_answer';
  if (code === 'no_card' || code === 'authentication_required' || code === 'canceled') return code;
  return 'card_declined';
}
