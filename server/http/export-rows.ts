import type { AccountEvents } from '../audit/account-events.js';
import type { Millicredits } from '../kernel/millicredits.js';
import type { CallFilter } from '../usage/call-filter.js';
import type { CallReader, CallRecord } from '../usage/call-reader.js';

/** Read at once and held in memory, whatever the length of the whole. */
const rowsPerPage = 500;
/** The database's clock may be set back; by more than this no server that is looked after is. */
const clockSlackMs = 24 * 60 * 60 * 1_000;

/** One line of an account's statement, as the ledger tells it. */
export interface StatementLine {
  readonly id: string;
  readonly walletSeq: number;
  readonly type: string;
  readonly atMs: number;
  readonly amountMillicredits: Millicredits;
  readonly balanceAfterMillicredits: Millicredits;
  readonly callId: string | null;
}

/** Reads statements; the ledger does. */
export interface StatementSource {
  listStatement(
    accountId: string,
    page: { first: number; beforeSeq: number | null },
  ): Promise<{ readonly items: readonly StatementLine[]; readonly hasNextPage: boolean }>;
}

/** From then on, and before then; null: without that bound. */
export interface TimeBounds {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** The account's calls, newest first, read in pages as they are asked for. New ones that arrive meanwhile are not among them. */
export async function* listCallRows(calls: Pick<CallReader, 'listCalls'>, accountId: string, filter: CallFilter) {
  for (let beforeId: string | null = null, isMore = true; isMore; ) {
    const page = await calls.listCalls(accountId, { first: rowsPerPage, beforeId, filter });
    for (const call of page.items) yield toCallRow(call);
    beforeId = page.endKey ?? page.items.at(-1)?.callId ?? null;
    isMore = page.hasNextPage;
  }
}

/** The lines of the account's statement, newest first, read in pages as they are asked for. */
export async function* listStatementRows(source: StatementSource, accountId: string, { fromMs, toMs }: TimeBounds) {
  for (let beforeSeq: number | null = null, isMore = true; isMore; ) {
    const page = await source.listStatement(accountId, { first: rowsPerPage, beforeSeq });
    for (const line of page.items) {
      if ((fromMs === null || line.atMs >= fromMs) && (toMs === null || line.atMs < toMs)) yield toStatementRow(line);
    }
    const last = page.items.at(-1);
    beforeSeq = last?.walletSeq ?? null;
    // Lines stand in the order in which they were booked, and so, but for a clock that was set, in the order of time.
    isMore = page.hasNextPage && (fromMs === null || (last?.atMs ?? 0) >= fromMs - clockSlackMs);
  }
}

/** What happened to the account, newest first, read in pages as it is asked for. */
export async function* listEventRows(events: Pick<AccountEvents, 'listEvents'>, accountId: string) {
  for (let beforeId: string | null = null, isMore = true; isMore; ) {
    const page = await events.listEvents(accountId, {}, { first: rowsPerPage, beforeId });
    for (const { id, kind, createdAtMs, actorId, subjectId, detail, network, userAgent } of page.items) {
      const at = new Date(createdAtMs).toISOString();
      yield { at, event: kind, actor: actorId, subject: subjectId, detail, network, user_agent: userAgent, id };
    }
    beforeId = page.items.at(-1)?.id ?? null;
    isMore = page.hasNextPage;
  }
}

export const eventColumns = ['at', 'event', 'actor', 'subject', 'detail', 'network', 'user_agent', 'id'] as const;

// Amounts are millicredits until they are written: whole, exact, and told from text by their type.
const credits = (millicredits: number) => BigInt(millicredits);
const isoTime = (epochMs: number) => new Date(epochMs).toISOString();

function toCallRow(call: CallRecord) {
  return {
    id: call.callId,
    started_at: isoTime(call.startedAtMs),
    model: call.model,
    provider: call.provider,
    api_key_id: call.keyId,
    outcome: call.outcome,
    error_code: call.errorCode,
    finish_reason: call.finishReason,
    streamed: String(call.isStreamed),
    tier: call.tier,
    credits_per_1000_tokens: call.millicreditsPerToken,
    prompt_tokens: call.promptTokens,
    completion_tokens: call.completionTokens,
    usage_source: call.usageSource,
    credits_held: credits(call.heldMillicredits),
    credits_charged: credits(call.chargedMillicredits),
    credits_absorbed: credits(call.absorbedMillicredits),
    first_byte_ms: call.firstByteMs,
    total_ms: call.totalMs,
    tag: call.tag,
    end_user: call.endUser,
  };
}

function toStatementRow(line: StatementLine) {
  return {
    id: line.id,
    booked_at: isoTime(line.atMs),
    type: line.type,
    credits: credits(line.amountMillicredits),
    credits_after: credits(line.balanceAfterMillicredits),
    call_id: line.callId,
  };
}

/** The columns of the two tables, in order. */
export const callColumns = [
  ...['id', 'started_at', 'model', 'provider', 'api_key_id', 'outcome', 'error_code', 'finish_reason', 'streamed'],
  ...['tier', 'credits_per_1000_tokens', 'prompt_tokens', 'completion_tokens', 'usage_source'],
  ...['credits_held', 'credits_charged', 'credits_absorbed', 'first_byte_ms', 'total_ms', 'tag', 'end_user'],
] as const satisfies readonly string[];
export const statementColumns = ['id', 'booked_at', 'type', 'credits', 'credits_after', 'call_id'] as const;
