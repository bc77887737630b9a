import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import type { OperationResult } from '../commits/decide-batch.js';
import type { LedgerStore } from '../commits/ledger-store.js';
import type { KeyWatch } from '../key-spend/key-watch.js';
import type { HoldInput, RenewInput, RenewResult } from '../ledger-types.js';
import type { LedgerOperation } from '../tables/ledger-rows.js';
import { LeaseBook } from './lease-book.js';
import { watchCommits } from './lease-commits.js';
import { LeaseRenewer, type RecallReader } from './lease-renewer.js';
import { recallCheckMsMax } from './own-lease.js';

const askEveryMs = 100;
/** After `recallCheckMsMax` without an answer no process lets a call in; the rest is for what was under way. */
const recallTimeoutMs = recallCheckMsMax + 500;

/** What lets calls in by leases; without it each call takes a hold. */
export interface LeaseOptions {
  readonly keyWatch: KeyWatch;
  readonly recalls: RecallReader;
  /** For tests: milliseconds that have passed for this process. */
  readonly readMs?: () => number;
}

interface LedgerLeasesParts extends LeaseOptions {
  readonly instance: string;
  readonly leaseMs: number;
  readonly logger: Logger;
  readonly submit: (operation: LedgerOperation) => Promise<OperationResult>;
  readonly onReserved: (accountId: string) => void;
}

/** The leases of one ledger: the book of them, what renews them, and what other processes have recalled. */
export class LedgerLeases {
  readonly book: LeaseBook;
  readonly #renewer: LeaseRenewer;
  readonly #readMs: () => number;

  constructor(private readonly parts: LedgerLeasesParts) {
    const { instance, keyWatch, leaseMs, recalls, submit, onReserved, logger, readMs = systemClock.elapsedMs } = parts;
    this.#readMs = readMs;
    const nowMs = () => systemClock.nowMs();
    this.book = new LeaseBook({ instance, keyWatch, leaseMs, submit, onReserved, readMs, nowMs });
    this.#renewer = new LeaseRenewer({ book: this.book, recalls, instance, leaseMs, submit, readMs, logger });
  }

  start(): void {
    this.#renewer.start();
  }

  /** Renews the leases of this process at once, drains what was recalled, and ends what is idle. Never rejects. */
  renew(): Promise<void> {
    return this.#renewer.renew();
  }

  watch(store: LedgerStore): LedgerStore {
    return watchCommits(store, { book: this.book, instance: this.parts.instance, readMs: this.#readMs });
  }

  /**
   * Gives a call that a lease has let in a hold of its own, with what it has used so far. Where there is too little for that it stays
   * with its lease, and the next round tries again.
   */
  async promote(call: HoldInput, { promptTokens, completionTokens }: RenewInput): Promise<RenewResult> {
    const { callId, accountId, keyId, facts, amountMillicredits } = call;
    const input = { callId, accountId, keyId, facts, amountMillicredits, promptTokens, completionTokens };
    await this.parts.submit({ kind: 'promote', input, instance: this.parts.instance });
    return { status: 'renewed' };
  }

  /** Gives back what no call runs on. */
  async close(): Promise<void> {
    this.#renewer.close();
    await this.book.close();
  }
}

/** Waits until no other process can let a call in against what it has leased of a wallet: seconds at most. */
export async function waitUntilRecalled(ask: () => Promise<OperationResult>): Promise<void> {
  const endsMs = performance.now() + recallTimeoutMs;
  while (performance.now() < endsMs) {
    await sleep(askEveryMs);
    const result = await ask().catch(() => null);
    if (result?.status === 'recalled' && result.pendingRecalls === 0) return;
  }
}
