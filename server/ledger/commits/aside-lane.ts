import { setTimeout as sleep } from 'node:timers/promises';
import { isConstraintRefusal } from '../../database/database-errors.js';
import { AppError } from '../../kernel/app-error.js';
import type { Logger } from '../../kernel/logger.js';
import type { AwakeClock } from './awake-clock.js';
import type { OperationResult } from './decide-batch.js';
import { BatchFailure, type LedgerStore } from './ledger-store.js';
import { dropOverdue, type Queued } from './queued-operation.js';

const firstPauseMs = 20;
const longestPauseMs = 1_000;
const lookEveryMs = 50;
const operationsMax = 4_096;
/** A constraint that refuses an operation may speak of what another connection has just booked; twice, it is the operation. */
const refusalsMax = 2;

/** One wallet, whose operations could not be committed together with others. */
interface AsideWallet {
  queue: Queued[];
  /** In a row. */
  failures: number;
  dueMs: number;
  /** Its operations go one by one, since one of them may be at fault. */
  isSingly: boolean;
  /** Whether its last attempt went through. */
  isServed: boolean;
  /** Operations that have failed alone, and were not tried with success since. */
  readonly suspects: Set<Queued>;
}

type Entry = readonly [accountId: string, wallet: AsideWallet];

/**
 * Where operations go whose batch the database did not take: sorted out wallet by wallet, on a connection of their own, so that
 * a wallet that somebody has locked, or an operation that no server digests, delays nobody else. A wallet that is here is
 * served here until its queue is empty, so that its operations keep their order.
 *
 * What put a wallet here may have been the database, and nothing of its own. Wallets that are served again and have nothing suspect
 * left therefore share commits: after an outage all of them are here, and one commit for each would be too few for ever.
 *
 * An operation is refused only by a constraint, alone and twice; for anything else it is tried again until its caller's
 * time is over.
 */
export class AsideLane {
  readonly #wallets = new Map<string, AsideWallet>();
  /** What is being committed right now: nobody is turned away while nobody can know whether it is. */
  #inFlight: ReadonlySet<Queued> = new Set();
  #pausedUntilMs = 0;
  #count = 0;
  #run: Promise<void> | null = null;
  #isClosing = false;

  constructor(
    private readonly store: LedgerStore,
    private readonly clock: AwakeClock,
    private readonly logger: Logger,
  ) {
    clock.onTick(() => this.#dropOverdue());
  }

  /** Operations that were put aside and not answered yet. */
  get queuedCount(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count >= operationsMax;
  }

  /** How many wallets are served here because something of theirs keeps failing. */
  get failingWalletCount(): number {
    return [...this.#wallets.values()].filter(({ failures }) => failures > 0).length;
  }

  has(accountId: string): boolean {
    return this.#wallets.has(accountId);
  }

  /** Takes operations over; from now on, those of their wallets belong here. */
  take(operations: readonly Queued[]): void {
    for (const queued of operations) {
      const { accountId } = queued.operation.input;
      const wallet = this.#wallets.get(accountId) ?? makeWallet();
      // What undoes a hold can wait for the sweeper where there is no room left.
      if (queued.isFollowUp && (this.isFull || this.#isClosing)) continue;
      wallet.queue.push(queued);
      this.#count += 1;
      this.#wallets.set(accountId, wallet);
    }
    this.#run ??= this.#runWallets().finally(() => {
      this.#run = null;
      if (this.#wallets.size > 0) this.take([]);
    });
  }

  /** Resolves when everybody who waits has been answered. What undoes holds is left to the sweeper. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#dropOverdue();
    while (this.#run) await this.#run;
  }

  async #runWallets(): Promise<void> {
    while (this.#wallets.size > 0) {
      this.#dropOverdue();
      const nowMs = this.clock.awakeMs();
      const due = [...this.#wallets].filter(([, wallet]) => wallet.dueMs <= nowMs);
      const well = due.filter(([, wallet]) => wallet.isServed && wallet.suspects.size === 0);
      for (const entries of [well, ...due.filter((entry) => !well.includes(entry)).map((entry) => [entry])]) {
        if (entries.length > 0 && this.clock.awakeMs() >= this.#pausedUntilMs) await this.#serve(entries);
      }
      const isPaused = this.clock.awakeMs() < this.#pausedUntilMs;
      if ((due.length === 0 || isPaused) && this.#wallets.size > 0) await sleep(lookEveryMs);
    }
  }

  /** Commits what these wallets have, together; of a single one that is suspect, as much as can be told apart. */
  async #serve(entries: readonly Entry[]): Promise<void> {
    const batch = this.#nextOf(entries);
    if (batch.length > 0) {
      this.#inFlight = new Set(batch);
      try {
        const outcome = await this.store.commitBatch(batch.map(({ operation }) => operation));
        const isCommitted = outcome.status === 'committed';
        const done = isCommitted ? batch : [batch[outcome.operationIndex] as Queued];
        for (const [index, { resolve }] of done.entries()) {
          const refusal = { status: 'refused', reason: 'companion_changed_nothing' } as const;
          resolve(isCommitted ? (outcome.results[index] as OperationResult) : refusal);
        }
        for (const [accountId, wallet] of entries) {
          this.#remove(wallet, done);
          this.#noteServed(accountId, wallet);
        }
      } catch (error) {
        this.#noteFailure(entries, batch, error);
      } finally {
        this.#inFlight = new Set();
      }
    }
    for (const [accountId, wallet] of entries) if (wallet.queue.length === 0) this.#wallets.delete(accountId);
  }

  #nextOf(entries: readonly Entry[]): readonly Queued[] {
    const { operationsPerBatchMax } = this.store;
    const [[, only] = []] = entries;
    if (only === undefined) return [];
    // Once something of the wallet goes through, what failed before is tried again first: it alone keeps the wallet apart.
    const suspect = only.isServed ? [...only.suspects][0] : undefined;
    if (entries.length === 1 && suspect !== undefined) return [suspect];
    const countMax = entries.length === 1 && only.isSingly ? 1 : operationsPerBatchMax;
    return entries.flatMap(([, { queue }]) => queue).slice(0, countMax);
  }

  #noteServed(accountId: string, wallet: AsideWallet): void {
    if (wallet.failures > 0) this.logger.info('ledger_wallet_served_again', { accountId, failures: wallet.failures });
    wallet.failures = 0;
    wallet.dueMs = 0;
    wallet.isServed = true;
    if (wallet.suspects.size === 0) wallet.isSingly = false;
  }

  #noteFailure(entries: readonly Entry[], batch: readonly Queued[], error: unknown): void {
    const failure = error instanceof BatchFailure ? error : new BatchFailure('in_doubt', error);
    if (failure.stage === 'in_doubt') for (const queued of batch) queued.isInDoubt = true;
    for (const [, wallet] of entries) wallet.isServed = false;
    const [entry] = entries;
    // Each by itself next time. What was not even begun is about none of them.
    if (entries.length === 1 && entry !== undefined) this.#noteFailureOf(entry, batch, failure);
    else if (failure.stage === 'not_begun') this.#pausedUntilMs = this.clock.awakeMs() + lookEveryMs;
  }

  #noteFailureOf([accountId, wallet]: Entry, batch: readonly Queued[], failure: BatchFailure): void {
    const only = batch.length === 1 ? batch[0] : undefined;
    if (failure.stage === 'not_begun') {
      // That is about no wallet, and none is worth another attempt to connect right now.
      this.#pausedUntilMs = this.clock.awakeMs() + lookEveryMs;
    } else {
      if (only && isConstraintRefusal(failure.cause)) {
        only.refusals += 1;
        if (only.refusals >= refusalsMax) {
          this.#refuse(wallet, only, failure);
          return;
        }
      }
      if (only) wallet.suspects.add(only);
      // Another one may go through although this one does not.
      if (only && wallet.queue.length > 1) wallet.queue = [...wallet.queue.filter((queued) => queued !== only), only];
      wallet.isSingly ||= batch.length > 1;
    }
    wallet.failures += 1;
    // While each is tried for the first time, none has to wait for another's pause.
    const failuresOfAll = wallet.isSingly
      ? Math.floor(wallet.failures / Math.max(1, wallet.queue.length))
      : wallet.failures;
    wallet.dueMs = this.clock.awakeMs() + Math.min(firstPauseMs * 2 ** Math.min(failuresOfAll, 10), longestPauseMs);
    if (wallet.failures === 1) {
      this.logger.warn('ledger_wallet_put_aside', { accountId, operations: batch.length, code: failure.code });
    }
  }

  #refuse(wallet: AsideWallet, refused: Queued, failure: BatchFailure): void {
    this.logger.error('ledger_operation_refused', { operation: refused.operation.kind, error: failure.cause });
    const message = 'The ledger refused this operation; nothing was booked.';
    refused.reject(new AppError('internal_error', message, { cause: failure.cause }));
    this.#remove(wallet, [refused]);
  }

  #remove(wallet: AsideWallet, done: readonly Queued[]): void {
    const isDone = new Set(done);
    const left = wallet.queue.filter((queued) => !isDone.has(queued));
    this.#count -= wallet.queue.length - left.length;
    wallet.queue = left;
    for (const queued of done) wallet.suspects.delete(queued);
  }

  #dropOverdue(): void {
    const nowMs = this.clock.awakeMs();
    for (const wallet of this.#wallets.values()) {
      const inFlight = wallet.queue.filter((queued) => this.#inFlight.has(queued));
      const { rest, followUps } = dropOverdue(
        wallet.queue.filter((queued) => !this.#inFlight.has(queued)),
        nowMs,
      );
      const waiting = this.#isClosing ? rest.filter(({ isFollowUp }) => !isFollowUp) : [...rest, ...followUps];
      const kept = [...inFlight, ...waiting];
      this.#count += kept.length - wallet.queue.length;
      wallet.queue = kept;
      for (const suspect of wallet.suspects) if (!kept.includes(suspect)) wallet.suspects.delete(suspect);
    }
  }
}

function makeWallet(): AsideWallet {
  return { queue: [], failures: 0, dueMs: 0, isSingly: false, isServed: false, suspects: new Set() };
}
