import { type SpendPeriod, spanAt } from './spend-period.js';

const at = (text: string) => Date.parse(text);

describe('spanAt', () => {
  it.each<[SpendPeriod, string, string, string]>([
    ['day', '2026-01-31T00:00:00.000Z', '2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['day', '2026-01-31T23:59:59.999Z', '2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['week', '2026-02-01T23:59:59.999Z', '2026-01-26T00:00:00Z', '2026-02-02T00:00:00Z'],
    ['week', '2026-02-02T00:00:00.000Z', '2026-02-02T00:00:00Z', '2026-02-09T00:00:00Z'],
    ['week', '2027-01-01T12:00:00.000Z', '2026-12-28T00:00:00Z', '2027-01-04T00:00:00Z'],
    ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['month', '2028-02-29T12:00:00.000Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
  ])('puts the %s of %s between %s and %s', (period, moment, start, end) => {
    const id = `${period} ${start.slice(0, 10)}`;
    expect(spanAt(period, at(moment))).toEqual({ id, startsAtMs: at(start), endsAtMs: at(end) });
  });
});
