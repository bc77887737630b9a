import { readColumns } from './request-columns';

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
