import { isUniqueViolation } from '../database/database-errors.js';
import type { CallWaiters } from './call-waiters.js';
import { answersKeptMs, type BilledAnswer, ClaimRows, type ClaimRowsParts, toBilledAnswer } from './claim-rows.js';
import { hashOf } from './hash-of.js';
import { idempotencyErrors } from './idempotency-errors.js';
import { packAnswer } from './packed-answer.js';
import { RetriedAnswers } from './retried-answers.js';
import type { ClaimIdentity } from './running-claims.js';
import { type JoinTimeouts, WaitForEnd } from './wait-for-end.js';
import { toKeptText, type WholeAnswer } from './whole-answer.js';

/** A request that its caller may send again without being billed again. */
export interface KeyedRequest {
  readonly accountId: string;
  /** The caller's `Idempotency-Key`. */
  readonly key: string;
  readonly body: string;
  readonly callId: string;
}

type Claim = ClaimIdentity & { readonly bodyHash: string; readonly callId: string };

const sweepMs = 10 * 60_000;

/**
 * Keeps the answers of calls that came with an `Idempotency-Key` for 24 hours: the same request is billed once. A claim has a
 * lease, renewed while its call runs; when its process gives no sign of life, the books decide whether the key is free.
 */
export class IdempotentAnswers {
  /** Those of plain calls without a key, for the retries of their clients. */
  readonly retries: RetriedAnswers;
  readonly #rows: ClaimRows;
  #sweeper: NodeJS.Timeout | null = null;
  #renewer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: ClaimRowsParts) {
    this.#rows = new ClaimRows(parts);
    this.retries = new RetriedAnswers(this.#rows);
  }

  /** Renews the leases of what runs, and deletes what is older than 24 hours, every ten minutes. */
  start(): void {
    // Before anybody sets the clock; nothing is deleted by one that may be wrong just after a boot.
    void this.#rows.learnTime();
    this.#sweeper = setInterval(() => void this.sweep(), sweepMs).unref();
    // As with holds: a lease outlives several renewals that fail.
    this.#renewer = setInterval(() => void this.renewLeases(), this.parts.times.leaseMs / 6).unref();
  }

  close(): void {
    if (this.#sweeper) clearInterval(this.#sweeper);
    if (this.#renewer) clearInterval(this.#renewer);
  }

  /** Deletes what is older than 24 hours. Never throws. */
  async sweep(): Promise<void> {
    await this.#rows.sweep();
  }

  /** Says of every claim of this process that its call still runs. Never throws. */
  async renewLeases(): Promise<void> {
    await this.#rows.renewLeases();
  }

  /**
   * Claims the key for a request, durably, or finds what was answered to the same request. While the first attempt runs, its
   * end is waited for; where it runs in this process, its answer is had however long it is.
   * @returns null: it is the first, which has to be answered now.
   * @throws AppError `idempotency_key_in_use` when the time is up before the first attempt, `idempotency_key_reused` for another
   *   body, `invalid_value` for a key that is none, `service_unavailable` while the database is away; what `signal` was
   *   aborted with.
   */
  async claim(request: KeyedRequest, timeouts: JoinTimeouts): Promise<BilledAnswer | null> {
    if (!/^[\x20-\x7e]{1,255}$/.test(request.key)) throw idempotencyErrors.invalidKey();
    const { callId } = request;
    const identity = identityOf(request);
    const bodyHash = hashOf(request.body);
    const wait = new WaitForEnd(this.#rows.running, identity, timeouts);
    try {
      return await this.#claimOrWait({ ...identity, bodyHash, callId }, wait);
    } finally {
      wait.end();
    }
  }

  /** Those who wait for what a call is answered; null: nobody can, or it does not run in this process, or has ended. */
  findWaiters({ callId }: Pick<KeyedRequest, 'callId'>): CallWaiters | null {
    return this.#rows.running.findCall(callId)?.waiters ?? null;
  }

  /** Keeps what the caller is about to be answered; null: it was billed, but cannot be answered again. Never throws. */
  async keep(request: KeyedRequest, answer: WholeAnswer | null): Promise<void> {
    const text = answer === null ? null : toKeptText(answer);
    // By its call: a process that was taken for dead leaves its successor's claim alone.
    const packed = text === null ? null : packAnswer(text);
    await this.#rows.finish(identityOf(request), request.callId, packed, () => hashOf(request.body));
    this.#rows.running.end(request.callId, answer);
  }

  /** Lets go of a key whose call failed, as `ClaimRows.release` says. Never throws. */
  async releaseClaim(request: KeyedRequest): Promise<void> {
    await this.#rows.release(identityOf(request), request.callId);
  }

  async #claimOrWait(claim: Claim, wait: WaitForEnd): Promise<BilledAnswer | null> {
    for (let changes = 0; ; ) {
      const earlier = await this.#claimOrFind(claim);
      if (earlier === 'claimed') {
        this.#rows.running.begin(claim, claim.callId);
        return null;
      }
      if (earlier === 'changed') {
        // Given free, or ended, at this moment. A database that goes on saying so is not asked without a pause and an end.
        if (changes > 0) await wait.untilNextLook();
        changes += 1;
        continue;
      }
      if (earlier.bodyHash !== claim.bodyHash) throw idempotencyErrors.reused();
      if (earlier.isFinished) return (await wait.handedBy(earlier.callId)) ?? toBilledAnswer(earlier);
      const handed = await wait.untilNextLook();
      // A successor on the same key may have asked for something else.
      if (handed?.callId === earlier.callId) return handed;
    }
  }

  async #claimOrFind(claim: Claim) {
    const { accountId, keyHash } = claim;
    try {
      const earlier = await this.#rows.find({ accountId, keyHash });
      const verdict = earlier === null ? 'gone' : await this.#rows.judge(earlier, answersKeptMs);
      if (earlier !== null && verdict === 'stands') return earlier;
      if (verdict === 'ended') return 'changed';
      await this.#rows.insert(claim);
      return 'claimed';
    } catch (error) {
      if (isUniqueViolation(error)) return 'changed';
      throw idempotencyErrors.databaseAway(error);
    }
  }
}

function identityOf({ accountId, key }: KeyedRequest): ClaimIdentity {
  return { accountId, keyHash: hashOf(key) };
}
