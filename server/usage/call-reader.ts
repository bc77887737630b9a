import { LessThan, type Repository } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { isId } from '../kernel/ids.js';

/** The receipt of one call. Money in millicredits. */
export interface CallRecord {
  readonly callId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  readonly provider: string;
  readonly tier: string;
  readonly millicreditsPerToken: number;
  readonly isStreamed: boolean;
  readonly outcome: 'completed' | 'interrupted' | 'abandoned' | 'failed' | 'expired';
  readonly errorCode: string | null;
  readonly finishReason: string | null;
  readonly usageSource: 'reported' | 'estimated' | 'none';
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly heldMillicredits: number;
  readonly chargedMillicredits: number;
  /** What the house paid because neither the hold nor the balance covered it. */
  readonly absorbedMillicredits: number;
  readonly startedAtMs: number;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
  /** As JSON; `readAttempts` reads it. */
  readonly attempts: string | null;
}

/** One provider that was asked in the course of a call. */
export interface CallAttempt {
  readonly provider: string;
  readonly upstreamModel: string;
  /** The HTTP status of its answer; null: none came, or it lives in this process. */
  readonly status: number | null;
  /** null: it answered, or the caller left first. */
  readonly errorCode: string | null;
  readonly durationMs: number;
}

/** Whom a call has asked, in order; none for a call of which that is not known. */
export function readAttempts({ attempts }: Pick<CallRecord, 'attempts'>): readonly CallAttempt[] {
  return attempts === null ? [] : (JSON.parse(attempts) as CallAttempt[]);
}

/** Reads the finished calls of accounts, as the ledger wrote them down. A foreign call answers as a missing one. */
export class CallReader {
  readonly #records: Repository<CallRecord>;

  // By the table's name: whoever moves credits owns that table, and this folder only looks at it.
  constructor(unitOfWork: UnitOfWork) {
    this.#records = unitOfWork.reader.getRepository<CallRecord>('call_record');
  }

  /** Newest first: ids sort by the time of making. @param page.beforeId The last id of the page before; null: the newest. */
  async listCalls(accountId: string, page: { first: number; beforeId: string | null }) {
    const rows = await this.#records.find({
      where: page.beforeId === null ? { accountId } : { accountId, callId: LessThan(page.beforeId) },
      order: { callId: 'DESC' },
      take: page.first + 1,
    });
    const items: readonly CallRecord[] = rows.slice(0, page.first);
    return { items, hasNextPage: rows.length > page.first };
  }

  async findCall(accountId: string, callId: string): Promise<CallRecord | null> {
    if (!isId('call', callId)) return null;
    return this.#records.findOneBy({ callId, accountId });
  }
}
