import { Between, LessThan, MoreThanOrEqual } from 'typeorm';
import { ClockSteps } from '../database/time/clock-steps.js';
import type { DatabaseClock } from '../database/time/database-clock.js';
import { isLeaseOver } from '../database/time/has-come.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { holdLeaseMsMax } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { IdempotentAnswerEntity } from './idempotent-answer.entity.js';
import { type LastAsker, toAskerText } from './last-asker.js';
import { unpackAnswer } from './packed-answer.js';
import { type ClaimIdentity, RunningClaims } from './running-claims.js';
import { SteadyTime } from './steady-time.js';
import type { WholeAnswer } from './whole-answer.js';

/** What was answered before; `answer` is null where it was billed but not kept. */
export interface BilledAnswer {
  readonly callId: string;
  readonly answer: WholeAnswer | null;
}

/** What the books know of a call. */
type Standing = 'running' | 'charged' | 'free';

export interface ClaimRowsParts {
  readonly unitOfWork: UnitOfWork;
  readonly databaseClock: DatabaseClock;
  readonly logger: Logger;
  /** Milliseconds that this process has counted, whatever becomes of any wall clock; left out: those of the process. */
  readonly monotonicMs?: () => number;
  /** A time that has surely come, as `ProvenTime` reads it: what is forgotten too early is made twice. Milliseconds since 1970. */
  findBelievedMs(): Promise<number>;
  /** How long a claim stands without a sign of life of its process, and the grace after that. */
  readonly times: { readonly leaseMs: number; readonly graceMs: number };
  /** How a call of this process stands that has ended. */
  findCallStanding(callId: string): Promise<Standing>;
  /** How a call stands whose process gives no sign of life; that it is free is final. */
  decideCallStanding(call: { readonly callId: string; readonly accountId: string }): Promise<Standing>;
}

type Claim = ClaimIdentity & { readonly bodyHash: string; readonly callId: string };

/** A row without its answer. */
export type KeptRow = Pick<IdempotentAnswerEntity, 'accountId' | 'keyHash' | 'bodyHash' | 'callId'>;

/** So long an answer is kept for a retry. */
export const answersKeptMs = 24 * 60 * 60_000;
// Of a claim without a lease: no call lasts longer.
const runningMsMax = 65 * 60_000;
const renewedAtOnceMax = 100;
// Far more equal calls than an account has at once; the oldest of more are found by no retry.
const listedMax = 256;

/**
 * The rows of claims and of their answers. Every moment in them is one of the database's clock, so that instances whose own clocks are
 * apart judge alike.
 */
export class ClaimRows {
  /** Those whose calls run in this process. */
  readonly running = new RunningClaims();

  /** By which an ended call is too old for a retry without a key. */
  readonly #time: SteadyTime;
  readonly #steps = new ClockSteps();
  /** When the database's clock was last found to be set, as this process counts. */
  #setAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: ClaimRowsParts) {
    this.#time = new SteadyTime(parts.databaseClock, parts.monotonicMs);
  }

  /** @throws the database's error. */
  find(identity: ClaimIdentity): Promise<IdempotentAnswerEntity | null> {
    return this.parts.unitOfWork.reader.findOneBy(IdempotentAnswerEntity, identity);
  }

  /** @throws the database's error; a unique violation when the place is taken. */
  async insert(claim: Claim): Promise<void> {
    const moments = { createdAtMs: this.#now(), leaseUntilMs: this.#leaseFromNow() };
    const row = { ...claim, ...moments, isFinished: false, answer: null };
    await this.parts.unitOfWork.transactForServer((transaction) => transaction.insert(IdempotentAnswerEntity, row));
  }

  /**
   * Lists the rows whose hash of a key begins so: those that run, and those that ended no longer ago than this by a clock that
   * nobody has set forward; oldest first, the newest 256 of them.
   * @throws the database's error.
   */
  async listRecent(accountId: string, keyHashStart: string, keptMs: number): Promise<KeptRow[]> {
    // Every other letter of a place sorts below.
    const place = { accountId, keyHash: Between(keyHashStart, `${keyHashStart}~`) };
    const createdAtMs = MoreThanOrEqual((await this.#time.readMs()) - keptMs);
    const rows = await this.parts.unitOfWork.reader.find(IdempotentAnswerEntity, {
      select: { accountId: true, keyHash: true, bodyHash: true, callId: true },
      where: [
        { ...place, isFinished: false },
        { ...place, isFinished: true, createdAtMs },
      ],
      order: { keyHash: 'DESC' },
      take: listedMax,
    });
    return rows.reverse();
  }

  /** Notes that a call runs. Never throws. */
  async note(claim: Claim): Promise<void> {
    const moments = { createdAtMs: this.#now(), leaseUntilMs: this.#leaseFromNow() };
    const row = { ...claim, ...moments, isFinished: false, answer: null };
    await this.#write((transaction) => transaction.insert(IdempotentAnswerEntity, row));
  }

  /** Ends what `note` began, or notes a call that has ended; who asked for it last stays as it is. Never throws. */
  async finishOrNote(claim: Claim, answer: string | null): Promise<void> {
    const { bodyHash, ...place } = claim;
    const ended = { isFinished: true, answer, createdAtMs: this.#now(), leaseUntilMs: null };
    await this.#write(async (transaction) => {
      const { affected } = await transaction.update(IdempotentAnswerEntity, place, ended);
      if (affected === 0) await transaction.insert(IdempotentAnswerEntity, { ...place, bodyHash, ...ended });
    });
  }

  /**
   * Says who asked last for a call, unless somebody else has asked since the row was read. Where the database does not take it, it is
   * logged and taken for done: that one answer is had twice is the smaller evil. Never throws.
   * @returns false: somebody else has, or the row has gone.
   */
  async replaceAsker(row: KeptRow, asker: LastAsker): Promise<boolean> {
    const { accountId, keyHash, bodyHash, callId } = row;
    let isDone = true;
    await this.#write(async (transaction) => {
      const change = { bodyHash: toAskerText(asker) };
      const { affected } = await transaction.update(
        IdempotentAnswerEntity,
        { accountId, keyHash, bodyHash, callId },
        change,
      );
      isDone = affected === 1;
    });
    return isDone;
  }

  /**
   * Ends the claim of a call, and of no successor, with what was made of it. Never throws.
   * @param hashBody With it a claim that is nowhere is written again: the database has lost it with its last commits.
   */
  async finish(
    identity: ClaimIdentity,
    callId: string,
    answer: string | null,
    hashBody: (() => string) | null = null,
  ): Promise<void> {
    const { accountId, keyHash } = identity;
    const claim = { accountId, keyHash, callId };
    const ended = { isFinished: true, answer };
    await this.#write(async (transaction) => {
      const { affected } = await transaction.update(IdempotentAnswerEntity, { ...claim, isFinished: false }, ended);
      if (affected !== 0 || hashBody === null) return;
      if (await transaction.existsBy(IdempotentAnswerEntity, { accountId, keyHash })) return;
      const moments = { createdAtMs: this.#now(), leaseUntilMs: null };
      await transaction.insert(IdempotentAnswerEntity, { ...claim, bodyHash: hashBody(), ...ended, ...moments });
    });
  }

  /**
   * Lets go of a place whose call has failed in this process: free when that cost nothing, and answered as billed when it was charged.
   * While the books do not know yet, the claim stands until its lease ends; then they decide. Never throws.
   */
  async release(identity: ClaimIdentity, callId: string): Promise<void> {
    const standing = await this.parts.findCallStanding(callId).catch(() => 'running' as const);
    if (standing === 'charged') await this.finish(identity, callId, null);
    if (standing === 'free') {
      const claim = { ...identity, callId };
      await this.#write((transaction) => transaction.delete(IdempotentAnswerEntity, claim));
    }
    this.running.end(callId, null);
  }

  /**
   * Judges a row. `gone`: the place is free, since an answer has become too old, or since nothing is heard of the process of a call
   * that costs nothing, which is final: not sooner than a lease after the database's clock was set, since whoever runs it may still have
   * to renew by that. `ended`: such a call was charged; the row says so now, without an answer.
   * @param keptMs How long an answer stands.
   * @throws the database's error.
   */
  async judge(row: IdempotentAnswerEntity, keptMs: number): Promise<'stands' | 'ended' | 'gone'> {
    const { accountId, keyHash, callId, isFinished, createdAtMs, leaseUntilMs } = row;
    const { decideCallStanding, unitOfWork } = this.parts;
    const place = { accountId, keyHash, callId, isFinished };
    if (!isFinished && this.running.findCall(callId) !== null) return 'stands';
    if (isFinished) {
      if (createdAtMs >= (await this.#readSurelyMs()) - keptMs) return 'stands';
    } else {
      if (!(await this.#hasEnded({ createdAtMs, leaseUntilMs }))) return 'stands';
      const standing = await decideCallStanding({ callId, accountId });
      if (standing === 'running') return 'stands';
      if (standing === 'charged') {
        const ended = { isFinished: true, answer: null };
        await unitOfWork.transactForServer((transaction) => transaction.update(IdempotentAnswerEntity, place, ended));
        return 'ended';
      }
    }
    await unitOfWork.transactForServer((transaction) => transaction.delete(IdempotentAnswerEntity, place));
    return 'gone';
  }

  /** Says of every claim of this process that its call still runs, and looks whether the database's clock was set. Never throws. */
  async renewLeases(): Promise<void> {
    await this.#readLeaseClock().catch(() => null);
    for (const group of this.running.listInGroups(renewedAtOnceMax)) {
      const running = group.map((claim) => ({ ...claim, isFinished: false }));
      const change = { leaseUntilMs: this.#leaseFromNow() };
      await this.#write((transaction) => transaction.update(IdempotentAnswerEntity, running, change));
    }
  }

  /** Looks at the clock, so that one that is set forward later is seen to be. Never throws. */
  async learnTime(): Promise<void> {
    await this.#time.readMs().catch(() => null);
  }

  /** Deletes what is surely older than 24 hours; unless the database is away. Never throws. */
  async sweep(): Promise<void> {
    const surelyMs = await this.#readSurelyMs().catch(() => null);
    if (surelyMs === null) return;
    const createdAtMs = LessThan(surelyMs - answersKeptMs);
    await this.#write((transaction) => transaction.delete(IdempotentAnswerEntity, { createdAtMs }));
  }

  /** Whether nothing is heard of the process of a call, by the clock of the database. @throws the database's error. */
  async #hasEnded({ createdAtMs, leaseUntilMs }: Pick<IdempotentAnswerEntity, 'createdAtMs' | 'leaseUntilMs'>) {
    const { leaseMs, graceMs } = this.parts.times;
    const { nowMs, countedMs } = await this.#readLeaseClock();
    if (countedMs - this.#setAtMs < leaseMs) return false;
    if (leaseUntilMs === null) return nowMs > createdAtMs + runningMsMax;
    return isLeaseOver(leaseUntilMs, nowMs, graceMs, holdLeaseMsMax);
  }

  /** @throws the database's error. */
  async #readLeaseClock(): Promise<{ readonly nowMs: number; readonly countedMs: number }> {
    const { databaseClock, monotonicMs = () => performance.now() } = this.parts;
    const askedMs = monotonicMs();
    const nowMs = await databaseClock.readMs();
    const countedMs = monotonicMs();
    if (this.#steps.note({ askedMs, answeredMs: countedMs, saidMs: nowMs })) this.#setAtMs = countedMs;
    return { nowMs, countedMs };
  }

  /** By which an ended call, or a change, becomes too old, also in a process that begins on a clock that is ahead. @throws the database's error. */
  async #readSurelyMs(): Promise<number> {
    return Math.min(await this.#time.readMs(), await this.parts.findBelievedMs());
  }

  #now(): () => string {
    return () => this.parts.databaseClock.sqlAfter(0);
  }

  #leaseFromNow(): () => string {
    return () => this.parts.databaseClock.sqlAfter(this.parts.times.leaseMs);
  }

  // The call itself is settled by then; a row that cannot be written must not turn its answer into an error.
  async #write(work: Parameters<UnitOfWork['transactForServer']>[0]): Promise<void> {
    try {
      await this.parts.unitOfWork.transactForServer(work);
    } catch (error) {
      this.parts.logger.error('idempotent_answer_not_written', { error });
    }
  }
}

export function toBilledAnswer({ callId, answer }: IdempotentAnswerEntity): BilledAnswer {
  return { callId, answer: answer === null ? null : unpackAnswer(answer) };
}
