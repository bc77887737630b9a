import { type BilledAnswer, type ClaimRows, toBilledAnswer } from './claim-rows.js';
import { hashOf } from './hash-of.js';
import type { IdempotentAnswerEntity } from './idempotent-answer.entity.js';
import { JoinableCalls } from './joinable-calls.js';
import { packAnswer } from './packed-answer.js';
import type { ClaimIdentity } from './running-claims.js';
import { type JoinPatience, WaitForEnd } from './wait-for-end.js';
import { toKeptText, type WholeAnswer } from './whole-answer.js';

/** A plain request that its client sends again by itself after it gave up waiting, without an `Idempotency-Key`. */
export interface RetriedRequest {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly body: string;
}

const retryMs = 15 * 60_000;

/** The answers of plain calls that came without an `Idempotency-Key`, for the retries of a client that gave up waiting. */
export class RetriedAnswers {
  readonly #joinable = new JoinableCalls();

  constructor(private readonly rows: ClaimRows) {}

  /** Lets a retry find a plain request while it runs in this process. @returns what ends that. */
  enter({ apiKeyId, body }: RetriedRequest, offer: () => Promise<void>): () => void {
    return this.#joinable.enter(apiKeyId, body, offer);
  }

  /** Notes on all servers that a plain request runs whose answer a retry of its client is to have. Never throws. */
  async offer(request: RetriedRequest, callId: string): Promise<void> {
    const identity = identityOf(request);
    this.rows.running.begin(identity, callId);
    await this.rows.replace(toRow(request, callId), { isFinished: false, answer: null });
  }

  /**
   * Keeps a billed answer that was offered, for the time in which its client may send the request again. Retries that wait in this
   * process have it however long it is; one that is too large to be kept is remembered as billed all the same. Never throws.
   * @param answer null: too large to be kept, and nobody waits for it.
   */
  async keep(request: RetriedRequest, callId: string, answer: WholeAnswer | null): Promise<void> {
    const text = answer === null ? null : toKeptText(answer);
    const packed = text === null ? null : packAnswer(text);
    await this.rows.replace(toRow(request, callId), { isFinished: true, answer: packed });
    this.rows.running.end(callId, answer);
  }

  /** There is no answer to wait for, since the call has failed; a charge of it stands, as `ClaimRows.release` says. Never throws. */
  async withdraw(request: RetriedRequest, callId: string): Promise<void> {
    await this.rows.release(identityOf(request), callId);
  }

  /**
   * Finds what was kept for a retry in the last 15 minutes, and waits for it while its call runs; null also while the database
   * is away, unless it runs in this process.
   * @throws AppError `idempotency_key_in_use` when patience ends before the first attempt; what `signal` was aborted with.
   */
  async find(request: RetriedRequest, patience: JoinPatience): Promise<BilledAnswer | null> {
    const identity = identityOf(request);
    const { running } = this.rows;
    const offered = this.#joinable.find(request.apiKeyId, request.body)?.();
    const wait = new WaitForEnd(running, identity, patience);
    await offered;
    for (;;) {
      const found = await this.#findStanding(identity);
      if (found?.isFinished) return (await wait.handedBy(found.callId)) ?? toBilledAnswer(found);
      if (found === null && running.find(identity) === null) return null;
      const handed = await wait.untilNextLook();
      if (handed !== null) return handed;
    }
  }

  async #findStanding(identity: ClaimIdentity): Promise<IdempotentAnswerEntity | null> {
    const row = await this.rows.find(identity).catch(() => null);
    if (row === null) return null;
    // What is there and cannot be judged now may still be charged.
    const verdict = await this.rows.judge(row, retryMs).catch(() => 'stands' as const);
    if (verdict === 'gone') return null;
    return verdict === 'stands' ? row : { ...row, isFinished: true, answer: null };
  }
}

function toRow(request: RetriedRequest, callId: string) {
  return { ...identityOf(request), bodyHash: hashOf(request.body), callId };
}

// No `Idempotency-Key` has a line break in it, so these can never be taken for one.
function identityOf({ accountId, apiKeyId, body }: RetriedRequest): ClaimIdentity {
  return { accountId, keyHash: hashOf(`retry\n${apiKeyId}\n${body}`) };
}
