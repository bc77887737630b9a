import {
  formatAbsoluteTime,
  formatDay,
  formatDuration,
  formatDurationShort,
  formatRelativeTime,
  formatUtcDay,
  formatUtcMinute,
  formatUtcTime,
} from './format-time';

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

  it.each([
    // 47 hours between the first minutes of a day and the last ones of the next.
    ['Europe/Berlin', '2026-11-18T23:10:00Z', '2026-11-20T22:50:00Z', 'yesterday'],
    // 25 hours, with a whole day between.
    ['Europe/Berlin', '2026-11-18T22:30:00Z', '2026-11-19T23:30:00Z', '2 days ago'],
    ['Pacific/Kiritimati', '2026-11-18T22:30:00Z', '2026-11-19T23:30:00Z', 'yesterday'],
    // Days of 25 hours, on which clocks are set back.
    ['Europe/Berlin', '2026-10-24T22:10:00Z', '2026-10-25T22:50:00Z', '24 h ago'],
    ['Europe/Berlin', '2026-10-24T21:50:00Z', '2026-10-25T22:50:00Z', 'yesterday'],
    ['Europe/Berlin', '2026-10-23T22:10:00Z', '2026-10-25T22:50:00Z', 'yesterday'],
    ['Europe/Berlin', '2026-10-23T21:50:00Z', '2026-10-25T22:50:00Z', '2 days ago'],
    ['Europe/Berlin', '2026-10-24T22:10:00Z', '2026-10-26T22:50:00Z', 'yesterday'],
    ['America/New_York', '2026-11-01T04:10:00Z', '2026-11-02T04:50:00Z', '24 h ago'],
    ['America/New_York', '2026-10-31T04:10:00Z', '2026-11-02T04:50:00Z', 'yesterday'],
    ['America/New_York', '2026-10-31T03:50:00Z', '2026-11-02T04:50:00Z', '2 days ago'],
    // One of 23 hours: a day later is less than 24 hours later.
    ['Europe/Berlin', '2026-03-28T23:30:00Z', '2026-03-29T22:20:00Z', '22 h ago'],
    ['Europe/Berlin', '2026-03-28T22:30:00Z', '2026-03-30T21:30:00Z', '2 days ago'],
    // Clocks that are set at midnight, by half an hour, or that are three quarters of an hour off.
    ['America/Santiago', '2026-04-04T03:10:00Z', '2026-04-05T03:50:00Z', '24 h ago'],
    ['America/Santiago', '2026-04-04T02:50:00Z', '2026-04-05T03:50:00Z', 'yesterday'],
    ['America/Santiago', '2026-09-06T03:50:00Z', '2026-09-07T04:00:00Z', '2 days ago'],
    ['Australia/Lord_Howe', '2026-04-04T13:05:00Z', '2026-04-05T13:25:00Z', '24 h ago'],
    ['Australia/Lord_Howe', '2026-04-04T12:55:00Z', '2026-04-05T13:25:00Z', 'yesterday'],
    ['Asia/Kathmandu', '2026-11-18T18:10:00Z', '2026-11-19T18:20:00Z', '2 days ago'],
    ['Asia/Kathmandu', '2028-02-28T18:20:00Z', '2028-02-29T18:25:00Z', 'yesterday'],
    ['Europe/Berlin', '2026-11-14T00:00:00Z', '2026-11-20T23:30:00Z', '14 Nov 2026'],
    ['Europe/Berlin', '2026-11-13T23:30:00Z', '2026-11-20T22:30:00Z', '6 days ago'],
  ])('goes by the calendar of the reader: in %s, %s is at %s %s', (zone, at, seenAt, words) => {
    expect(formatRelativeTime(at, new Date(seenAt), zone)).toBe(words);
  });
});

describe('A day in September', () => {
  it('has three letters for its month wherever a page names it, as on the axes of charts', () => {
    const at = '2026-09-03T12:00:00.000Z';
    const written = [formatDay, formatUtcDay, formatUtcMinute, formatAbsoluteTime].map((format) => format(at));
    for (const text of [...written, formatRelativeTime(at, now)]) expect(text.split(/[ ,]+/)).toContain('Sep');
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
    [0, '0'],
    [250, '250 ms'],
    [2_500, '2.5 s'],
    [80_000, '80 s'],
    [2_500_000, '2,500 s'],
  ])('writes %i ms as %s, for which an axis has room', (ms, words) => {
    expect(formatDurationShort(ms)).toBe(words);
    expect(words.length).toBeLessThanOrEqual(7);
  });
});
