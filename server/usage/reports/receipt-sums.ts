import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { queryByIndex } from '../../database/query-by-index.js';
import { InvalidInputError } from '../../kernel/app-error.js';
import { leastIdAt } from '../../kernel/ids.js';
import { boundTime, clockJumpMs } from '../requests/call-filter.js';
import type { CallRecord } from '../requests/call-reader.js';

/** Read in one query, which on SQLite holds everybody up. */
const callsPerPage = 5_000;
const index = 'ix_call_record_account';
const hourMs = 3_600_000;

export interface ReceiptsWanted {
  readonly accountId: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Columns of receipts to divide by, and the values wanted of some. */
  readonly columns: readonly string[];
  readonly filter: Readonly<Record<string, readonly string[]>>;
  /** So many calls are looked at, and no more. */
  readonly callsMax: number;
}

/**
 * Sums receipts by the hour, for what the ledger's own sums do not know: tags, end users and statuses. Each row has `hourMs`, the columns, and the
 * sums as `UsageSums` names them; what is null is ''. Exact, and bounded.
 * @throws InvalidInputError for more calls than may be looked at.
 */
export async function sumReceipts(
  reader: EntityManager,
  wanted: ReceiptsWanted,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const rows: Readonly<Record<string, unknown>>[] = [];
  // An id is made when its call arrives, on the same machine.
  let afterId = leastIdAt('call', boundTime(wanted.fromMs - clockJumpMs));
  const endId = leastIdAt('call', boundTime(wanted.toMs + clockJumpMs));
  for (let calls = 0; ; calls += callsPerPage) {
    if (calls >= wanted.callsMax) throw tooMany(wanted.callsMax);
    const lastId = await findLastId(reader, wanted.accountId, { afterId, endId });
    rows.push(...(await sumPage(reader, wanted, { afterId, endId: lastId ?? endId })));
    if (lastId === null) return rows;
    afterId = lastId;
    await nextTurn();
  }
}

/**
 * @param endMs as `findRemovedUntil` has it
 * @throws InvalidInputError for a time of which receipts were removed because of their age: sums of what is left would look like all.
 */
export function refuseRemoved(endMs: number): void {
  if (endMs === 0) return;
  const day = new Date(endMs).toISOString().slice(0, 10);
  const words = `Calls before ${day} are kept as sums by model, provider and key alone. Begin on ${day} or later, or leave out tag, end user and status.`;
  throw new InvalidInputError('from', words);
}

type SpanOfReceipts = Pick<ReceiptsWanted, 'accountId' | 'fromMs' | 'toMs'>;

/** The end of the last month in a time of which receipts were removed; 0: there is none. */
export async function findRemovedUntil(
  reader: EntityManager,
  { accountId, fromMs, toMs }: SpanOfReceipts,
): Promise<number> {
  const query = reader
    .createQueryBuilder()
    .select('MAX(month.month_end_ms)', 'endMs')
    .from('sealed_month', 'month')
    .where('month.account_id = :accountId AND month.month_end_ms > :fromMs AND month.month_ms < :toMs', {
      accountId,
      fromMs,
      toMs,
    });
  return Number((await query.getRawOne<{ endMs: unknown }>())?.endMs ?? 0);
}

interface IdSpan {
  readonly afterId: string;
  readonly endId: string;
}

// Found in the index alone. null: there are fewer.
async function findLastId(reader: EntityManager, accountId: string, span: IdSpan): Promise<string | null> {
  const query = selectCalls(reader, accountId, span)
    .select('receipt.callId', 'callId')
    .orderBy('receipt.callId', 'ASC')
    .offset(callsPerPage - 1)
    .limit(1);
  const [row] = await queryByIndex(query, index);
  return row === undefined ? null : String(row.callId);
}

async function sumPage(
  reader: EntityManager,
  { accountId, fromMs, toMs, columns, filter }: ReceiptsWanted,
  span: IdSpan,
) {
  const hour = `receipt.started_at_ms - receipt.started_at_ms % ${hourMs}`;
  const query = selectCalls(reader, accountId, span)
    .andWhere('receipt.started_at_ms >= :fromMs AND receipt.started_at_ms < :toMs', { fromMs, toMs })
    .select(hour, 'hourMs')
    .addSelect('COUNT(*)', 'calls')
    .addSelect("SUM(CASE WHEN receipt.outcome IN ('completed', 'abandoned') THEN 0 ELSE 1 END)", 'failedCalls')
    .addSelect('SUM(receipt.prompt_tokens)', 'promptTokens')
    .addSelect('SUM(receipt.completion_tokens)', 'completionTokens')
    .addSelect('SUM(receipt.charged_millicredits)', 'chargedMillicredits')
    .addSelect('COUNT(*)', 'toldCalls')
    .addSelect('SUM(COALESCE(receipt.cached_tokens, 0))', 'cachedTokens')
    .addSelect('SUM(COALESCE(receipt.reasoning_tokens, 0))', 'reasoningTokens')
    .groupBy(hour);
  for (const column of columns)
    query.addSelect(`COALESCE(receipt.${column}, '')`, column).addGroupBy(`receipt.${column}`);
  for (const [column, values] of Object.entries(filter)) {
    // Without a tag is the empty one, in a filter as in what is answered.
    query.andWhere(`COALESCE(receipt.${column}, '') IN (:...of_${column})`, { [`of_${column}`]: values });
  }
  return queryByIndex(query, index);
}

function selectCalls(
  reader: EntityManager,
  accountId: string,
  { afterId, endId }: IdSpan,
): SelectQueryBuilder<CallRecord> {
  return reader
    .getRepository<CallRecord>('call_record')
    .createQueryBuilder('receipt')
    .where('receipt.account_id = :accountId AND receipt.call_id > :afterId AND receipt.call_id <= :endId', {
      accountId,
      afterId,
      endId,
    });
}

/** For the receipts of more calls than may be looked at. */
export function tooMany(callsMax: number): InvalidInputError {
  const words = `By tag, end user or status a report sums the receipts of at most ${callsMax.toLocaleString('en-US')} calls. Take less time.`;
  return new InvalidInputError('groupBy', words);
}
