import type { CallFilter, CallOutcome } from '../../gql/graphql';
import { type RangePreset, rangePresets, readRange, spanOf } from '../../lib/time-range';

/** What the address may say about the calls that are wanted. */
export const filterNames = ['model', 'provider', 'key', 'outcome', 'streamed'] as const;
export type FilterName = (typeof filterNames)[number];

const outcomes: readonly CallOutcome[] = ['COMPLETED', 'ABANDONED', 'INTERRUPTED', 'FAILED', 'EXPIRED'];

function readOutcome(search: URLSearchParams): CallOutcome | undefined {
  return outcomes.find((outcome) => outcome.toLowerCase() === search.get('outcome'));
}

/** Whether the address names a time; without one, all calls are meant. */
export function hasRange(search: URLSearchParams): boolean {
  return (search.has('from') && search.has('to')) || rangePresets.some(({ id }) => id === search.get('range'));
}

const noPreset: RangePreset = '12m';

/** The filter that an address names, as the server wants it; null when it names none. */
export function readCallFilter(search: URLSearchParams, nowMs: number): CallFilter | null {
  const text = (name: FilterName) => search.get(name) || undefined;
  const span = hasRange(search) ? spanOf(readRange(search, noPreset), nowMs) : null;
  const streamed = search.get('streamed');
  const filter: CallFilter = {
    ...withoutUndefined({
      model: text('model'),
      provider: text('provider'),
      apiKeyId: text('key'),
      outcome: readOutcome(search),
      streamed: streamed === 'yes' ? true : streamed === 'no' ? false : undefined,
    }),
    ...(span && { from: new Date(span.fromMs).toISOString(), to: new Date(span.toMs).toISOString() }),
  };
  return Object.keys(filter).length === 0 ? null : filter;
}

function withoutUndefined<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Partial<Value>;
}

/** The same filter for the address of the CSV file. */
export function toExportQuery(filter: CallFilter | null): Record<string, string> {
  const entries = Object.entries(filter ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
