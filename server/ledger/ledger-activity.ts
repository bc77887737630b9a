import { CommitFigures } from './commits/commit-figures.js';
import type { OperationResult } from './commits/decide-batch.js';
import { BatchFailure, type LedgerStore } from './commits/ledger-store.js';
import { callIdOf, type LedgerOperation } from './tables/ledger-rows.js';

/** Is told an account and what it has, reservations not taken off. It must be quick, and must not throw: the ledger waits for it. */
export type BalanceListener = (accountId: string, balanceMillicredits: number) => void;

const walletsRememberedMax = 50_000;
const callsRememberedMax = 10_000;

/**
 * Keeps count of what this process commits through the stores that it watches: whose wallets, for the auditor, and a few sums
 * since the start, for the operator. What other instances commit, their own activity knows.
 */
export class LedgerActivity {
  readonly commits = new CommitFigures();
  readonly #touched = new Set<string>();
  /** Calls whose last commit may have succeeded without anybody's hearing so. */
  readonly #inDoubt = new Set<string>();
  readonly #walletListeners: ((accountId: string) => void)[] = [];
  readonly #balanceListeners: BalanceListener[] = [];
  #isOverfull = false;
  #absorbedMillicredits = 0;
  #doubleResolutionCount = 0;

  /** Calls `listener` with the account after each commit of this process that was about its wallet. It must be quick. */
  onWalletTouched(listener: (accountId: string) => void): void {
    this.#walletListeners.push(listener);
  }

  /** Calls `listener`, after the commit, with what each end of a call and each grant or reversal of this process has left. */
  onBalanceLeft(listener: BalanceListener): void {
    this.#balanceListeners.push(listener);
  }

  /** A call of this account was let in by a lease: nothing was committed, and more is held. */
  noteReserved(accountId: string): void {
    for (const listener of this.#walletListeners) listener(accountId);
  }

  /** Costs that neither a hold nor a balance covered. */
  get absorbedMillicredits(): number {
    return this.#absorbedMillicredits;
  }

  /**
   * Ends of calls that found their hold ended before. Two ends of one call are a fault in its handler, though a harmless one;
   * after an outage the spool may repeat an end whose commit was in doubt, which counts here, too.
   */
  get doubleResolutionCount(): number {
    return this.#doubleResolutionCount;
  }

  /** The same store, with its commits counted here. */
  watch(unwatched: LedgerStore): LedgerStore {
    const store = this.commits.watch(unwatched);
    return {
      operationsPerBatchMax: store.operationsPerBatchMax,
      commitBatch: async (operations) => {
        try {
          const outcome = await store.commitBatch(operations);
          if (outcome.status === 'committed') {
            for (const [index, operation] of operations.entries()) this.#count(operation, outcome.results[index]);
          }
          return outcome;
        } catch (error) {
          // They come again, and may find what this batch has committed itself.
          if (!(error instanceof BatchFailure) || error.stage === 'in_doubt') this.#noteInDoubt(operations);
          throw error;
        }
      },
      close: () => store.close(),
    };
  }

  /**
   * The wallets touched since the last asking, each of them committed before now.
   * @returns null when they were too many to remember.
   */
  takeTouchedWallets(): readonly string[] | null {
    const wallets = this.#isOverfull ? null : [...this.#touched];
    this.#touched.clear();
    this.#isOverfull = false;
    return wallets;
  }

  /** Puts back what `takeTouchedWallets` answered, when nothing came of it. */
  putBack(wallets: readonly string[] | null): void {
    if (wallets === null) this.#isOverfull = true;
    for (const wallet of wallets ?? []) this.#touch(wallet);
  }

  #noteInDoubt(operations: readonly LedgerOperation[]): void {
    for (const operation of operations) {
      const callId = callIdOf(operation);
      if (callId !== null && this.#inDoubt.size < callsRememberedMax) this.#inDoubt.add(callId);
    }
  }

  #count(operation: LedgerOperation, result: OperationResult | undefined): void {
    const { kind, input } = operation;
    this.#touch(input.accountId);
    if (result?.status === 'settled' || result?.status === 'granted') {
      for (const listener of this.#balanceListeners) listener(input.accountId, result.balanceAfterMillicredits);
    }
    for (const listener of this.#walletListeners) listener(input.accountId);
    const isEnd = kind === 'settle' || kind === 'void';
    if (!isEnd || result?.status !== 'settled') return;
    if (!result.isReplay) this.#absorbedMillicredits += result.absorbedMillicredits;
    else if (!this.#inDoubt.delete(input.callId)) this.#doubleResolutionCount += 1;
  }

  #touch(wallet: string): void {
    if (this.#touched.size < walletsRememberedMax) this.#touched.add(wallet);
    else if (!this.#touched.has(wallet)) this.#isOverfull = true;
  }
}
