import { describeCoverage } from './explore-coverage';

describe('describeCoverage', () => {
  const from = '2026-05-28T06:00:00.000Z';

  it('says where a shorter report begins, why, and the way to the rest', () => {
    const words = describeCoverage({ isCompared: false }, { previous: null }, from);
    expect(words).toContain('This begins on 28 May, 06:00 UTC, later than you chose');
    expect(words).toContain('choose only those days');
    expect(words).not.toContain('period before');
  });

  it('says that a period before is left out which was asked for', () => {
    for (const coveredFrom of [null, from]) {
      expect(describeCoverage({ isCompared: true }, { previous: null }, coveredFrom)).toContain('period before');
      expect(describeCoverage({ isCompared: true }, { previous: {} }, coveredFrom)).not.toContain('period before');
    }
  });

  it('says nothing of a report that has all', () => {
    expect(describeCoverage({ isCompared: false }, { previous: null }, null)).toBe('');
    expect(describeCoverage({ isCompared: true }, { previous: {} }, null)).toBe('');
  });
});
