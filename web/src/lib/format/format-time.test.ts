import { formatDuration, formatDurationShort, formatRelativeTime, formatUtcTime } from './format-time';

const now = new Date('2026-11-20T12:00:00.000Z');

describe('formatRelativeTime', () => {
  it.each([
    ['2026-11-20T12:00:04.000Z', 'just now'],
    ['2026-11-20T11:59:55.000Z', 'just now'],
    ['2026-11-20T11:59:30.000Z', '30 s ago'],
    ['2026-11-20T11:57:00.000Z', '3 min ago'],
    ['2026-11-20T07:30:00.000Z', '4 h ago'],
    ['2026-11-19T11:00:00.000Z', 'yesterday'],
    ['2026-11-16T11:00:00.000Z', '4 days ago'],
    ['2026-11-01T12:00:00.000Z', '1 Nov 2026'],
  ])('says of %s: %s', (at, words) => {
    expect(formatRelativeTime(at, now)).toBe(words);
  });
});

describe('formatUtcTime', () => {
  it('names the zone', () => {
    expect(formatUtcTime('2026-11-20T13:05:09.123Z')).toBe('2026-11-20 13:05:09 UTC');
  });
});

describe('formatDuration', () => {
  it('picks the unit that suits the size', () => {
    expect(formatDuration(412)).toBe('412 ms');
    expect(formatDuration(1860)).toBe('1.86 s');
    expect(formatDuration(124_500)).toBe('2 min 4 s');
  });
});

describe('formatDurationShort', () => {
  it.each([
    [250, '250 ms'],
    [2_500, '2.5 s'],
    [80_000, '80 s'],
    [2_500_000, '2,500 s'],
  ])('writes %i ms as %s, for which an axis has room', (ms, words) => {
    expect(formatDurationShort(ms)).toBe(words);
    expect(words.length).toBeLessThanOrEqual(7);
  });
});
