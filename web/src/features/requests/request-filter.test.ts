import {
  countChoices,
  fromCallsAddress,
  hasRange,
  isNarrowed,
  readRequestChoice,
  toExportQuery,
} from './request-filter';

const nowMs = Date.UTC(2026, 10, 20, 16, 30);
const read = (query: string) => readRequestChoice(new URLSearchParams(query), nowMs);
const all = { filter: null, kind: null, order: 'NEWEST' };

describe('the filter of requests in the address', () => {
  it('is none when nothing is named, or nothing that exists', () => {
    expect(read('')).toEqual(all);
    expect(read('request=call_1&status=strange&streamed=maybe&model=&sort=luck')).toEqual(all);
    expect(hasRange(new URLSearchParams('range=eternity'))).toBe(false);
    expect(isNarrowed(new URLSearchParams('request=call_1&columns=key'))).toBe(false);
  });

  it('is counted, with its time and its order', () => {
    const countOf = (query: string) => countChoices(new URLSearchParams(query));
    expect(countOf('request=call_1&columns=key&model=')).toBe(0);
    expect(countOf('model=gpt-4o&tag=shop&range=24h&sort=cost')).toBe(4);
    expect(countOf('from=2026-11-01&to=2026-11-02')).toBe(1);
  });

  it('is what the server understands', () => {
    const query = 'model=gpt-4o&provider=openai&key=key_1&status=failed&streamed=no&range=24h&tag=shop&user=u&error=e';
    expect(read(query).filter).toEqual({
      model: 'gpt-4o',
      provider: 'openai',
      apiKeyId: 'key_1',
      outcome: 'FAILED',
      errorCode: 'e',
      tag: 'shop',
      endUser: 'u',
      streamed: false,
      from: '2026-11-19T17:00:00.000Z',
      to: '2026-11-20T17:00:00.000Z',
    });
    expect(read('status=refused&sort=cost')).toEqual({ filter: null, kind: 'REFUSED', order: 'COST' });
  });

  it('holds both days of a custom time whole', () => {
    expect(read('from=2026-01-01&to=2026-01-02').filter).toEqual({
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-03T00:00:00.000Z',
    });
  });

  it('goes into the address of the CSV file', () => {
    expect(toExportQuery(read('status=failed&streamed=yes'))).toEqual({ outcome: 'FAILED', streamed: 'true' });
    expect(toExportQuery(read('status=refused&error=e'))).toEqual({ errorCode: 'e', kind: 'refused' });
    expect(toExportQuery(read(''))).toEqual({});
  });

  it('is found in addresses of before', () => {
    const earlier = new URLSearchParams('call=call_1&outcome=failed&model=m');
    expect(fromCallsAddress(earlier).toString()).toBe('request=call_1&status=failed&model=m');
  });
});
