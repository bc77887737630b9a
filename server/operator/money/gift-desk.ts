import type { EntityManager } from 'typeorm';
import type { SecretBox } from '../../factors/secret-box.js';
import { AppError, InvalidInputError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { formatGroupedCredits, type Millicredits, toMillicredits } from '../../kernel/millicredits.js';
import { type OperatorLog, requireReason } from '../operator-log.js';
import { holdOperatorRow } from '../people/operator-rows.js';
import { actorOf, type OperatorCaller } from '../people/operator-sessions.js';
import { type GiftOrder, MadeGiftCodes } from './made-gift-codes.js';

const giftCodeStates = ['open', 'claimed', 'revoked', 'expired'] as const;
export type GiftCodeState = (typeof giftCodeStates)[number];

/** A code of credits, as it is known once it was shown. */
export interface KnownGiftCode {
  readonly id: string;
  /** The last four characters of it. */
  readonly hint: string;
  readonly creditsMillicredits: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** The account that has its credits. */
  readonly claimedBy: string | null;
  readonly claimedAtMs: number | null;
}

/** One that was just made, in words. */
export interface MadeGiftCode {
  readonly id: string;
  readonly code: string;
}

export interface NewGiftCodes {
  readonly creditsMillicredits: Millicredits;
  /** 1 to 1,000. */
  readonly count: number;
  readonly expiresAtMs: number | null;
}

/** The keeper of gift codes. */
export interface GiftCodeKeeper {
  /**
   * @param first Runs in the transaction that writes them, before it does. @returns null; or those that were made before, which are the
   *   answer then, and nothing is written.
   */
  create(
    wanted: NewGiftCodes,
    first: (transaction: EntityManager, made: readonly MadeGiftCode[]) => Promise<readonly MadeGiftCode[] | null>,
  ): Promise<readonly MadeGiftCode[]>;
  list(page: { readonly first: number; readonly afterId?: string }): Promise<readonly KnownGiftCode[]>;
  /** @param also Runs in the same transaction. @returns false for one that is claimed or revoked, or that there is not. */
  revoke(id: string, also: (transaction: EntityManager) => Promise<void>): Promise<boolean>;
}

export interface GiftDeskParts {
  readonly log: OperatorLog;
  readonly gifts: GiftCodeKeeper;
  readonly clock: Clock;
  readonly secretBox: Pick<SecretBox, 'seal' | 'open'>;
  /** A time that has surely come, as `ProvenTime` reads it: a day is over only when it surely is. Milliseconds since 1970. */
  findBelievedMs(transaction: EntityManager): Promise<number>;
  /** What one operator may give away by codes in 24 hours. */
  readonly aloneMaxMillicredits: number;
}

const dayMs = 24 * 60 * 60_000;

/**
 * Codes of credits that operators give away. Each change stands in the log, in its transaction. Whoever has the code has the credits, so
 * what one operator gives away in a day has the same bound as what they give to an account.
 */
export class GiftDesk {
  readonly #madeCodes: MadeGiftCodes;

  constructor(private readonly parts: GiftDeskParts) {
    this.#madeCodes = new MadeGiftCodes(parts.secretBox);
  }

  /**
   * Makes codes, which are shown to whoever asked for them alone.
   * @param by null: whoever works on the server's own machine, who is bound by nothing, and whose `once` is not asked for.
   * @param once The same word of the same operator within 24 hours is answered with the same codes; null: each time makes others.
   * @throws InvalidInputError naming `credits`, `count`, `expiresAt` or `reason`; AppError `forbidden` above what one operator may give
   *   away; with a word, what `MadeGiftCodes.find` throws.
   */
  async create(
    wanted: NewGiftCodes,
    reason: string,
    by: OperatorCaller | null,
    once: string | null = null,
  ): Promise<readonly MadeGiftCode[]> {
    const words = requireReason(reason);
    const log = this.#logOf(by);
    const order = by === null || once === null ? null : this.#toOrder(by, once, { ...wanted, reason: words });
    return this.parts.gifts.create(wanted, async (transaction, made) => {
      // One order of an operator at a time, so that the same at its side finds what this one has made.
      if (by !== null) await holdOperatorRow(transaction, by.operatorId);
      const before = order && (await this.#madeCodes.find(transaction, order));
      if (before) return before;
      const amountMillicredits = toMillicredits(wanted.creditsMillicredits * made.length);
      if (by !== null) await this.#requireAlone(transaction, by, amountMillicredits);
      const subject = made[0]?.id ?? '';
      await log.write(transaction, { action: 'create_gift_codes', subject, amountMillicredits, reason: words });
      if (order) await this.#madeCodes.note(transaction, order, made);
      return null;
    });
  }

  /** The newest first. @throws InvalidInputError for `first` outside of 1 to 100. */
  async list(page: { readonly first: number; readonly afterId?: string }) {
    if (!(page.first >= 1 && page.first <= 100)) throw new InvalidInputError('first', 'Ask for 1 to 100.');
    const nowMs = this.parts.clock.nowMs();
    const codes = await this.parts.gifts.list(page);
    return codes.map((code) => ({ ...code, state: stateOf(code, nowMs) }));
  }

  /** Ends a code that nobody has claimed. @throws InvalidInputError for the reason; AppError `not_found`. */
  async revoke(id: string, reason: string, by: OperatorCaller | null): Promise<void> {
    const words = requireReason(reason);
    const log = this.#logOf(by);
    const isRevoked = await this.parts.gifts.revoke(id, (transaction) =>
      log.write(transaction, { action: 'revoke_gift_code', subject: id, reason: words }),
    );
    if (!isRevoked)
      throw new AppError('not_found', 'There is no such code that is still open. Its id begins with gift_.');
  }

  #toOrder({ operatorId }: OperatorCaller, once: string, wanted: GiftOrder['wanted']): GiftOrder {
    return { operatorId, once, wanted, nowMs: this.parts.clock.nowMs() };
  }

  #logOf(by: OperatorCaller | null): OperatorLog {
    return by === null ? this.parts.log : this.parts.log.by(actorOf(by));
  }

  async #requireAlone(transaction: EntityManager, { operatorId }: OperatorCaller, amount: number): Promise<void> {
    const { aloneMaxMillicredits, clock, findBelievedMs, log } = this.parts;
    const sinceMs = Math.max(0, Math.min(clock.nowMs(), await findBelievedMs(transaction)) - dayMs);
    const since = { operatorId, action: 'create_gift_codes', sinceMs } as const;
    const given = await log.sumOf(transaction, since);
    if (given + amount <= aloneMaxMillicredits) return;
    const [max, before] = [aloneMaxMillicredits, given].map((credits) => formatGroupedCredits(toMillicredits(credits)));
    throw new AppError(
      'forbidden',
      `One operator gives away ${max} credits by codes in 24 hours, and you gave ${before}. Have another one make the rest.`,
    );
  }
}

function stateOf({ claimedBy, revokedAtMs, expiresAtMs }: KnownGiftCode, nowMs: number): GiftCodeState {
  if (claimedBy !== null) return 'claimed';
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'open';
}
