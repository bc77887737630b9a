import { type FindManyOptions, In, type Repository } from 'typeorm';
import { queryByIndex } from '../../database/query-by-index.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { isId } from '../../kernel/ids.js';
import { CallHours } from '../reports/call-hours.js';
import { assertTimes, type CallConditions, type CallFilter, toCallConditions } from './call-filter.js';

/** The receipt of one call. Money in millicredits. */
export interface CallRecord {
  readonly callId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  readonly provider: string;
  readonly tier: string;
  readonly millicreditsPerToken: number;
  /** Per mille of it that the account paid; null: 1,000. */
  readonly priceMultiplier: number | null;
  readonly isStreamed: boolean;
  readonly outcome: 'completed' | 'interrupted' | 'abandoned' | 'failed' | 'expired';
  readonly errorCode: string | null;
  readonly finishReason: string | null;
  readonly usageSource: 'reported' | 'estimated' | 'none';
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly heldMillicredits: number;
  readonly chargedMillicredits: number;
  /** What the operator paid because neither the hold nor the balance covered it. */
  readonly absorbedMillicredits: number;
  readonly startedAtMs: number;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
  /** As JSON; `readAttempts` reads it. */
  readonly attempts: string | null;
  /** As JSON; `readEstimateParts` reads it. */
  readonly estimateParts: string | null;
  /** What the caller marked it with, and who of the caller's own users asked; null: not told. */
  readonly tag: string | null;
  readonly endUser: string | null;
  /** Of the prompt, what the provider read from its cache; of the answer, what was reasoned; null: nobody told. */
  readonly cachedTokens: number | null;
  readonly reasoningTokens: number | null;
  /** Credits in minus credits used once it was booked; null, or left out: the journal tells. */
  readonly balanceAfter?: number | null;
}

/** One provider that was asked in the course of a call. */
export interface CallAttempt {
  readonly provider: string;
  readonly upstreamModel: string;
  /** The HTTP status of its answer; null: none came, or it lives in this process. */
  readonly status: number | null;
  /** null: it answered, or the caller left first. */
  readonly errorCode: string | null;
  /** From the arrival of the call to its beginning: by then its credits were reserved. Left out by receipts from before this was written down. */
  readonly startMs?: number;
  readonly durationMs: number;
}

/** What an estimate is made of, in tokens; the first two are the prompt, the others the answer. */
export interface EstimateParts {
  readonly promptTokens: number;
  readonly imageTokens: number;
  readonly visibleTokens: number;
  readonly reasoningTokens: number;
}

/** What the estimate of a call is made of; null for what is none, or is from before this was written down. */
export function readEstimateParts({ estimateParts }: Pick<CallRecord, 'estimateParts'>): EstimateParts | null {
  return estimateParts === null ? null : (JSON.parse(estimateParts) as EstimateParts);
}

/** Whom a call has asked, in order; none for a call of which that is not known. */
export function readAttempts({ attempts }: Pick<CallRecord, 'attempts'>): readonly CallAttempt[] {
  return attempts === null ? [] : (JSON.parse(attempts) as CallAttempt[]);
}

export interface CallPage {
  /** Newest first. */
  readonly items: readonly CallRecord[];
  readonly hasNextPage: boolean;
  /** The `beforeId` of the next page, when that is not the last item's. */
  readonly endKey: string | null;
}

/** When no index answers a filter, so many calls are looked at for a page, and no more. */
const callsLookedAtMax = 10_000;

/** Reads the finished calls of accounts, as the ledger wrote them down. A foreign call answers as a missing one. */
export class CallReader {
  readonly #records: Repository<CallRecord>;
  readonly #journal: Repository<{ postedAfter: number; type: string }>;
  readonly #hours: CallHours;

  // By the table's name: whoever moves credits owns that table, and this folder only looks at it.
  constructor(unitOfWork: UnitOfWork) {
    this.#records = unitOfWork.reader.getRepository<CallRecord>('call_record');
    this.#journal = unitOfWork.reader.getRepository<{ postedAfter: number; type: string }>('ledger_transfer');
    this.#hours = new CallHours(unitOfWork);
  }

  /**
   * Newest first: ids sort by the time of making. A page costs the same however many calls there are. So that this holds for
   * filters by model, provider, outcome and streaming, too, 10,000 calls are looked at for a page, beginning at the newest hour
   * that has any such call; it may have fewer items than asked for, even none, and yet a next page.
   * @param page.beforeId The last id of the page before; null: the newest.
   * @throws InvalidInputError for a time that ends before it begins.
   */
  async listCalls(
    accountId: string,
    { first, beforeId, filter = {} }: { first: number; beforeId: string | null; filter?: CallFilter },
  ): Promise<CallPage> {
    assertTimes(filter);
    const start = await this.#hours.skipAhead(accountId, filter, beforeId);
    if (start === null) return { items: [], hasNextPage: false, endKey: null };
    const conditions = toCallConditions(accountId, filter, start.beforeId);
    const lastId = conditions.remaining === null ? null : await this.#findLastToLookAt(conditions);
    const { indexed, remaining } = toCallConditions(accountId, filter, start.beforeId, lastId);
    const where = { ...indexed, ...remaining };
    const ids = await this.#findIds(conditions, { where, take: first + 1 });
    const rows =
      ids.length === 0 ? [] : await this.#records.find({ where: { callId: In(ids) }, order: { callId: 'DESC' } });
    const isFull = rows.length > first;
    const isMoreLeft = isFull || (lastId !== null && (await this.#hours.skipAhead(accountId, filter, lastId)) !== null);
    return { items: rows.slice(0, first), hasNextPage: isMoreLeft, endKey: isFull ? null : lastId };
  }

  /**
   * The largest by cost or duration of the newest 10,000 calls that the time and the key of a filter leave, largest first. There is
   * no next page: an index that sorted all of them would be one more thing for every call to pay for.
   * @throws InvalidInputError for a time that ends before it begins.
   */
  async listLargest(
    accountId: string,
    page: { readonly first: number; readonly filter: CallFilter; readonly by: 'chargedMillicredits' | 'totalMs' },
  ): Promise<readonly CallRecord[]> {
    const { first, filter, by } = page;
    assertTimes(filter);
    const conditions = toCallConditions(accountId, filter, null);
    const lastId = await this.#findLastToLookAt(conditions);
    const { indexed, remaining } = toCallConditions(accountId, filter, null, lastId);
    const where = { ...indexed, ...remaining };
    const query = this.#records.createQueryBuilder('call');
    const order = { [by]: 'DESC', callId: 'DESC' } as const;
    query.setFindOptions({ where, take: first, select: { callId: true, [by]: true }, order });
    const ids = (await queryByIndex(query, conditions.index)).map((row) => String(row.call_call_id));
    return ids.length === 0 ? [] : this.#records.find({ where: { callId: In(ids) }, order });
  }

  // Found in the index alone, without a look at the calls. null: there are fewer.
  async #findLastToLookAt(conditions: CallConditions): Promise<string | null> {
    const page = { where: conditions.indexed, skip: callsLookedAtMax - 1, take: 1 };
    const [lastId] = await this.#findIds(conditions, page);
    return lastId ?? null;
  }

  async #findIds({ index }: CallConditions, page: FindManyOptions<CallRecord>): Promise<string[]> {
    const query = this.#records.createQueryBuilder('call');
    query.setFindOptions({ ...page, select: { callId: true }, order: { callId: 'DESC' } });
    return (await queryByIndex(query, index)).map((row) => String(row.call_call_id));
  }

  /** What was left when the call was booked: credits in minus credits used. null: it is not booked, or cost nothing. */
  async findBalanceAfter(accountId: string, callId: string): Promise<number | null> {
    const call = await this.#records.findOneBy({ callId, accountId });
    // A lease's calls are in the journal together, when it ends.
    if (call?.balanceAfter != null) return call.chargedMillicredits > 0 ? call.balanceAfter : null;
    const row = await this.#journal
      .createQueryBuilder('transfer')
      .where('transfer.holdId = :callId AND transfer.wallet = :accountId', { callId, accountId })
      .andWhere("transfer.type IN ('settled', 'expired', 'overage')")
      .orderBy('transfer.walletSeq', 'DESC')
      .getOne();
    return row?.postedAfter ?? null;
  }

  async findCall(accountId: string, callId: string): Promise<CallRecord | null> {
    if (!isId('call', callId)) return null;
    return this.#records.findOneBy({ callId, accountId });
  }
}
