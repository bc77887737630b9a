import { formatMoment } from './format-moment';

const now = new Date('2026-11-20T12:00:00');
const at = (local: string) => formatMoment(new Date(local).toISOString(), now);

describe('formatMoment', () => {
  it('tells two lines of one day apart, however long ago that day was', () => {
    expect(at('2026-11-05T08:03:00')).toBe('5 Nov, 08:03');
    expect(at('2026-11-05T22:41:00')).toBe('5 Nov, 22:41');
    expect(at('2026-11-19T11:59:00')).toBe('19 Nov, 11:59');
    expect(at('2026-09-03T00:10:00')).toBe('3 Sep, 00:10');
  });

  it('says how long ago it was within 24 hours, and names the year of another one', () => {
    expect([at('2026-11-20T11:57:00'), at('2026-11-19T12:00:01')]).toEqual(['3 min ago', '23 h ago']);
    expect(at('2025-11-20T11:57:00')).toBe('20 Nov 2025');
  });
});
