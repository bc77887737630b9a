import { hasRange, readCallFilter, toExportQuery } from './call-filter';

const nowMs = Date.UTC(2026, 10, 20, 16, 30);
const read = (query: string) => readCallFilter(new URLSearchParams(query), nowMs);

describe('the filter in the address', () => {
  it('is none when nothing is named, or nothing that exists', () => {
    expect(read('')).toBeNull();
    expect(read('call=call_1&outcome=strange&streamed=maybe&model=')).toBeNull();
    expect(hasRange(new URLSearchParams('range=eternity'))).toBe(false);
  });

  it('is what the server understands', () => {
    expect(read('model=gpt-4o&provider=openai&key=key_1&outcome=failed&streamed=no&range=24h')).toEqual({
      model: 'gpt-4o',
      provider: 'openai',
      apiKeyId: 'key_1',
      outcome: 'FAILED',
      streamed: false,
      from: '2026-11-19T17:00:00.000Z',
      to: '2026-11-20T17:00:00.000Z',
    });
  });

  it('holds both days of a custom time whole', () => {
    expect(read('from=2026-01-01&to=2026-01-02')).toEqual({
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-03T00:00:00.000Z',
    });
  });

  it('goes into the address of the CSV file', () => {
    expect(toExportQuery(read('outcome=failed&streamed=yes'))).toEqual({ outcome: 'FAILED', streamed: 'true' });
    expect(toExportQuery(null)).toEqual({});
  });
});
