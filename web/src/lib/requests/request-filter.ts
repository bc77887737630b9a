import type { CallOutcome, UsageFilter } from '../../gql/graphql';

/** What an address may say about the requests that are wanted, on every page that narrows them. */
export const usageFilterNames = ['model', 'provider', 'key', 'tag', 'user', 'status'] as const;

/** What requests have in common, by its names in an address. */
export type RequestNarrowing = Readonly<Partial<Record<(typeof usageFilterNames)[number], string>>>;

const outcomes: readonly CallOutcome[] = ['COMPLETED', 'ABANDONED', 'INTERRUPTED', 'FAILED', 'EXPIRED'];

/** What a report with the filter of an address is narrowed to, for another address. */
export function readNarrowing(search: URLSearchParams): RequestNarrowing {
  const named = usageFilterNames.filter((name) => name !== 'status' || readOutcome(search));
  return Object.fromEntries(named.map((name) => [name, search.get(name)]).filter(([, value]) => value));
}

/** How calls end, by their names in the address. */
export function readOutcome(search: URLSearchParams): CallOutcome | undefined {
  return outcomes.find((outcome) => outcome.toLowerCase() === search.get('status'));
}

/** The filter of a report that an address names; null when it names none. */
export function readUsageFilter(search: URLSearchParams): UsageFilter | null {
  const text = (name: (typeof usageFilterNames)[number]) => search.get(name) || undefined;
  const [model, provider, key, tag, user] = [text('model'), text('provider'), text('key'), text('tag'), text('user')];
  const outcome = readOutcome(search);
  const filter: UsageFilter = {
    ...(model && { models: [model] }),
    ...(provider && { providers: [provider] }),
    ...(key && { apiKeyIds: [key] }),
    ...(tag && { tags: [tag] }),
    ...(user && { endUsers: [user] }),
    ...(outcome && { outcomes: [outcome] }),
  };
  return Object.keys(filter).length === 0 ? null : filter;
}
