import { createHash, randomInt } from 'node:crypto';
import { type EntityManager, IsNull, LessThan } from 'typeorm';
import { removeOldEvents, toEventInsert } from '../audit/note-event.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { networkOf } from '../kernel/addresses/network-address.js';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import type { AttemptCounter, OpenAttemptCounter } from '../kernel/attempt-counter.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { findWaitMs } from '../kernel/jobs/count-in-all.js';
import { RunningAttempts } from '../kernel/jobs/running-attempts.js';
import { type Millicredits, requireNamedAmount, toMillicredits } from '../kernel/millicredits.js';
import type { Ledger } from '../ledger/ledger.js';
import { walletFull } from '../ledger/wallet-room.js';
import { GiftCodeEntity } from './gift-code.entity.js';

export interface GiftCodesParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: Pick<Ledger, 'grantCredits'>;
  readonly clock: Clock;
  readonly openCounter: OpenAttemptCounter;
}

export type GiftCode = Readonly<Omit<GiftCodeEntity, 'codeHash'>>;

/** A code that was just made, in words. */
export interface MadeGiftCode {
  readonly id: string;
  readonly code: string;
}

const nothingElse = async () => null;
// Without letters and digits that look alike: 20 of these are 99 bits, which nobody guesses.
const alphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const codeLength = 20;
const attemptsPerHourMax = 10;
const codesAtOnceMax = 1_000;

/** Credits that the operator gives away, each to whoever claims its code first. */
export class GiftCodes {
  readonly #byAccount: AttemptCounter;
  readonly #byNetwork: AttemptCounter;
  readonly #running: RunningAttempts;

  constructor(private readonly parts: GiftCodesParts) {
    const windowMs = 3_600_000;
    this.#byAccount = parts.openCounter({ kind: 'gift code account', max: attemptsPerHourMax, windowMs });
    this.#byNetwork = parts.openCounter({ kind: 'gift code network', max: attemptsPerHourMax * 3, windowMs });
    this.#running = new RunningAttempts(parts.openCounter, 'gift code');
  }

  /**
   * @param first Runs in the transaction that writes them, before it does. @returns null; or those that were made before for the same
   *   request, which are the answer then, and nothing is written.
   * @returns the codes in words: only their hashes are kept here.
   * @throws InvalidInputError naming `credits`, `count` (1 to 1,000) or `expiresAt`.
   */
  async create(
    input: { readonly creditsMillicredits: Millicredits; readonly count: number; readonly expiresAtMs: number | null },
    first: (
      transaction: EntityManager,
      made: readonly MadeGiftCode[],
    ) => Promise<readonly MadeGiftCode[] | null> = nothingElse,
  ): Promise<readonly MadeGiftCode[]> {
    const { creditsMillicredits, count, expiresAtMs } = input;
    requireNamedAmount(creditsMillicredits, { name: 'credits', words: 'A gift', least: 1 });
    if (!Number.isInteger(count) || count < 1 || count > codesAtOnceMax)
      throw new InvalidInputError('count', `Make 1 to ${codesAtOnceMax} codes at once.`);
    const createdAtMs = this.parts.clock.nowMs();
    const made = Array.from({ length: count }, () => ({ id: createId('giftCode'), code: makeCode() }));
    const rows = made.map(({ id, code }) => ({
      id,
      codeHash: hashCode(code),
      hint: code.slice(-4),
      creditsMillicredits,
      expiresAtMs,
      revokedAtMs: null,
      claimedBy: null,
      claimedAtMs: null,
      createdAtMs,
    }));
    return this.parts.unitOfWork.transact(async (transaction) => {
      const before = await first(transaction, made);
      if (before !== null) return before;
      if (expiresAtMs !== null && expiresAtMs <= createdAtMs)
        throw new InvalidInputError('expiresAt', 'A code expires in the future.');
      await transaction.insert(GiftCodeEntity, rows);
      return made;
    });
  }

  /** Newest first. */
  async list({ first, afterId }: { readonly first: number; readonly afterId?: string }): Promise<readonly GiftCode[]> {
    const where = afterId === undefined ? {} : { id: LessThan(afterId) };
    return this.parts.unitOfWork.reader.find(GiftCodeEntity, { where, order: { id: 'DESC' }, take: first });
  }

  /**
   * @param also Runs in the same transaction, once the code is revoked.
   * @returns false for a code that is claimed or revoked already, or that there is not.
   */
  async revoke(id: string, also: (transaction: EntityManager) => Promise<unknown> = nothingElse): Promise<boolean> {
    return this.parts.unitOfWork.transact(async (transaction) => {
      const open = { id, claimedBy: IsNull(), revokedAtMs: IsNull() };
      const { affected } = await transaction.update(GiftCodeEntity, open, { revokedAtMs: this.parts.clock.nowMs() });
      if (affected === 1) await also(transaction);
      return affected === 1;
    });
  }

  /**
   * Grants a code's credits to an account, once, whoever claims it at the same time: claiming and granting are one
   * transaction. Its own claimant is told the same again.
   * @throws AppError `conflict` where the account has no room for it; `not_found` in the same words for a wrong, claimed, revoked or expired code; `rate_limit_exceeded` after
   *   ten wrong ones of an account, or thirty of an address, in an hour.
   */
  async redeem(input: { accountId: string; address: string; code: string }): Promise<{ creditsMillicredits: number }> {
    const { accountId, address } = input;
    const names = await this.#beginAttempt(accountId, address);
    let isWrong = false;
    try {
      return await this.#redeem(input);
    } catch (error) {
      isWrong = error instanceof AppError && error.code === 'not_found';
      throw error;
    } finally {
      // Where the account is full, or the database is away, nothing was guessed.
      if (!isWrong) await this.#forgive(accountId, address);
      await Promise.all(names.map((name) => this.#running.end(name)));
    }
  }

  async #redeem({ accountId, code: typed }: { accountId: string; code: string }) {
    const { clock, ledger, unitOfWork } = this.parts;
    const nowMs = clock.nowMs();
    const code = await unitOfWork.reader.findOneBy(GiftCodeEntity, { codeHash: hashCode(typed) });
    if (!code || (code.claimedBy !== null && code.claimedBy !== accountId)) throw notClaimable();
    const result = await ledger.grantCredits({
      transferId: `grant:gift:${code.id}`,
      type: 'grant',
      accountId,
      amountMillicredits: toMillicredits(code.creditsMillicredits),
      companion: {
        sql: `UPDATE gift_code SET claimed_by = ?, claimed_at_ms = ? WHERE id = ? AND claimed_by IS NULL
              AND revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ?)`,
        values: [accountId, nowMs, code.id, nowMs],
        also: [toEventInsert({ accountId, kind: 'gift_claimed', subjectId: code.id })],
      },
    });
    if (result.status === 'refused' && result.reason === 'wallet_full') throw walletFull();
    // A replay is told apart by the row: only its claimant may hear of it.
    if (result.status === 'refused') throw notClaimable();
    if (result.isReplay) {
      const claimed = await unitOfWork.reader.findOneBy(GiftCodeEntity, { id: code.id });
      if (claimed?.claimedBy !== accountId) throw notClaimable();
    } else {
      await unitOfWork.transactForServer((transaction) => removeOldEvents(transaction, accountId));
    }
    return { creditsMillicredits: code.creditsMillicredits };
  }

  /** Right codes side by side wait for each other. @returns the names under which the attempt runs. */
  async #beginAttempt(accountId: string, address: string): Promise<readonly string[]> {
    const network = networkOf(address);
    const { waitMs } = await this.#running.begin(network, () => this.#byNetwork.count(network));
    const ofAccount = { counter: this.#byAccount, max: attemptsPerHourMax, name: accountId };
    // Whoever waits for one window need not be told then of the other.
    if (waitMs > 0) throw tooMany(Math.max(waitMs, await findWaitMs(ofAccount)));
    try {
      const standing = await this.#running.begin(accountId, () => this.#byAccount.count(accountId));
      if (standing.waitMs > 0) throw tooMany(standing.waitMs);
    } catch (error) {
      // Nothing was tried.
      await this.#byNetwork.forgive(network);
      await this.#running.end(network);
      throw error;
    }
    return [network, accountId];
  }

  async #forgive(accountId: string, address: string): Promise<void> {
    await Promise.all([this.#byNetwork.forgive(networkOf(address)), this.#byAccount.forgive(accountId)]);
  }
}

function tooMany(waitMs: number): AppError {
  const words = `Too many wrong codes. Try again in ${Math.ceil(waitMs / 60_000)} minute(s).`;
  return new AppError('rate_limit_exceeded', words, { retryAfterMs: waitMs });
}

function makeCode(): string {
  const signs = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  return (signs.match(/.{5}/g) ?? []).join('-');
}

// Spaces, hyphens and small letters are how people type.
function hashCode(code: string): string {
  return createHash('sha256').update(code.toUpperCase().replace(/[\s-]/g, '')).digest('hex');
}

function notClaimable(): AppError {
  const words = 'This code cannot be redeemed. It is wrong, already used, or no longer valid.';
  return new AppError('not_found', words, { param: 'code' });
}
