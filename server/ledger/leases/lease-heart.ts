import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { Logger } from '../../kernel/logger.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import type { OperationResult } from '../commits/decide-batch.js';
import type { LedgerOperation } from '../tables/ledger-rows.js';
import { WalletLeaseEntity } from '../tables/wallet-lease.entity.js';
import type { LeaseBook } from './lease-book.js';
import type { OwnLease } from './own-lease.js';

const beatMsMax = 1_000;
/** A lease outlives several renewals that fail. */
const renewalsPerLease = 4;

/** Finds the leases of a process that somebody wants back. */
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

export interface LeaseHeartParts {
  readonly book: LeaseBook;
  readonly recalls: RecallReader;
  readonly instance: string;
  readonly leaseMs: number;
  readonly submit: (operation: LedgerOperation) => Promise<OperationResult>;
  readonly readMs: () => number;
  readonly logger: Logger;
}

/**
 * Keeps the leases of this process alive, tells what calls have reserved of them, hears what is wanted back, and returns what
 * nobody uses. Once a second, and only while there are leases.
 */
export class LeaseHeart {
  #timer: NodeJS.Timeout | null = null;
  #beat: Promise<void> | null = null;
  #isAway = false;

  constructor(private readonly parts: LeaseHeartParts) {}

  start(): void {
    this.#timer = setInterval(() => void this.beat(), Math.min(beatMsMax, this.parts.leaseMs / renewalsPerLease));
    this.#timer.unref();
  }

  /** While a beat is under way, it answers with that one. Never rejects. */
  beat(): Promise<void> {
    this.#beat ??= this.#beatNow()
      .then(() => {
        this.#isAway = false;
      })
      .catch((error: unknown) => {
        if (!this.#isAway) this.parts.logger.warn('lease_beat_failed', { code: (error as { code?: string }).code });
        this.#isAway = true;
      })
      .finally(() => {
        this.#beat = null;
      });
    return this.#beat;
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #beatNow(): Promise<void> {
    const { book, recalls, instance, readMs } = this.parts;
    book.tidy(readMs());
    const leases = book.listLeases();
    if (leases.length === 0) return;
    const sentMs = readMs();
    const recalled = await recalls.listRecalled(instance);
    const wanted = new Set(recalled.map(({ leaseId }) => leaseId));
    for (const lease of leases) {
      if (wanted.has(lease.id)) lease.isDraining = true;
      else lease.heardMs = Math.max(lease.heardMs, sentMs);
    }
    const known = new Set(book.listLeases().map(({ id }) => id));
    // One of which nobody has heard that it began.
    const strays = recalled.filter(({ leaseId }) => !known.has(leaseId));
    const renewals = book.listLeases().filter((lease) => wanted.has(lease.id) || this.#isDue(lease));
    const operations: LedgerOperation[] = [
      ...strays.map((input) => ({ kind: 'end_lease' as const, input })),
      ...renewals.map(toRenewal),
    ];
    await Promise.allSettled(operations.map((operation) => this.parts.submit(operation)));
    book.tidy(readMs());
  }

  #isDue({ renewedMs, told, reserved, isEnding }: OwnLease): boolean {
    const isOld = this.parts.readMs() - renewedMs >= this.parts.leaseMs / renewalsPerLease;
    return !isEnding && (isOld || (told !== reserved && !this.parts.recalls.isAlone));
  }
}

function toRenewal({ id: leaseId, accountId, reserved, isDraining }: OwnLease): LedgerOperation {
  const reservedMillicredits = toMillicredits(reserved);
  return { kind: 'renew_lease', input: { leaseId, accountId, reservedMillicredits, isDraining } };
}
