import { findRetryAfterMs } from './find-retry-after.js';

const nowMs = Date.parse('2026-11-29T19:00:00Z');
const find = (headers: Record<string, string | string[]>) => findRetryAfterMs({ headers }, nowMs);

describe('The wait that a provider asks for', () => {
  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': ' 1.5 ' }, 1_500],
    [{ 'retry-after': ['7', '9'] }, 7_000],
    [{ 'retry-after': '7', 'retry-after-ms': '250.2' }, 251],
    [{ 'retry-after': '7', 'retry-after-ms': 'soon' }, 7_000],
    [{ 'retry-after': 'Sun, 29 Nov 2026 19:00:20 GMT' }, 20_000],
    [{ 'retry-after': 'Sunday, 29-Nov-26 19:00:20 GMT' }, 20_000],
    [{ 'retry-after': 'Tue, 01 Dec 2026 00:00:00 GMT' }, 104_400_000],
    [{ 'retry-after': 'Sun, 29 Nov 2026 19:00:20 GMT', 'retry-after-ms': '40' }, 40],
    // Its clock is an hour slow, and it says so.
    [{ 'retry-after': 'Sun, 29 Nov 2026 18:00:20 GMT', date: 'Sun, 29 Nov 2026 18:00:00 GMT' }, 20_000],
    [{ 'retry-after': 'Sun, 29 Nov 2026 18:59:59 GMT' }, 0],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
  ])('is read of %j as %d ms', (headers, ms) => {
    expect(find(headers)).toBe(ms);
  });

  it.each(['', '-1', 'soon', '1e3', '0x10', 'Infinity', '2026-11-29', '12 Nov', 'Sun, 99 Nov 2026 99:00:00 GMT'])(
    'is none where it asks for "%s"',
    (words) => {
      expect(find({ 'retry-after': words })).toBeNull();
      expect(find({ 'retry-after-ms': words })).toBeNull();
    },
  );
});
