import { spanAt } from '../../kernel/spend-period.js';
import { findSpanBefore, listStretches, type UsageBucket } from './usage-buckets.js';

const at = (text: string) => Date.parse(text);
const written = (ms: number) => new Date(ms).toISOString().slice(0, 13);
const hourMs = 3_600_000;

/** When clocks are set there, and other moments on which a calendar is odd. */
const oddMoments = [
  ['Europe/Berlin', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['America/Santiago', '2026-04-05T03:00:00Z'],
  ['America/Santiago', '2026-09-06T04:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['Asia/Kathmandu', '2026-12-31T18:15:00Z'],
  ['Europe/Berlin', '2028-02-29T23:30:00Z'],
  ['Pacific/Kiritimati', '2026-12-31T23:59:59.999Z'],
] as const;

describe('The buckets of a report', () => {
  const zone = process.env.TZ;
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  it.each<[UsageBucket, string, string, readonly string[], string]>([
    [
      'day',
      '2028-02-28T12:00Z',
      '2028-03-01T01:00Z',
      ['2028-02-28T00', '2028-02-29T00', '2028-03-01T00'],
      '2028-03-02T00',
    ],
    ['day', '2026-02-28T12:00Z', '2026-03-01T01:00Z', ['2026-02-28T00', '2026-03-01T00'], '2026-03-02T00'],
    ['day', '2026-12-31T23:59Z', '2027-01-01T00:01Z', ['2026-12-31T00', '2027-01-01T00'], '2027-01-02T00'],
    ['hour', '2026-12-31T23:59Z', '2027-01-01T00:01Z', ['2026-12-31T23', '2027-01-01T00'], '2027-01-01T01'],
    ['month', '2026-12-31T23:59Z', '2027-01-01T00:01Z', ['2026-12-01T00', '2027-01-01T00'], '2027-02-01T00'],
    [
      'month',
      '2028-01-31T00:00Z',
      '2028-03-31T00:00Z',
      ['2028-01-01T00', '2028-02-01T00', '2028-03-01T00'],
      '2028-04-01T00',
    ],
  ])('are whole ones of UTC: each %s from %s to %s', (bucket, from, to, starts, end) => {
    const stretches = listStretches({ fromMs: at(from), toMs: at(to), bucket });
    expect(stretches.starts.map(written)).toEqual(starts);
    expect(written(stretches.endMs)).toBe(end);
  });

  it.each<[UsageBucket, string, string, readonly string[]]>([
    ['month', '2028-03-01T00:00Z', '2028-04-01T00:00Z', ['2028-02-01T00', '2028-03-01T00']],
    ['month', '2027-01-01T00:00Z', '2027-03-01T00:00Z', ['2026-11-01T00', '2027-01-01T00']],
    ['day', '2028-03-01T00:00Z', '2028-03-02T00:00Z', ['2028-02-29T00', '2028-03-01T00']],
  ])('are followed back by as many right before them: each %s from %s to %s', (bucket, from, to, [start, end] = []) => {
    const before = findSpanBefore({ fromMs: at(from), toMs: at(to), bucket });
    expect([before.fromMs, before.toMs].map(written)).toEqual([start, end]);
  });

  it.each(oddMoments)(
    'and the periods of budgets are the same on a machine in %s about %s as in UTC',
    (place, moment) => {
      const ask = () => {
        const around = [-24, -1, 0, 1, 24].map((hours) => at(moment) + hours * hourMs);
        const periods = around.flatMap((ms) => (['day', 'week', 'month'] as const).map((period) => spanAt(period, ms)));
        const spans = (['hour', 'day', 'month'] as const).map((bucket) => ({
          ...{ fromMs: around[0] as number, toMs: around.at(-1) as number, bucket },
          isExact: true,
        }));
        return [periods, spans.map(listStretches), spans.map(findSpanBefore)];
      };
      process.env.TZ = 'UTC';
      expect(new Date(at(moment)).getTimezoneOffset()).toBe(0);
      const inUtc = ask();
      process.env.TZ = place;
      expect(new Date(at(moment)).getTimezoneOffset()).not.toBe(0);
      expect(ask()).toEqual(inUtc);
    },
  );
});
