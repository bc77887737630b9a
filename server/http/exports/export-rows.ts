import type { AccountEvents, EventFilter } from '../../audit/account-events.js';
import type { Millicredits } from '../../kernel/millicredits.js';
import { listPriceMultiplier } from '../../kernel/token-price.js';
import type { CallFilter } from '../../usage/requests/call-filter.js';
import type { CallReader, CallRecord } from '../../usage/requests/call-reader.js';
import type { KeptRefusal, RefusalReader } from '../../usage/requests/refusal-reader.js';
import { idOf, type RequestFilter, RequestReader } from '../../usage/requests/request-list.js';

/** Read at once and held in memory, whatever the length of the whole. */
const rowsPerPage = 500;
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

/** Which lines are wanted; null, or left out: no matter. */
export interface StatementQuery {
  readonly types?: readonly string[] | null;
  /** From then on, and before then. */
  readonly fromMs?: number | null;
  readonly toMs?: number | null;
}

/** Reads statements; the ledger does. */
export interface StatementSource {
  listStatement(
    accountId: string,
    page: { first: number; beforeSeq: number | null; filter?: StatementQuery },
  ): Promise<{ readonly items: readonly StatementLine[]; readonly hasNextPage: boolean }>;
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

/** The account's calls and refused requests as one list, newest first, read in pages as they are asked for. */
export async function* listRequestRows(
  sources: { readonly calls: Pick<CallReader, 'listCalls'>; readonly refusals: Pick<RefusalReader, 'listRefusals'> },
  accountId: string,
  filter: RequestFilter,
) {
  const { calls, refusals } = sources;
  const listCalls: CallReader['listCalls'] = (id, page) => calls.listCalls(id, page);
  // A file has no order but time.
  const reader = new RequestReader({ calls: { listCalls, listLargest: async () => [] }, refusals });
  for (let beforeId: string | null = null, isMore = true; isMore; ) {
    const page = await reader.listRequests(accountId, { first: rowsPerPage, beforeId, filter });
    for (const { call, refusal } of page.items) yield call === null ? toRefusalRow(refusal) : toCallRow(call);
    const last = page.items.at(-1);
    beforeId = page.endKey ?? (last ? idOf(last) : null);
    isMore = page.hasNextPage;
  }
}

/** The lines of the account's statement, newest first, read in pages as they are asked for. */
export async function* listStatementRows(source: StatementSource, accountId: string, filter: StatementQuery) {
  for (let beforeSeq: number | null = null, isMore = true; isMore; ) {
    const page = await source.listStatement(accountId, { first: rowsPerPage, beforeSeq, filter });
    for (const line of page.items) yield toStatementRow(line);
    beforeSeq = page.items.at(-1)?.walletSeq ?? null;
    isMore = page.hasNextPage;
  }
}

/** What happened to the account, newest first, read in pages as it is asked for. */
export async function* listEventRows(
  events: Pick<AccountEvents, 'listEvents'>,
  accountId: string,
  filter: EventFilter = {},
) {
  for (let beforeId: string | null = null, isMore = true; isMore; ) {
    const page = await events.listEvents(accountId, filter, { first: rowsPerPage, beforeId });
    for (const {
      id,
      kind,
      createdAtMs,
      actorId,
      personId,
      role,
      subjectId,
      detail,
      network,
      userAgent,
    } of page.items) {
      const at = new Date(createdAtMs).toISOString();
      const did = { actor: actorId, subject: subjectId, detail };
      yield { at, event: kind, ...did, network, user_agent: userAgent, id, person: personId, role };
    }
    beforeId = page.items.at(-1)?.id ?? null;
    isMore = page.hasNextPage;
  }
}

// New ones at the end, for whoever reads the file by places.
export const eventColumns = [
  ...['at', 'event', 'actor', 'subject', 'detail', 'network', 'user_agent', 'id', 'person', 'role'],
] as const;

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
    cached_tokens: call.cachedTokens,
    reasoning_tokens: call.reasoningTokens,
    price_multiplier: call.priceMultiplier ?? listPriceMultiplier,
  };
}

function toRefusalRow({ id, lastAtMs, model, keyId, errorCode, status, param, times }: KeptRefusal) {
  return {
    id,
    model,
    error_code: errorCode,
    http_status: status,
    param,
    times,
    started_at: isoTime(lastAtMs),
    api_key_id: keyId,
    outcome: 'refused',
    credits_charged: credits(0),
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

const firstColumns = [
  ...['id', 'started_at', 'model', 'provider', 'api_key_id', 'outcome', 'error_code', 'finish_reason', 'streamed'],
  ...['tier', 'credits_per_1000_tokens', 'prompt_tokens', 'completion_tokens', 'usage_source'],
  ...['credits_held', 'credits_charged', 'credits_absorbed', 'first_byte_ms', 'total_ms', 'tag', 'end_user'],
];
const laterColumns = ['cached_tokens', 'reasoning_tokens', 'price_multiplier'];

/** The columns of the tables, in order. New ones stand at the end, for whoever reads the files by places. */
export const callColumns: readonly string[] = [...firstColumns, ...laterColumns];
export const requestColumns: readonly string[] = [...firstColumns, 'http_status', 'param', 'times', ...laterColumns];
export const statementColumns = ['id', 'booked_at', 'type', 'credits', 'credits_after', 'call_id'] as const;
