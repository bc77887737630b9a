import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LessThan, MoreThan } from 'typeorm';
import { isUniqueViolation } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { idempotencyErrors } from './idempotency-errors.js';
import { IdempotentAnswerEntity } from './idempotent-answer.entity.js';
import { JoinableCalls } from './joinable-calls.js';
import { packAnswer, unpackAnswer } from './packed-answer.js';
import { type ClaimIdentity, RunningClaims } from './running-claims.js';

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

/** What was answered before; `answer` is null where it was billed but not kept. null: the first, which has to be answered now. */
export type EarlierAnswer = { readonly callId: string; readonly answer: string | null } | null;

/** How long who asks again waits for the first attempt. */
export interface JoinPatience {
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  /** While the first attempt runs in this process, whose end is heard at once. */
  readonly hereMs: number;
  /** While it runs elsewhere, which is asked for again and again. */
  readonly elsewhereMs: number;
}

export interface IdempotentAnswersParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a claim stands without a sign of life of its process, and the grace after that. */
  readonly times: { readonly leaseMs: number; readonly graceMs: number };
  /** What the books know of a call whose process gives no sign of life. */
  findCallStanding(callId: string): Promise<'running' | 'charged' | 'free'>;
}

/** So long an answer is kept for a retry. */
export const answersKeptMs = 24 * 60 * 60_000;
const retryMs = 15 * 60_000;
// Of a claim without a lease: no call lasts longer.
const runningMsMax = 65 * 60_000;
const sweepMs = 10 * 60_000;
const renewedAtOnceMax = 100;
const firstPollMs = 100;
const pollMsMax = 2_000;

/**
 * Keeps the answers of calls that came with an `Idempotency-Key` for 24 hours: the same request is billed once. A claim has a
 * lease, renewed while its call runs; when its process has died, the books decide whether the key is free.
 */
export class IdempotentAnswers {
  readonly #running = new RunningClaims();
  readonly #joinable = new JoinableCalls();
  #sweeper: NodeJS.Timeout | null = null;
  #renewer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: IdempotentAnswersParts) {}

  /** Renews the leases of what runs, and deletes what is older than 24 hours, every ten minutes. */
  start(): void {
    this.#sweeper = setInterval(() => void this.#sweep(), sweepMs).unref();
    // As with holds: a lease outlives several renewals that fail.
    this.#renewer = setInterval(() => void this.renewLeases(), this.parts.times.leaseMs / 6).unref();
  }

  close(): void {
    if (this.#sweeper) clearInterval(this.#sweeper);
    if (this.#renewer) clearInterval(this.#renewer);
  }

  /** Says of every claim of this process that its call still runs. Never throws. */
  async renewLeases(): Promise<void> {
    for (const group of this.#running.listInGroups(renewedAtOnceMax)) {
      const running = group.map((claim) => ({ ...claim, isFinished: false }));
      const change = { leaseUntilMs: this.#leaseFromNow() };
      await this.#write((transaction) => transaction.update(IdempotentAnswerEntity, running, change));
    }
  }

  /**
   * Claims the key for a request, durably, or finds what was answered to the same request. While the first attempt runs, its
   * end is waited for.
   * @throws AppError `idempotency_key_in_use` when patience ends before the first attempt, `idempotency_key_reused` for another
   *   body, `invalid_value` for a key that is none, `service_unavailable` while the database is away; what `signal` was
   *   aborted with.
   */
  async claim({ accountId, key, body, callId }: KeyedRequest, patience: JoinPatience): Promise<EarlierAnswer> {
    if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw idempotencyErrors.invalidKey();
    const identity = { accountId, keyHash: hashOf(key) };
    const bodyHash = hashOf(body);
    const wait = this.#createWait(identity, patience);
    for (;;) {
      if (await this.#insertClaim({ ...identity, bodyHash, callId })) {
        this.#running.begin(identity, callId);
        return null;
      }
      const earlier = await this.parts.unitOfWork.reader
        .findOneBy(IdempotentAnswerEntity, identity)
        .catch((error: unknown) => Promise.reject(idempotencyErrors.databaseAway(error)));
      // Given free at this moment.
      if (earlier === null) continue;
      if (earlier.bodyHash !== bodyHash) throw idempotencyErrors.reused();
      if (earlier.isFinished) return toEarlierAnswer(earlier);
      await wait();
    }
  }

  /** Keeps what the caller is about to be answered; null: it was billed, but cannot be answered again. Never throws. */
  async keep({ accountId, key, callId }: KeyedRequest, answer: string | null): Promise<void> {
    const kept = { isFinished: true, answer: answer === null ? null : packAnswer(answer) };
    // By its call: a process that was taken for dead leaves its successor's claim alone.
    const claim = { accountId, keyHash: hashOf(key), callId, isFinished: false };
    await this.#write((transaction) => transaction.update(IdempotentAnswerEntity, claim, kept));
    this.#running.end(callId);
  }

  /**
   * Lets go of a key whose call failed: free when that cost nothing, and answered as billed when it was charged. While the
   * books do not know yet, the claim stands until its lease ends; then they decide. Never throws.
   */
  async releaseClaim(request: KeyedRequest): Promise<void> {
    const { accountId, key, callId } = request;
    const standing = await this.parts.findCallStanding(callId).catch(() => 'running' as const);
    if (standing === 'charged') await this.keep(request, null);
    else if (standing === 'free') await this.#delete({ accountId, keyHash: hashOf(key), callId });
    else this.#running.end(callId);
  }

  /** Lets a retry find a plain request while it runs in this process. @returns what ends that. */
  enterForRetry({ apiKeyId, body }: RetriedRequest, offer: () => Promise<void>): () => void {
    return this.#joinable.enter(apiKeyId, body, offer);
  }

  /** Notes on all servers that a plain request runs whose answer a retry of its client is to have. Never throws. */
  async offerForRetry(request: RetriedRequest, callId: string): Promise<void> {
    const identity = identityOfRetry(request);
    this.#running.begin(identity, callId);
    await this.#replaceRetry(request, { callId, isFinished: false, answer: null, leaseUntilMs: this.#leaseFromNow() });
  }

  /** Keeps a billed answer that was offered, for the time in which its client may send the request again. Never throws. */
  async keepForRetry(request: RetriedRequest, callId: string, answer: string): Promise<void> {
    const packed = packAnswer(answer);
    if (packed === null) return this.withdrawForRetry(request, callId);
    await this.#replaceRetry(request, { callId, isFinished: true, answer: packed, leaseUntilMs: null });
    this.#running.end(callId);
  }

  /** There is no answer to wait for: the call failed, or its answer cannot be kept. Never throws. */
  async withdrawForRetry(request: RetriedRequest, callId: string): Promise<void> {
    await this.#delete({ ...identityOfRetry(request), callId });
  }

  /**
   * Finds what was kept for a retry in the last 15 minutes, and waits for it while its call runs; null also while the database
   * is away.
   * @throws AppError `idempotency_key_in_use` when patience ends before the first attempt; what `signal` was aborted with.
   */
  async findForRetry(request: RetriedRequest, patience: JoinPatience): Promise<EarlierAnswer> {
    const identity = identityOfRetry(request);
    const wait = this.#createWait(identity, patience);
    await this.#joinable.find(request.apiKeyId, request.body)?.();
    for (;;) {
      const createdAtMs = MoreThan(this.parts.clock.nowMs() - retryMs);
      const row = await this.parts.unitOfWork.reader
        .findOneBy(IdempotentAnswerEntity, { ...identity, createdAtMs })
        .catch(() => null);
      if (row === null || (!row.isFinished && this.#hasLapsed(row))) return null;
      if (row.isFinished) return row.answer === null ? null : toEarlierAnswer(row);
      await wait();
    }
  }

  async #insertClaim(claim: ClaimIdentity & { bodyHash: string; callId: string }): Promise<boolean> {
    const { clock, unitOfWork } = this.parts;
    const { accountId, keyHash } = claim;
    const createdAtMs = clock.nowMs();
    const row = { ...claim, isFinished: false, answer: null, createdAtMs, leaseUntilMs: this.#leaseFromNow() };
    try {
      const earlier = await unitOfWork.reader.findOneBy(IdempotentAnswerEntity, { accountId, keyHash });
      if (earlier !== null && !(await this.#clearAway(earlier))) return false;
      await unitOfWork.transact((transaction) => transaction.insert(IdempotentAnswerEntity, row));
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw idempotencyErrors.databaseAway(error);
    }
  }

  // An answer of yesterday, or a claim whose process is gone. What that one has charged is not charged again: the books know.
  async #clearAway(earlier: IdempotentAnswerEntity): Promise<boolean> {
    const { clock, findCallStanding, unitOfWork } = this.parts;
    const { accountId, keyHash, callId, isFinished } = earlier;
    const row = { accountId, keyHash, callId, isFinished };
    if (isFinished && earlier.createdAtMs >= clock.nowMs() - answersKeptMs) return false;
    if (!isFinished) {
      if (!this.#hasLapsed(earlier)) return false;
      const standing = await findCallStanding(callId);
      if (standing === 'running') return false;
      if (standing === 'charged') {
        const ended = { isFinished: true, answer: null };
        await unitOfWork.transact((transaction) => transaction.update(IdempotentAnswerEntity, row, ended));
        return false;
      }
    }
    await unitOfWork.transact((transaction) => transaction.delete(IdempotentAnswerEntity, row));
    return true;
  }

  #hasLapsed({ leaseUntilMs, createdAtMs }: IdempotentAnswerEntity): boolean {
    const { clock, times } = this.parts;
    return clock.nowMs() > (leaseUntilMs === null ? createdAtMs + runningMsMax : leaseUntilMs + times.graceMs);
  }

  #leaseFromNow(): number {
    return this.parts.clock.nowMs() + this.parts.times.leaseMs;
  }

  /** Makes what waits a little longer each time for the end of a claim, and throws when patience has ended. */
  #createWait(identity: ClaimIdentity, { signal, hereMs, elsewhereMs }: JoinPatience): () => Promise<void> {
    const startedMs = performance.now();
    let pollMs = firstPollMs;
    return async () => {
      const ended = this.#running.findEnd(identity);
      const leftMs = startedMs + (ended ? hereMs : elsewhereMs) - performance.now();
      if (leftMs <= 0) throw idempotencyErrors.inUse();
      const over = new AbortController();
      const timer = sleep(ended ? leftMs : Math.min(pollMs, leftMs), undefined, {
        signal: AbortSignal.any([signal, over.signal]),
      }).catch(() => {});
      await Promise.race([timer, ended ?? timer]);
      over.abort();
      signal.throwIfAborted();
      pollMs = Math.min(pollMs * 1.5, pollMsMax);
    };
  }

  async #replaceRetry(
    request: RetriedRequest,
    state: Pick<IdempotentAnswerEntity, 'callId' | 'isFinished' | 'answer' | 'leaseUntilMs'>,
  ): Promise<void> {
    const identity = identityOfRetry(request);
    const row = { ...identity, bodyHash: hashOf(request.body), createdAtMs: this.parts.clock.nowMs(), ...state };
    await this.#write(async (transaction) => {
      await transaction.delete(IdempotentAnswerEntity, identity);
      await transaction.insert(IdempotentAnswerEntity, row);
    });
  }

  async #delete(claim: ClaimIdentity & { callId: string }): Promise<void> {
    await this.#write((transaction) => transaction.delete(IdempotentAnswerEntity, claim));
    this.#running.end(claim.callId);
  }

  async #sweep(): Promise<void> {
    const createdAtMs = LessThan(this.parts.clock.nowMs() - answersKeptMs);
    await this.#write((transaction) => transaction.delete(IdempotentAnswerEntity, { createdAtMs }));
  }

  // The call itself is settled by then; a row that cannot be written must not turn its answer into an error.
  async #write(work: Parameters<UnitOfWork['transact']>[0]): Promise<void> {
    try {
      await this.parts.unitOfWork.transact(work);
    } catch (error) {
      this.parts.logger.error('idempotent_answer_not_written', { error });
    }
  }
}

function toEarlierAnswer({ callId, answer }: IdempotentAnswerEntity): NonNullable<EarlierAnswer> {
  return { callId, answer: answer === null ? null : unpackAnswer(answer) };
}

// No `Idempotency-Key` has a line break in it, so these can never be taken for one.
function identityOfRetry({ accountId, apiKeyId, body }: RetriedRequest): ClaimIdentity {
  return { accountId, keyHash: hashOf(`retry\n${apiKeyId}\n${body}`) };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
