import type { CallFilter } from './call-filter.js';
import type { CallReader, CallRecord } from './call-reader.js';
import { refusalsKeptMax } from './refusal-log.js';
import type { KeptRefusal, RefusalReader } from './refusal-reader.js';

/** Which requests are wanted; what is left out or null does not matter. */
export interface RequestFilter extends CallFilter {
  /** Only those that became calls, or only those that were refused. */
  readonly isRefused?: boolean | null | undefined;
}

/** What came in: a call, or alike requests that were refused within seconds. */
export type ListedRequest =
  | { readonly call: CallRecord; readonly refusal: null }
  | { readonly call: null; readonly refusal: KeptRefusal };

export interface RequestPage {
  /** Newest first, or largest first where that was asked for. */
  readonly items: readonly ListedRequest[];
  readonly hasNextPage: boolean;
  /** The `beforeId` of the next page, when that is not the last item's. */
  readonly endKey: string | null;
}

export interface RequestSources {
  readonly calls: Pick<CallReader, 'listCalls' | 'listLargest'>;
  readonly refusals: Pick<RefusalReader, 'listRefusals'>;
}

export type RequestOrder = 'newest' | 'cost' | 'duration';

/** Reads what came in, calls and refused requests as one list. */
export class RequestReader {
  constructor(private readonly sources: RequestSources) {}

  /**
   * Newest first, each request once, over all pages. By cost or duration: one page, the largest of the newest 10,000 calls that the
   * time and the key leave; refused requests have neither.
   * @throws InvalidInputError for a time that ends before it begins.
   */
  async listRequests(
    accountId: string,
    page: {
      readonly first: number;
      readonly beforeId: string | null;
      readonly filter?: RequestFilter;
      readonly order?: RequestOrder;
    },
  ): Promise<RequestPage> {
    const { first, beforeId, filter = {}, order = 'newest' } = page;
    if (order !== 'newest') {
      const by = order === 'cost' ? 'chargedMillicredits' : 'totalMs';
      const calls = filter.isRefused ? [] : await this.sources.calls.listLargest(accountId, { first, filter, by });
      return { items: calls.map(toListed), hasNextPage: false, endKey: null };
    }
    const found = filter.isRefused
      ? { items: [], hasNextPage: false, endKey: null }
      : await this.sources.calls.listCalls(accountId, { first, beforeId, filter });
    // Older refusals come with the calls that are as old.
    const lastId = found.hasNextPage ? (found.endKey ?? found.items.at(-1)?.callId ?? null) : null;
    const refusals = await this.#listRefusals(accountId, { beforeId, lastId, filter });
    const items = [...found.items.map(toListed), ...refusals.map((refusal) => ({ call: null, refusal }))].sort(
      newestFirst,
    );
    const isFull = items.length > first;
    return {
      items: items.slice(0, first),
      hasNextPage: found.hasNextPage || isFull,
      endKey: isFull ? null : found.hasNextPage ? lastId : null,
    };
  }

  async #listRefusals(
    accountId: string,
    { beforeId, lastId, filter }: { beforeId: string | null; lastId: string | null; filter: RequestFilter },
  ): Promise<readonly KeptRefusal[]> {
    if (filter.isRefused === false || asksForCalls(filter)) return [];
    // An account keeps no more, so all of them are looked at.
    const { items } = await this.sources.refusals.listRefusals(accountId, { first: refusalsKeptMax, beforeId });
    return items.filter((refusal) => (lastId === null || refusal.id >= lastId) && fits(refusal, filter));
  }
}

function toListed(call: CallRecord): ListedRequest {
  return { call, refusal: null };
}

function newestFirst(one: ListedRequest, other: ListedRequest): number {
  return idOf(one) < idOf(other) ? 1 : -1;
}

/** The id that a request was answered with as `x-request-id`. */
export function idOf({ call, refusal }: ListedRequest): string {
  return call?.callId ?? refusal?.id ?? '';
}

/** What only a call has. */
function asksForCalls({ provider, outcome, isStreamed, tag, endUser }: RequestFilter): boolean {
  return [provider, outcome, isStreamed, tag, endUser].some((value) => value != null);
}

function fits(refusal: KeptRefusal, { fromMs, toMs, model, keyId, errorCode }: RequestFilter): boolean {
  return (
    (fromMs == null || refusal.lastAtMs >= fromMs) &&
    (toMs == null || refusal.lastAtMs < toMs) &&
    (model == null || refusal.model === model) &&
    (keyId == null || refusal.keyId === keyId) &&
    (errorCode == null || refusal.errorCode === errorCode)
  );
}
