import type { CallFilter } from './call-filter.js';
import type { CallRecord } from './call-reader.js';
import type { KeptRefusal } from './refusal-reader.js';
import { idOf, type RequestFilter, RequestReader } from './request-list.js';

const idAt = (n: number) => `call_01KAG${String(n).padStart(21, '0')}`;
const callAt = (n: number) => ({ callId: idAt(n), startedAtMs: n, model: 'gpt' }) as CallRecord;
const refusalAt = (n: number, changes: Partial<KeptRefusal> = {}): KeptRefusal => ({
  ...{ id: idAt(n), accountId: 'a', keyId: 'k', status: 429, errorCode: 'rate_limit_exceeded' },
  ...{ model: null, param: null, wire: 'chat', times: 1, lastAtMs: n, ...changes },
});

/** Pages through calls and refusals as the readers do. @param lookedAt How many calls are looked at for a page. */
function createReader(calls: readonly number[], refusals: readonly KeptRefusal[], lookedAt = Number.POSITIVE_INFINITY) {
  const newest = (ids: readonly number[]) => [...ids].sort((a, b) => b - a);
  return new RequestReader({
    calls: {
      async listCalls(_accountId, { first, beforeId }) {
        const left = newest(calls).filter((n) => beforeId === null || idAt(n) < beforeId);
        const seen = left.slice(0, Math.min(lookedAt, first));
        // Only every second call fits, so a page may be short and yet have a next one.
        const items = seen.filter((n) => lookedAt === Number.POSITIVE_INFINITY || n % 2 === 0).map(callAt);
        const last = seen.at(-1);
        const endKey = lookedAt === Number.POSITIVE_INFINITY || last === undefined ? null : idAt(last);
        return { items, hasNextPage: left.length > seen.length, endKey };
      },
      listLargest: async (_accountId, { filter }: { filter: CallFilter }) =>
        filter.model === 'none' ? [] : [callAt(7)],
    },
    refusals: {
      async listRefusals(_accountId, { first, beforeId }) {
        const items = [...refusals]
          .sort((a, b) => (a.id < b.id ? 1 : -1))
          .filter(({ id }) => beforeId === null || id < beforeId);
        return { items: items.slice(0, first), hasNextPage: items.length > first };
      },
    },
  });
}

async function readAll(reader: RequestReader, first: number, filter: RequestFilter = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let beforeId: string | null = null, pages = 0; pages < 100; pages += 1) {
    const page = await reader.listRequests('a', { first, beforeId, filter });
    ids.push(...page.items.map(idOf));
    beforeId = page.endKey ?? (page.items.at(-1) && idOf(page.items.at(-1) as (typeof page.items)[number])) ?? null;
    if (!page.hasNextPage) return ids;
  }
  throw new Error('It never ends.');
}

describe('RequestReader', () => {
  const calls = [2, 3, 5, 6, 8, 11, 12, 20];
  const refusals = [1, 4, 7, 9, 10, 13, 21].map((n) => refusalAt(n));
  const all = [...calls, ...refusals.map(({ lastAtMs }) => lastAtMs)].sort((a, b) => b - a).map(idAt);

  it.each([1, 2, 3, 5, 15, 100])('lists each request once, the newest first, in pages of %i', async (first) => {
    expect(await readAll(createReader(calls, refusals), first)).toEqual(all);
  });

  it.each([1, 2, 3])('loses no refusal where a page of calls is short, with %i calls looked at', async (lookedAt) => {
    const fitting = all.filter((id) => !calls.some((n) => idAt(n) === id && n % 2 === 1));
    expect(await readAll(createReader(calls, refusals, lookedAt), 4)).toEqual(fitting);
  });

  it('narrows refusals by what they have, and leaves them out where only calls can fit', async () => {
    const mixed = [refusalAt(1, { model: 'gpt', keyId: 'other' }), refusalAt(4, { errorCode: 'insufficient_quota' })];
    const list = (filter: RequestFilter) => readAll(createReader([], mixed), 10, filter);
    expect(await list({ model: 'gpt' })).toEqual([idAt(1)]);
    expect(await list({ keyId: 'k' })).toEqual([idAt(4)]);
    expect(await list({ errorCode: 'insufficient_quota' })).toEqual([idAt(4)]);
    expect(await list({ fromMs: 2, toMs: 5 })).toEqual([idAt(4)]);
    for (const filter of [{ tag: 'x' }, { provider: 'demo' }, { outcome: 'failed' }, { isRefused: false }] as const) {
      expect(await list(filter)).toEqual([]);
    }
    expect(await readAll(createReader(calls, mixed), 10, { isRefused: true })).toEqual([idAt(4), idAt(1)]);
  });

  it('answers one page of the largest calls, without what was refused', async () => {
    const page = { first: 5, beforeId: null, order: 'cost' } as const;
    expect(await createReader(calls, refusals).listRequests('a', page)).toEqual({
      ...{ items: [{ call: callAt(7), refusal: null }], hasNextPage: false, endKey: null },
    });
    const refused = { ...page, filter: { isRefused: true } };
    expect((await createReader(calls, refusals).listRequests('a', refused)).items).toEqual([]);
  });
});
