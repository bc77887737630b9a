import type { CallFilter, RequestKind, RequestOrder } from '../../gql/graphql';
import { type RangePreset, rangePresets, readRange, spanOf } from '../../lib/reports/time-range';
import { readOutcome } from '../../lib/requests/request-filter';

/** What the address may say about the requests that are wanted, besides the time. */
export const filterNames = ['model', 'provider', 'key', 'status', 'error', 'tag', 'user', 'streamed'] as const;
export type FilterName = (typeof filterNames)[number];

/** Which requests are listed, and which of them first. */
export interface RequestChoice {
  readonly filter: CallFilter | null;
  readonly kind: RequestKind | null;
  readonly order: RequestOrder;
}

/** Whether the address names a time; without one, all requests are meant. */
export function hasRange(search: URLSearchParams): boolean {
  return (search.has('from') && search.has('to')) || rangePresets.some(({ id }) => id === search.get('range'));
}

const noPreset: RangePreset = '12m';

/** What an address asks for, as the server wants it; what it names and does not exist is left out. */
export function readRequestChoice(search: URLSearchParams, nowMs: number): RequestChoice {
  const text = (name: FilterName) => search.get(name) || undefined;
  const span = hasRange(search) ? spanOf(readRange(search, noPreset), nowMs) : null;
  const streamed = search.get('streamed');
  const filter: CallFilter = {
    ...withoutUndefined({
      model: text('model'),
      provider: text('provider'),
      apiKeyId: text('key'),
      outcome: readOutcome(search),
      errorCode: text('error'),
      tag: text('tag'),
      endUser: text('user'),
      streamed: streamed === 'yes' ? true : streamed === 'no' ? false : undefined,
    }),
    ...(span && { from: new Date(span.fromMs).toISOString(), to: new Date(span.toMs).toISOString() }),
  };
  const sort = search.get('sort');
  return {
    filter: Object.keys(filter).length === 0 ? null : filter,
    kind: search.get('status') === 'refused' ? 'REFUSED' : null,
    order: sort === 'cost' ? 'COST' : sort === 'duration' ? 'DURATION' : 'NEWEST',
  };
}

/** Whether the address narrows the list at all. */
export function isNarrowed(search: URLSearchParams): boolean {
  return hasRange(search) || filterNames.some((name) => search.has(name));
}

/** How many filters the address names, its time and its order among them. */
export function countChoices(search: URLSearchParams): number {
  const named = [...filterNames, 'sort'].filter((name) => search.get(name)).length;
  return named + (hasRange(search) ? 1 : 0);
}

function withoutUndefined<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Partial<Value>;
}

/** The same choice for the address of the CSV file, which has no order but time. */
export function toExportQuery({ filter, kind }: Pick<RequestChoice, 'filter' | 'kind'>): Record<string, string> {
  const entries = Object.entries(filter ?? {}).filter(([, value]) => value !== null && value !== undefined);
  const query = Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
  return kind === null ? query : { ...query, kind: kind.toLowerCase() };
}

/** The address of today for one of before requests had this page: `/calls?call=call_…&outcome=failed`. */
export function fromCallsAddress(search: URLSearchParams): URLSearchParams {
  const renamed: Readonly<Record<string, string>> = { call: 'request', outcome: 'status' };
  return new URLSearchParams([...search].map(([name, value]) => [renamed[name] ?? name, value]));
}
