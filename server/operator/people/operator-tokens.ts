import { randomBytes } from 'node:crypto';
import { type EntityManager, IsNull, MoreThan } from 'typeorm';
import { hasCome } from '../../database/time/has-come.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError, InvalidInputError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { hashText } from '../../kernel/texts/hash-text.js';
import { isPrintableWithin } from '../../kernel/texts/printable-text.js';
import type { OperatorRole } from '../operator-access.js';
import { type OperatorLog, requireReason } from '../operator-log.js';
import { OperatorEntity } from './operator.entity.js';
import { holdOperatorRow } from './operator-rows.js';
import type { OperatorCaller } from './operator-sessions.js';
import { OperatorTokenEntity } from './operator-token.entity.js';

export interface OperatorTokensParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  /** In the name of whoever asks. */
  readonly log: OperatorLog;
}

export interface NewOperatorToken {
  /** What stands in the log: 1 to 60 characters. */
  readonly name: string;
  readonly role: OperatorRole;
  /** Until it ends by itself: 1 to 365. */
  readonly days: number;
  readonly reason: string;
}

export type OperatorTokenFacts = Readonly<Omit<OperatorTokenEntity, 'tokenHash'>> & { readonly operatorName: string };

const prefix = 'op-tg-';
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const daysMax = 365;
const perOperatorMax = 20;

/** Whether it is a token of an operator's script, right or wrong. */
export function looksLikeOperatorToken(text: string): boolean {
  return text.startsWith(prefix);
}

/**
 * Tokens for scripts of operators: as bearer tokens at GraphQL, and nowhere else. One does what its role may and `operator-token-access.ts`
 * lists, for as long as its operator may do as much.
 */
export class OperatorTokens {
  constructor(private readonly parts: OperatorTokensParts) {}

  /** The same, whose changes stand in the log under another name. */
  by(actor: string): OperatorTokens {
    return new OperatorTokens({ ...this.parts, log: this.parts.log.by(actor) });
  }

  /**
   * @returns the token, 256 random bits, stored nowhere.
   * @throws InvalidInputError for a field; AppError `forbidden` for a role that may do more than the operator's own; `conflict` with 20 of them.
   */
  async create(
    { operatorId, role: own }: OperatorCaller,
    { name, role, days, reason }: NewOperatorToken,
  ): Promise<string> {
    const words = requireReason(reason);
    if (!isPrintableWithin(name.trim(), 1, 60))
      throw new InvalidInputError(
        'name',
        'A name has 1 to 60 printable characters, at least one of them visible; the log shows it.',
      );
    if (!Number.isInteger(days) || days < 1 || days > daysMax)
      throw new InvalidInputError('days', `A token is good for 1 to ${daysMax} days.`);
    if (!isWithin(role, own))
      throw new AppError('forbidden', `Your role, ${own}, gives tokens of its own or read_only, and no other.`);
    const { clock, log, unitOfWork } = this.parts;
    const token = `${prefix}${randomBytes(32).toString('base64url')}`;
    const [id, nowMs] = [createId('operatorToken'), clock.nowMs()];
    await unitOfWork.transact(async (transaction) => {
      await holdOperatorRow(transaction, operatorId);
      const living = { operatorId, expiresAtMs: MoreThan(nowMs) };
      if ((await transaction.countBy(OperatorTokenEntity, living)) >= perOperatorMax)
        throw new AppError('conflict', `You have ${perOperatorMax} tokens. Revoke one first.`);
      await transaction.insert(OperatorTokenEntity, {
        id,
        operatorId,
        role,
        name: name.trim(),
        tokenHash: hashText(token),
        ending: token.slice(-4),
        createdAtMs: nowMs,
        expiresAtMs: nowMs + days * dayMs,
        lastUsedAtMs: null,
      });
      await log.write(transaction, { action: 'create_token', subject: id, reason: words });
    });
    return token;
  }

  /** An owner sees everybody's, others their own; the newest first, ended ones too. */
  async list({ operatorId, role }: OperatorCaller): Promise<readonly OperatorTokenFacts[]> {
    const { reader } = this.parts.unitOfWork;
    const where = role === 'owner' ? {} : { operatorId };
    const tokens = await reader.find(OperatorTokenEntity, { where, order: { id: 'DESC' }, take: 500 });
    const names = new Map((await reader.find(OperatorEntity)).map(({ id, name }) => [id, name]));
    return tokens.map(({ tokenHash: _, ...token }) => ({ ...token, operatorName: names.get(token.operatorId) ?? '' }));
  }

  /** Ends one at once. @throws AppError `not_found` for one that is not there, or is another's; InvalidInputError for the reason. */
  async revoke({ operatorId, role }: OperatorCaller, id: string, reason: string): Promise<void> {
    const words = requireReason(reason);
    const where = role === 'owner' ? { id } : { id, operatorId };
    await this.parts.unitOfWork.transact(async (transaction) => {
      const found = await transaction.findOneBy(OperatorTokenEntity, where);
      // What the script has begun holds the row of its operator, and is over once this has answered.
      const whose = found?.operatorId ?? operatorId;
      await transaction.update(OperatorEntity, { id: whose }, { id: whose });
      const { affected } = await transaction.delete(OperatorTokenEntity, where);
      if (affected !== 1) throw new AppError('not_found', 'There is no such token, or it is another operator’s.');
      await this.parts.log.write(transaction, { action: 'revoke_token', subject: id, reason: words });
    });
  }

  /**
   * Who asks with this token. It counts as a fresh code: one was asked for when it was made. Notes its use, to the minute.
   * @throws AppError `unauthenticated` for one that has ended, was taken back or never was one, or may do more than its operator by now.
   */
  async get(token: string): Promise<OperatorCaller> {
    const { clock, unitOfWork } = this.parts;
    const { reader } = unitOfWork;
    const nowMs = clock.nowMs();
    const found = await reader.findOneBy(OperatorTokenEntity, { tokenHash: hashText(token) });
    const operator =
      found && (await reader.findOneBy(OperatorEntity, { id: found.operatorId, disabledAtMs: IsNull() }));
    if (
      !found ||
      !operator ||
      hasCome(found.expiresAtMs, nowMs, found.expiresAtMs - found.createdAtMs) ||
      !isWithin(found.role, operator.role)
    ) {
      const words = 'This token has ended, or never was one. Make another one at /operator, on the page of operators.';
      throw new AppError('unauthenticated', words);
    }
    if (nowMs - (found.lastUsedAtMs ?? 0) >= minuteMs) {
      const use = { lastUsedAtMs: nowMs };
      await unitOfWork.transact((transaction) => transaction.update(OperatorTokenEntity, { id: found.id }, use));
    }
    const { id: operatorId, name, email } = operator;
    return { operatorId, sessionId: found.id, name, email, role: found.role, isFresh: true, tokenName: found.name };
  }
}

/** Ends all tokens of an operator, in the caller's transaction. */
export async function endOperatorTokens(transaction: EntityManager, operatorId: string): Promise<void> {
  await transaction.delete(OperatorTokenEntity, { operatorId });
}

/** Whether a token of this role may do no more than an operator of the other. */
function isWithin(role: OperatorRole, own: OperatorRole): boolean {
  return own === 'owner' || role === own || role === 'read_only';
}
