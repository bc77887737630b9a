import { bucketNamer, describeBuckets, formatBucket, toChartPlaces } from './bucket-name';
import { nameDays } from './calendar';

describe('formatBucket', () => {
  it.each(['en-US', 'en-GB', 'en-AU', 'en-IN'])('names the months as the picker does for readers of %s', (locale) => {
    for (let month = 1; month <= 12; month += 1) {
      const day = `2026-${String(month).padStart(2, '0')}-01` as const;
      const [name = ''] = formatBucket(`${day}T00:00:00.000Z`, 'MONTH').split(' ');
      expect(nameDays(day, day, locale).split(/[ ,]+/)).toContain(name);
    }
  });
});

describe('bucketNamer', () => {
  it.each([
    ['Pacific/Auckland', '28 Nov, 14:00 UTC (29 Nov, 03:00 in your time zone)'],
    ['Pacific/Pago_Pago', '28 Nov, 14:00 UTC (28 Nov, 03:00 in your time zone)'],
    ['Asia/Kolkata', '28 Nov, 14:00 UTC (28 Nov, 19:30 in your time zone)'],
    ['UTC', '28 Nov, 14:00 UTC'],
    ['Atlantic/Reykjavik', '28 Nov, 14:00 UTC'],
  ])('tells a reader in %s which hour of theirs an hour of a chart is', (zone, words) => {
    expect(bucketNamer('HOUR', zone)('2026-11-28T14:00:00.000Z')).toBe(words);
  });

  it('names days and months as billing has them', () => {
    const start = '2026-09-01T00:00:00.000Z';
    expect([bucketNamer('DAY', 'Asia/Tokyo')(start), bucketNamer('MONTH', 'Asia/Tokyo')(start)]).toEqual([
      '1 Sep UTC',
      'Sep 2026 UTC',
    ]);
  });
});

describe('toChartPlaces', () => {
  const hours = (count: number) =>
    Array.from({ length: count }, (_, hour) => new Date(Date.UTC(2026, 10, 27, 14 + hour)).toISOString());
  const axis = (count: number) => toChartPlaces(hours(count), 'HOUR').map(({ shortName }) => shortName);

  it('names hours on the axis of two days at most, and on a longer one the days', () => {
    expect(axis(24).slice(8, 11)).toEqual(['22:00', '23:00', '00:00']);
    expect(axis(168).filter((name) => name !== '')).toEqual(
      [28, 29, 30].map((day) => `${day} Nov`).concat('1 Dec', '2 Dec', '3 Dec', '4 Dec'),
    );
    expect(axis(168).indexOf('28 Nov')).toBe(10);
    expect(toChartPlaces(hours(168), 'HOUR')[1]?.name).toContain('27 Nov, 15:00 UTC');
  });
});

describe('describeBuckets', () => {
  it('says when a day begins where the reader is, unless that is the same', () => {
    expect(describeBuckets('2026-11-28', 'UTC')).toBe('Hours, days and months are in UTC.');
    expect(describeBuckets('2026-11-28', 'Pacific/Pago_Pago')).toMatch(
      /^Hours, days and months are in UTC: days begin at 00:00 UTC, which is (13:00|1:00\sPM) the day before in your time zone \(Pacific\/Pago_Pago\)\.$/,
    );
  });
});
