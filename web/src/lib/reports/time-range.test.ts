import { formatBucket } from './bucket-name';
import {
  begunOf,
  choiceOf,
  findDaysFault,
  possibleBuckets,
  readRange,
  spanOf,
  toReportTime,
  usualBucket,
  writeRange,
} from './time-range';

const nowMs = Date.UTC(2026, 10, 20, 16, 30);
const read = (query: string) => readRange(new URLSearchParams(query), '30d');

describe('the range in the address', () => {
  it('is read back as it was written, and leaves the rest of the address alone', () => {
    const search = new URLSearchParams('tab=tokens&range=7d');
    const custom = { preset: 'custom', first: '2026-01-01', last: '2026-01-31' } as const;
    const written = writeRange(search, custom);
    expect(written.toString()).toBe('tab=tokens&from=2026-01-01&to=2026-01-31');
    expect(readRange(written, '30d')).toEqual(custom);
    expect(writeRange(written, { preset: '90d' }).toString()).toBe('tab=tokens&range=90d');
  });

  it('is whole hours where a bar of a chart led to it', () => {
    const hours = { preset: 'custom', first: '2026-11-03T23', last: '2026-11-04T00' } as const;
    const span = { fromMs: Date.UTC(2026, 10, 3, 23), toMs: Date.UTC(2026, 10, 4, 1) };
    expect(writeRange(new URLSearchParams(), hours).toString()).toBe('from=2026-11-03T23&to=2026-11-04T00');
    expect(read('from=2026-11-03T23&to=2026-11-04T00')).toEqual(hours);
    expect(spanOf(hours, nowMs)).toEqual(span);
    expect(possibleBuckets(span)).toContain(usualBucket(span));
  });

  it.each([
    [Date.UTC(2026, 10, 3), Date.UTC(2026, 10, 4), '2026-11-03', '2026-11-03'],
    [Date.UTC(2026, 10, 1), Date.UTC(2026, 11, 1), '2026-11-01', '2026-11-30'],
    [Date.UTC(2026, 10, 3, 14), Date.UTC(2026, 10, 3, 15), '2026-11-03T14', '2026-11-03T14'],
    [Date.UTC(2026, 10, 3, 14), Date.UTC(2026, 10, 5), '2026-11-03T14', '2026-11-04T23'],
  ])('is exactly a time of whole hours: %d to %d is %s to %s', (fromMs, toMs, first, last) => {
    expect(choiceOf({ fromMs, toMs })).toEqual({ preset: 'custom', first, last });
    expect(spanOf(choiceOf({ fromMs, toMs }), nowMs)).toEqual({ fromMs, toMs });
  });

  it.each([
    'range=99d',
    'from=2026-02-31x&to=2026-03-01',
    'from=2026-03-02&to=2026-03-01',
    'from=1970-01-01&to=2026-01-01',
    'from=0000-01-01&to=0000-12-31',
    'from=1969-12-31&to=1970-01-31',
    'from=2026-11-03T24&to=2026-11-04T01',
    'from=2026-02-30T10&to=2026-03-04T01',
    'from=2026-11-03T10&to=2026-11-03T09',
    'from=2026-11-03T10&to=2026-11-04',
    'from=2026-11-03T1&to=2026-11-03T2',
    'from=2022-11-03T10&to=2026-11-03T10',
  ])('falls back on %s', (query) => expect(read(query)).toEqual({ preset: '30d' }));
});

describe('days that were typed', () => {
  it.each([
    ['2026-11-01', '2026-11-20', null],
    ['2026-11-20', '2026-11-30', null],
    ['2023-11-20', '2026-11-20', null],
    ['2026-02-30', '2026-11-20', 'first: Write it as 2026-11-03.'],
    ['2026-11-01', '20.11.2026', 'last: Write it as 2026-11-03.'],
    ['2026-11-02', '2026-11-01', 'last: The last day is before the first.'],
    ['2026-11-21', '2026-11-22', 'first: This day is in the future.'],
    ['2020-01-01', '2026-11-20', 'last: Choose at most three years.'],
    ['0000-01-01', '0000-12-31', 'first: Choose a day from 1970 on.'],
  ])('%s to %s: %s', (first, last, words) => {
    const fault = findDaysFault(first, last, '2026-11-20');
    expect(fault && `${fault.end}: ${fault.words}`).toBe(words);
    // What is let through here is what the address keeps.
    const kept = readRange(new URLSearchParams({ from: first, to: last }), '30d').preset;
    expect(kept === 'custom' || fault !== null).toBe(true);
  });
});

describe('the span', () => {
  it('holds today and the 29 days before it', () => {
    expect(spanOf({ preset: '30d' }, nowMs)).toEqual({
      fromMs: Date.UTC(2026, 9, 22),
      toMs: Date.UTC(2026, 10, 20, 17),
    });
  });

  it('begins months with their first day, and ends custom days with their last hour', () => {
    expect(spanOf({ preset: 'month' }, nowMs).fromMs).toBe(Date.UTC(2026, 10, 1));
    expect(spanOf({ preset: '12m' }, nowMs).fromMs).toBe(Date.UTC(2025, 11, 1));
    const custom = { preset: 'custom', first: '2026-01-01', last: '2026-01-01' } as const;
    expect(spanOf(custom, nowMs)).toEqual({ fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 0, 2) });
  });

  it.each(['24h', '7d', '30d', 'month', '90d', '12m'] as const)(
    'of %s offers the bucket that it begins with',
    (preset) => {
      const span = spanOf({ preset }, nowMs);
      expect(possibleBuckets(span)).toContain(usualBucket(span));
    },
  );

  it('has a bucket for three years and for one hour of a new month', () => {
    const threeYears = { preset: 'custom', first: '2024-01-01', last: '2026-12-31' } as const;
    expect(possibleBuckets(spanOf(threeYears, nowMs))).toEqual(['MONTH']);
    expect(possibleBuckets(spanOf({ preset: 'month' }, Date.UTC(2026, 10, 1, 0, 5)))).toEqual(['HOUR']);
  });

  it('names buckets in UTC', () => {
    expect(formatBucket('2026-11-03T14:00:00.000Z', 'HOUR')).toBe('3 Nov, 14:00');
    expect(formatBucket('2026-11-03T00:00:00.000Z', 'DAY')).toBe('3 Nov');
    expect(formatBucket('2026-11-01T00:00:00.000Z', 'MONTH')).toBe('Nov 2026');
  });
});

describe('a time that is compared with the one before it', () => {
  it('ends with the present hour where days are chosen that are not over, and is as it was where it is over, or has not begun', () => {
    const [day, now] = [Date.UTC(2026, 10, 20), Date.UTC(2026, 10, 20, 16, 20)];
    const week = spanOf({ preset: '7d' }, now);
    expect(begunOf(week, now)).toEqual(week);
    const today = spanOf({ preset: 'custom', first: '2026-11-20', last: '2026-11-20' }, now);
    expect(begunOf(today, now)).toEqual({ fromMs: day, toMs: Date.UTC(2026, 10, 20, 17) });
    expect(begunOf({ fromMs: 0, toMs: day }, now)).toEqual({ fromMs: 0, toMs: day });
    expect(begunOf(today, day - 3_600_000)).toEqual(today);
  });
});

describe('the time that a report is asked of', () => {
  it('is that of the days that were chosen, and no more, also in months', () => {
    const span = spanOf({ preset: 'custom', first: '2026-09-15', last: '2026-11-10' }, nowMs);
    const asked = { from: '2026-09-15T00:00:00.000Z', to: '2026-11-11T00:00:00.000Z', exact: true };
    expect(toReportTime(span)).toEqual(asked);
  });
});
