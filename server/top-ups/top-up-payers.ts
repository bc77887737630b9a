import type { EntityManager } from 'typeorm';
import { findLastActorId } from '../audit/find-last-actor.js';
import { noteEvent } from '../audit/note-event.js';
import type { Clock } from '../kernel/clock.js';
import type { Outbox } from '../notices/outbox.js';
import { AutoTopUpEntity, type PayerGone } from './auto-top-up.entity.js';
import { forgetAtGateway } from './cards-to-forget.js';
import { noCard } from './kept-card.js';
import { lockSettings } from './lock-top-up.js';
import { describePayerMails, type TopUpEnding } from './payer-mails.js';

/** A person, and an account for which they may pay. */
export interface PayerOf {
  readonly accountId: string;
  readonly personId: string;
}

export interface TopUpPayersParts {
  readonly outbox: Pick<Outbox, 'put'>;
  readonly clock: Clock;
  readonly publicUrl: string;
  /** Whether a person has a role by which they may pay for an account. */
  mayPay(transaction: EntityManager, of: PayerOf): Promise<boolean>;
  /** Everybody whose role lets them pay for an account. */
  listPayers(reader: EntityManager, accountId: string): Promise<readonly string[]>;
  /** What somebody is called, and the address that they have proved to read; null: nobody signs in by it. */
  findPerson(
    transaction: EntityManager,
    accountId: string,
  ): Promise<{ readonly name: string; readonly verifiedEmail: string | null } | null>;
}

/** What ended of a person's. */
export interface EndedOfPayer {
  readonly topUps: number;
  readonly cards: number;
}

/**
 * Whose card an account's automatic top-ups charge: that of the person who saved it, only as that person has agreed, and only while
 * they may pay for the account. Everything here runs in the transaction of the change that makes it necessary.
 */
export class TopUpPayers {
  constructor(private readonly parts: TopUpPayersParts) {}

  /** Whether a person may pay for an account, by the role that they have now. */
  mayPay(transaction: EntityManager, of: PayerOf): Promise<boolean> {
    return this.parts.mayPay(transaction, of);
  }

  /** Whether nobody else may pay for an account. */
  async isOnlyPayer(reader: EntityManager, { accountId, personId }: PayerOf): Promise<boolean> {
    return (await this.parts.listPayers(reader, accountId)).every((payerId) => payerId === personId);
  }

  /** Forgets the card of somebody whose membership was changed or has ended, if they may not pay any more. Both sides are told. */
  async endIfNoPayer(transaction: EntityManager, { accountId, personId }: PayerOf): Promise<void> {
    const row = await lockOf(transaction, { accountId, personId });
    if (row === null || (await this.parts.mayPay(transaction, { accountId, personId }))) return;
    await this.#forget(transaction, row);
  }

  /** Forgets the card of an account that is deleted, whoever saved it. They are told. */
  async forgetCardOf(transaction: EntityManager, accountId: string): Promise<void> {
    const row = await lockSettings(transaction, accountId);
    if (row?.cardId != null) await this.#forget(transaction, row);
  }

  /**
   * Ends what somebody else may have done as a person: a card that was saved since then is forgotten, and an automatic top-up to which
   * was agreed since then is off until the person agrees again. The account is told, where it is somebody else's.
   * @param of.cardsSinceMs null: cards stay. @param of.keptSessionId What was agreed to last in this session stays.
   * @param of.isPersonTold Left out: whoever asks tells the person.
   */
  async endSince(
    transaction: EntityManager,
    of: PayerOf & {
      readonly sinceMs: number;
      readonly cardsSinceMs: number | null;
      readonly keptSessionId?: string;
      readonly isPersonTold?: boolean;
    },
  ): Promise<EndedOfPayer> {
    const { accountId, cardsSinceMs, isPersonTold = false, keptSessionId, personId, sinceMs } = of;
    const row = await lockOf(transaction, of);
    if (row === null) return { topUps: 0, cards: 0 };
    const topUps = row.isOn ? 1 : 0;
    const told = { isPayerTold: isPersonTold, isAccountTold: isPersonTold || accountId !== personId };
    if (cardsSinceMs !== null && (row.cardSavedAtMs ?? 0) >= cardsSinceMs) {
      await this.#forget(transaction, row, told);
      return { topUps, cards: 1 };
    }
    if (!row.isOn || (row.payerConsentAtMs ?? 0) < sinceMs) return { topUps: 0, cards: 0 };
    const agreed = { accountId, kind: 'auto_top_up_set', detail: 'on', personId } as const;
    if (keptSessionId !== undefined && (await findLastActorId(transaction, agreed)) === keptSessionId) {
      return { topUps: 0, cards: 0 };
    }
    await this.#turnOff(transaction, row, told);
    return { topUps, cards: 0 };
  }

  /**
   * Whether the card of these settings, which the caller has locked, may be charged. Where it may not, the automatic top-up is off from
   * now on, and those whom it concerns are told.
   */
  async endUnlessAgreed(transaction: EntityManager, row: AutoTopUpEntity): Promise<boolean> {
    const personId = findPayer(row);
    if (personId === null || !(await this.parts.mayPay(transaction, { accountId: row.accountId, personId }))) {
      await this.#forget(transaction, row);
      return false;
    }
    if (isAgreed(row)) return true;
    await this.#turnOff(transaction, row);
    return false;
  }

  async #forget(transaction: EntityManager, row: AutoTopUpEntity, told?: Partial<TopUpEnding>): Promise<void> {
    const { accountId, cardId, gateway } = row;
    if (cardId !== null && gateway !== null) {
      await forgetAtGateway(transaction, { gateway, cardId, nowMs: this.parts.clock.nowMs() });
    }
    await transaction.update(AutoTopUpEntity, { accountId }, { ...noCard, ...offIfOn(row, 'payer_left') });
    await this.#tell(transaction, row, { isForgotten: true, ...told });
  }

  async #turnOff(transaction: EntityManager, row: AutoTopUpEntity, told?: Partial<TopUpEnding>): Promise<void> {
    const off = { payerConsentAtMs: null, ...offIfOn(row, 'consent_needed') };
    await transaction.update(AutoTopUpEntity, { accountId: row.accountId }, off);
    await this.#tell(transaction, row, { isForgotten: false, ...told });
  }

  async #tell(
    transaction: EntityManager,
    row: AutoTopUpEntity,
    { isForgotten, isAccountTold = true, isPayerTold = true }: Partial<TopUpEnding> & { readonly isForgotten: boolean },
  ): Promise<void> {
    const { clock, outbox, publicUrl } = this.parts;
    const { accountId, isOn } = row;
    if (isOn) await noteEvent(transaction, { accountId, kind: 'auto_top_up_set', detail: 'off' });
    const payerId = findPayer(row);
    const account = await this.parts.findPerson(transaction, accountId);
    const payer = payerId === null ? null : await this.parts.findPerson(transaction, payerId);
    const of = { accountId, account, payerId, payer, isForgotten, wasOn: isOn, isAccountTold, isPayerTold };
    for (const mail of describePayerMails(of, { publicUrl, nowMs: clock.nowMs() })) await outbox.put(transaction, mail);
  }
}

/** Who saved the card of these settings; null: there is none, or nobody knows. */
export function findPayer({ cardId, payerCardId, payerId }: AutoTopUpEntity): string | null {
  return cardId !== null && cardId === payerCardId ? payerId : null;
}

/** Whether whoever saved the card has agreed to these settings as they are. */
export function isAgreed(row: AutoTopUpEntity): boolean {
  return (
    row.isOn && findPayer(row) !== null && row.payerConsentAtMs !== null && row.payerConsentAtMs === row.consentAtMs
  );
}

function offIfOn({ isOn }: AutoTopUpEntity, failure: PayerGone) {
  return isOn ? { isOn: false, failure, failuresInARow: 0, pausedUntilMs: null } : {};
}

/** Locks the settings of an account where the card is this person's, and answers them; else null. The caller holds an account's row. */
async function lockOf(transaction: EntityManager, { accountId, personId }: PayerOf): Promise<AutoTopUpEntity | null> {
  const row = await lockSettings(transaction, accountId);
  return row !== null && findPayer(row) === personId ? row : null;
}
