import { type BilledAnswer, type ClaimRows, type KeptRow, toBilledAnswer } from './claim-rows.js';
import { hashOf } from './hash-of.js';
import type { IdempotentAnswerEntity } from './idempotent-answer.entity.js';
import { type JoinableCall, JoinableCalls } from './joinable-calls.js';
import { findBestCall, type LastAsker, parseAsker, toAskerText } from './last-asker.js';
import { packAnswer } from './packed-answer.js';
import type { ClaimIdentity, RunningCall } from './running-claims.js';
import { type JoinTimeouts, WaitForEnd } from './wait-for-end.js';
import { toKeptText, type WholeAnswer } from './whole-answer.js';

/** A plain request that its client sends again by itself after it gave up waiting, without an `Idempotency-Key`. */
export interface RetriedRequest {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly body: string;
  /** How often its client has sent it before, as it says itself; 0 for a first attempt. */
  readonly retryCount: number;
}

/** A call whose answer a retry is to have. */
export interface OfferedCall {
  readonly callId: string;
  /** Who asked for it last when it was offered. */
  readonly asker: LastAsker;
}

/** A call that a retry may take. */
interface Candidate extends OfferedCall {
  readonly identity: ClaimIdentity;
  /** @returns false: somebody else has taken it meanwhile. */
  take(): Promise<boolean>;
}

/** What the database has of equal calls, and which of them ran here when it was asked. */
interface KeptCalls {
  /** Oldest first. */
  readonly rows: readonly KeptRow[];
  readonly ranHere: readonly RunningCall[];
}

const retryMs = 15 * 60_000;

/**
 * The answers of plain calls that came without an `Idempotency-Key`, for the retries of a client that gave up waiting. Of equal calls
 * side by side each goes to one retry: `findBestCall` has the rule.
 */
export class RetriedAnswers {
  readonly #joinable = new JoinableCalls();
  /** Beginning of places -> what is on its way into the database of calls that were offered or kept, and of retries that have left. */
  readonly #writes = new Map<string, Set<Promise<unknown>>>();

  constructor(private readonly rows: ClaimRows) {}

  /** Lets a retry find a plain request while it runs in this process. @returns what ends that. */
  enter({ apiKeyId, body }: RetriedRequest, call: JoinableCall): () => void {
    return this.#joinable.enter(apiKeyId, body, call);
  }

  /** Notes on all servers that a plain request runs whose answer a retry of its client is to have. Never throws. */
  async offer(request: RetriedRequest, call: OfferedCall): Promise<void> {
    const row = toRow(request, call);
    this.rows.running.begin(row, call.callId);
    await this.#write(startOf(request), this.rows.note(row));
  }

  /**
   * Keeps a billed answer, for the time in which its client may send the request again. Retries that wait in this process have it
   * however long it is; one that is too large to be kept is remembered as billed all the same. Never throws.
   * @param answer null: too large to be kept, and nobody waits for it.
   */
  async keep(request: RetriedRequest, call: OfferedCall, answer: WholeAnswer | null): Promise<void> {
    const text = answer === null ? null : toKeptText(answer);
    const packed = text === null ? null : packAnswer(text);
    await this.#write(startOf(request), this.rows.finishOrNote(toRow(request, call), packed));
    this.rows.running.end(call.callId, answer);
  }

  /** There is no answer to wait for, since the call has failed; a charge of it stands, as `ClaimRows.release` says. Never throws. */
  async withdraw(request: RetriedRequest, callId: string): Promise<void> {
    await this.rows.release(identityOf(request, callId), callId);
  }

  /**
   * Takes one of the equal calls of the last 15 minutes that no retry of this count or a later one has taken, on whichever server, and
   * waits for its answer while it runs. While the database is away, only what runs in this process is found.
   * @returns null: there is none.
   * @throws AppError `idempotency_key_in_use` when the time is up before the call; what `signal` was aborted with.
   */
  async find(request: RetriedRequest, timeouts: JoinTimeouts): Promise<BilledAnswer | null> {
    const startedMs = performance.now();
    for (;;) {
      const taken = await this.#take(request, { ...timeouts, startedMs });
      if (taken === null) return null;
      try {
        const answer = await this.#waitFor(taken.identity, taken.wait);
        if (answer !== null) return answer;
      } catch (error) {
        await this.leave(request, taken.callId);
        throw error;
      } finally {
        taken.wait.end();
      }
    }
  }

  /** Whoever was given this call has left without its answer, so that it goes to the next retry before others. Never throws. */
  async leave(request: RetriedRequest, callId: string): Promise<void> {
    const asker = { retryCount: request.retryCount, hasLeft: false };
    const row = toRow(request, { callId, asker });
    await this.#write(startOf(request), this.rows.replaceAsker(row, { ...asker, hasLeft: true }));
  }

  async #take(request: RetriedRequest, timeouts: JoinTimeouts & { readonly startedMs: number }) {
    for (;;) {
      const kept = await this.#readKept(request);
      // From here to the wait nothing lets another retry in between.
      const best = findBestCall(this.#listCandidates(request, kept), request.retryCount);
      if (best === null) return null;
      const { callId, identity } = best;
      const isTaken = best.take();
      const seenHere = kept.ranHere.find((call) => call.callId === callId) ?? null;
      const wait = new WaitForEnd(this.rows.running, identity, timeouts, seenHere);
      if (await isTaken) return { callId, identity, wait };
      wait.end();
    }
  }

  async #write(start: string, write: Promise<unknown>): Promise<void> {
    const writes = this.#writes.get(start) ?? new Set();
    this.#writes.set(start, writes.add(write));
    await write;
    writes.delete(write);
    if (writes.size === 0 && this.#writes.get(start) === writes) this.#writes.delete(start);
  }

  async #readKept(request: RetriedRequest): Promise<KeptCalls> {
    const { accountId } = request;
    const start = startOf(request);
    const list = () => this.rows.running.list(accountId, start);
    for (;;) {
      const ranHere = list();
      await Promise.all(this.#writes.get(start) ?? []);
      const rows = await this.rows.listRecent(accountId, start, retryMs).catch(() => []);
      // One that was offered meanwhile is on its way into the database.
      if (list().every((call) => ranHere.includes(call) || isAmong(rows, call))) return { rows, ranHere };
    }
  }

  /** Of equal ones those that run here come first, the oldest first. */
  #listCandidates(request: RetriedRequest, { rows, ranHere }: KeptCalls): Candidate[] {
    const { apiKeyId, body, retryCount } = request;
    const asker = { retryCount, hasLeft: false };
    const joinable = this.#joinable.list(apiKeyId, body).map((call) => ({
      callId: call.callId,
      identity: identityOf(request, call.callId),
      asker: { retryCount: call.retryCount, hasLeft: false },
      take: async () => {
        if (!this.#joinable.take(apiKeyId, body, call)) return false;
        await call.offer(asker);
        return true;
      },
    }));
    // The database has not taken them, or is away.
    const unwritten = ranHere.filter(
      (call) => !isAmong(rows, call) && this.rows.running.findCall(call.callId) !== null,
    );
    return [
      ...joinable,
      ...unwritten.map(({ callId, waiters }) => ({
        callId,
        identity: identityOf(request, callId),
        take: async () => true,
        asker: { retryCount: 0, hasLeft: waiters.count === 0 },
      })),
      ...rows.map((row) => ({
        callId: row.callId,
        identity: { accountId: row.accountId, keyHash: row.keyHash },
        asker: parseAsker(row.bodyHash),
        take: () => this.rows.replaceAsker(row, asker),
      })),
    ];
  }

  /** @returns null: the call has failed at no cost. */
  async #waitFor(identity: ClaimIdentity, wait: WaitForEnd): Promise<BilledAnswer | null> {
    for (;;) {
      const found = await this.#findStanding(identity);
      if (found?.isFinished) return (await wait.handedBy(found.callId)) ?? toBilledAnswer(found);
      if (found === null && this.rows.running.find(identity) === null) return null;
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

function isAmong(rows: readonly KeptRow[], { callId }: RunningCall): boolean {
  return rows.some((row) => row.callId === callId);
}

function toRow(request: RetriedRequest, { callId, asker }: OfferedCall) {
  return { ...identityOf(request, callId), callId, bodyHash: toAskerText(asker) };
}

// With an id they are as long as a hash, and 132 bits of it are enough to tell the bodies of one account from each other.
const startLength = 33;

/** The beginning of the places of equal calls. No `Idempotency-Key` has a line break in it, so these can never be taken for one. */
function startOf({ apiKeyId, body }: RetriedRequest): string {
  return hashOf(`retry\n${apiKeyId}\n${body}`).slice(0, startLength);
}

function identityOf(request: RetriedRequest, callId: string): ClaimIdentity {
  return { accountId: request.accountId, keyHash: startOf(request) + callId };
}
