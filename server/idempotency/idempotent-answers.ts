import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { LessThan, MoreThan } from 'typeorm';
import { isUniqueViolation } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { IdempotentAnswerEntity } from './idempotent-answer.entity.js';

/** A request that its caller may send again without being billed again. */
export interface KeyedRequest {
  readonly accountId: string;
  /** The caller's `Idempotency-Key`. */
  readonly key: string;
  readonly body: string;
  readonly callId: string;
}

/** A plain request that its client sends again by itself after it gave up waiting, without an `Idempotency-Key`. */
export interface RetriedRequest {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly body: string;
}

/** null: the first of its key, which now has to be answered. */
export type EarlierAnswer = { readonly callId: string; readonly answer: string } | null;

const keptMs = 24 * 60 * 60_000;
const retryMs = 15 * 60_000;
// No call lasts longer; its server must have died.
const runningMsMax = 65 * 60_000;
const sweepMs = 10 * 60_000;
const storedCharactersMax = 65_000;
// Packing more than this would hold up everybody else.
const packedCharactersMax = 1_000_000;

/** Keeps the answers of calls that came with an `Idempotency-Key` for 24 hours: the same request is billed once. */
export class IdempotentAnswers {
  #sweeper: NodeJS.Timeout | null = null;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Deletes what is older than 24 hours, every ten minutes. */
  start(): void {
    this.#sweeper = setInterval(() => void this.#sweep(), sweepMs).unref();
  }

  close(): void {
    if (this.#sweeper) clearInterval(this.#sweeper);
  }

  /**
   * Claims the key for a request, durably, or finds what was answered to the same request.
   * @throws AppError `idempotency_key_in_use` while the first request runs, `idempotency_key_reused` for another body,
   *   `conflict` when the call was billed but its answer could not be kept, `invalid_value` for a key that is none,
   *   `service_unavailable` while the database is away.
   */
  async claim({ accountId, key, body, callId }: KeyedRequest): Promise<EarlierAnswer> {
    if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
      throw new AppError('invalid_value', "Invalid 'Idempotency-Key': must be 1 to 255 printable ASCII characters.");
    }
    const identity = { accountId, keyHash: hashOf(key) };
    const bodyHash = hashOf(body);
    const createdAtMs = this.clock.nowMs();
    const claimed = { ...identity, bodyHash, callId, isFinished: false, answer: null, createdAtMs };
    try {
      await this.unitOfWork.transact(async (transaction) => {
        const old = { createdAtMs: LessThan(createdAtMs - keptMs) };
        const dead = { isFinished: false, createdAtMs: LessThan(createdAtMs - runningMsMax) };
        await transaction.delete(IdempotentAnswerEntity, { ...identity, ...old });
        await transaction.delete(IdempotentAnswerEntity, { ...identity, ...dead });
        await transaction.insert(IdempotentAnswerEntity, claimed);
      });
      return null;
    } catch (error) {
      if (!isUniqueViolation(error)) throw databaseAway(error);
    }
    const earlier = await this.unitOfWork.reader
      .findOneBy(IdempotentAnswerEntity, identity)
      .catch((error: unknown) => Promise.reject(databaseAway(error)));
    if (earlier !== null && earlier.bodyHash !== bodyHash) throw reused();
    if (!earlier?.isFinished) throw inUse();
    if (earlier.answer === null) throw notKept(earlier.callId);
    return { callId: earlier.callId, answer: unpack(earlier.answer) };
  }

  /** Keeps what the caller is about to be answered; null: it was billed, but cannot be answered again. Never throws. */
  async keep({ accountId, key }: KeyedRequest, answer: string | null): Promise<void> {
    const packed = answer === null || answer.length > packedCharactersMax ? null : pack(answer);
    const stored = packed !== null && packed.length <= storedCharactersMax ? packed : null;
    await this.#write((transaction) =>
      transaction.update(
        IdempotentAnswerEntity,
        { accountId, keyHash: hashOf(key) },
        { isFinished: true, answer: stored },
      ),
    );
  }

  /** Gives the key free after a failure that cost nothing: the next request with it is a new one. Never throws. */
  async forget({ accountId, key, callId }: KeyedRequest): Promise<void> {
    await this.#write((transaction) =>
      transaction.delete(IdempotentAnswerEntity, { accountId, keyHash: hashOf(key), callId }),
    );
  }

  /** Keeps a billed answer whose caller had left, for the time in which its client may send the request again. Never throws. */
  async keepForRetry(request: RetriedRequest, callId: string, answer: string): Promise<void> {
    const packed = answer.length > packedCharactersMax ? null : pack(answer);
    if (packed === null || packed.length > storedCharactersMax) return;
    const identity = { accountId: request.accountId, keyHash: retryHashOf(request) };
    const createdAtMs = this.clock.nowMs();
    const kept = { ...identity, bodyHash: hashOf(request.body), callId, isFinished: true, answer: packed, createdAtMs };
    await this.#write(async (transaction) => {
      await transaction.delete(IdempotentAnswerEntity, identity);
      await transaction.insert(IdempotentAnswerEntity, kept);
    });
  }

  /** Finds what was kept for a retry in the last 15 minutes; null also while the database is away. Never throws. */
  async findForRetry(request: RetriedRequest): Promise<EarlierAnswer> {
    const identity = { accountId: request.accountId, keyHash: retryHashOf(request) };
    const youngEnough = MoreThan(this.clock.nowMs() - retryMs);
    const row = await this.unitOfWork.reader
      .findOneBy(IdempotentAnswerEntity, { ...identity, createdAtMs: youngEnough })
      .catch(() => null);
    return row?.answer ? { callId: row.callId, answer: unpack(row.answer) } : null;
  }

  async #sweep(): Promise<void> {
    const createdAtMs = LessThan(this.clock.nowMs() - keptMs);
    await this.#write((transaction) => transaction.delete(IdempotentAnswerEntity, { createdAtMs }));
  }

  // The call itself is settled by then; a row that cannot be written must not turn its answer into an error.
  async #write(work: Parameters<UnitOfWork['transact']>[0]): Promise<void> {
    try {
      await this.unitOfWork.transact(work);
    } catch (error) {
      this.logger.error('idempotent_answer_not_written', { error });
    }
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

// No `Idempotency-Key` has a line break in it, so these can never be taken for one.
function retryHashOf({ apiKeyId, body }: RetriedRequest): string {
  return hashOf(`retry\n${apiKeyId}\n${body}`);
}

function pack(answer: string): string {
  return deflateRawSync(answer).toString('base64');
}

function unpack(packed: string): string {
  return inflateRawSync(Buffer.from(packed, 'base64')).toString('utf8');
}

function databaseAway(cause: unknown): AppError {
  return new AppError('service_unavailable', 'The database is away for the moment. Nothing was sent; try again soon.', {
    retryAfterMs: 5_000,
    cause,
  });
}

function inUse(): AppError {
  return new AppError(
    'idempotency_key_in_use',
    'A request with this Idempotency-Key is still running. Try again when it has ended.',
    { retryAfterMs: 2_000 },
  );
}

function reused(): AppError {
  return new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key came with another body before. Use a new key for a new request.',
  );
}

function notKept(callId: string): AppError {
  return new AppError(
    'conflict',
    `The request with this Idempotency-Key has ended and was billed as ${callId}, but its answer was not kept: it was too large, or broke off. GET …/calls/${callId} shows its receipt; use a new key to ask again.`,
    { metadata: { call_id: callId } },
  );
}
