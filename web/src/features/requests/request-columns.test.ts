import { readColumns, writeColumns } from './request-columns';

const kept = (columns: string) =>
  readColumns(new URLSearchParams(columns === '' ? {} : { columns }))
    .filter(({ isKept }) => isKept)
    .map(({ id }) => id);

describe('The columns of requests on a tablet', () => {
  it('are as many of the chosen ones as there is room for, from the left', () => {
    expect(kept('time,key,tag,status')).toEqual(['time', 'key', 'tag', 'status']);
    expect(kept('provider,key,tag,user,error,tokens')).toEqual(['provider', 'key', 'tag', 'user', 'tokens']);
  });

  it('are time, tokens, credits and status where nobody has chosen', () => {
    expect(kept('')).toEqual(['time', 'tokens', 'credits', 'status']);
  });
});

describe('The columns of requests that failed', () => {
  const idsOf = (search: URLSearchParams) => readColumns(search).map(({ id }) => id);
  it.each(['failed', 'interrupted', 'refused'])('say why, also on a tablet and a phone: %s', (status) => {
    const search = new URLSearchParams({ status });
    expect(idsOf(search)).toEqual(['time', 'provider', 'key', 'error', 'credits', 'duration', 'status']);
    expect(readColumns(search).find(({ id }) => id === 'error')?.isKept).toBe(true);
  });

  it('are those that somebody has chosen, and the address leaves the usual ones out', () => {
    const search = new URLSearchParams({ status: 'failed', columns: 'time,tokens' });
    expect(idsOf(search)).toEqual(['time', 'tokens']);
    expect(writeColumns(search, idsOf(new URLSearchParams({ status: 'failed' }))).has('columns')).toBe(false);
  });
});
