import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { Logger } from '../../kernel/logger.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import type { OperationResult } from '../commits/decide-batch.js';
import type { LedgerOperation } from '../tables/ledger-rows.js';
import { WalletLeaseEntity } from '../tables/wallet-lease.entity.js';
import type { LeaseBook } from './lease-book.js';
import type { OwnLease } from './own-lease.js';

const intervalMsMax = 1_000;
/** A lease outlives several renewals that fail. */
const renewalsPerLease = 4;

/** Finds the leases of a process that another one has recalled. */
export interface RecallReader {
  /** Whether nobody else needs to know what is reserved: one process serves the database. */
  readonly isAlone: boolean;
  listRecalled(instance: string): Promise<readonly { readonly leaseId: string; readonly accountId: string }[]>;
}

export function createRecallReader({ reader }: Pick<UnitOfWork, 'reader'>, isAlone = false): RecallReader {
  return {
    isAlone,
    listRecalled: async (instance) => {
      const rows = await reader.findBy(WalletLeaseEntity, { instance, state: 'recalled' });
      return rows.map(({ id, wallet }) => ({ leaseId: id, accountId: wallet }));
    },
  };
}

export interface LeaseRenewerParts {
  readonly book: LeaseBook;
  readonly recalls: RecallReader;
  readonly instance: string;
  readonly leaseMs: number;
  readonly submit: (operation: LedgerOperation) => Promise<OperationResult>;
  readonly readMs: () => number;
  readonly logger: Logger;
}

/**
 * Renews the leases of this process and writes into their rows what calls have reserved of them, drains those that were recalled,
 * and ends those that nobody uses. Once a second, and only while there are leases.
 */
export class LeaseRenewer {
  #timer: NodeJS.Timeout | null = null;
  #renewal: Promise<void> | null = null;
  #isFailing = false;

  constructor(private readonly parts: LeaseRenewerParts) {}

  start(): void {
    this.#timer = setInterval(() => void this.renew(), Math.min(intervalMsMax, this.parts.leaseMs / renewalsPerLease));
    this.#timer.unref();
  }

  /** While a renewal is under way, it answers with that one. Never rejects. */
  renew(): Promise<void> {
    this.#renewal ??= this.#renewNow()
      .then(() => {
        this.#isFailing = false;
      })
      .catch((error: unknown) => {
        if (!this.#isFailing) this.parts.logger.warn('lease_beat_failed', { code: (error as { code?: string }).code });
        this.#isFailing = true;
      })
      .finally(() => {
        this.#renewal = null;
      });
    return this.#renewal;
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #renewNow(): Promise<void> {
    const { book, recalls, instance, readMs } = this.parts;
    book.endIdleLeases(readMs());
    const leases = book.listLeases();
    if (leases.length === 0) return;
    const sentMs = readMs();
    const recalled = await recalls.listRecalled(instance);
    const wanted = new Set(recalled.map(({ leaseId }) => leaseId));
    for (const lease of leases) {
      if (wanted.has(lease.id)) lease.isDraining = true;
      else lease.recallCheckedMs = Math.max(lease.recallCheckedMs, sentMs);
    }
    const known = new Set(book.listLeases().map(({ id }) => id));
    // Their beginning was committed, but the answer never came here.
    const unknown = recalled.filter(({ leaseId }) => !known.has(leaseId));
    const renewals = book.listLeases().filter((lease) => wanted.has(lease.id) || this.#isDue(lease));
    const operations: LedgerOperation[] = [
      ...unknown.map((input) => ({ kind: 'end_lease' as const, input })),
      ...renewals.map(toRenewal),
    ];
    await Promise.allSettled(operations.map((operation) => this.parts.submit(operation)));
    book.endIdleLeases(readMs());
  }

  #isDue({ renewedMs, reservedInRow, reserved, isEnding }: OwnLease): boolean {
    const isOld = this.parts.readMs() - renewedMs >= this.parts.leaseMs / renewalsPerLease;
    return !isEnding && (isOld || (reservedInRow !== reserved && !this.parts.recalls.isAlone));
  }
}

function toRenewal({ id: leaseId, accountId, reserved, isDraining }: OwnLease): LedgerOperation {
  const reservedMillicredits = toMillicredits(reserved);
  return { kind: 'renew_lease', input: { leaseId, accountId, reservedMillicredits, isDraining } };
}
