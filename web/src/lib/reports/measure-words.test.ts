import { describeFigures, formatUptime, gradeUptime } from './measure-words';

describe('what was measured', () => {
  it('is written without zeros that say nothing, and never as 100 % where something failed', () => {
    expect([100, 99.99, 99.5, 0].map(formatUptime)).toEqual(['100 %', '99.99 %', '99.5 %', '0 %']);
  });

  it('is one line that breaks between two figures, and never within one', () => {
    expect(describeFigures({ uptimePercent: 99.98, p50Ms: 1_200, p95Ms: 4_020 }).split(' ')).toEqual([
      '99.98\u00a0%\u00a0up',
      '·',
      'p50\u00a01.20\u00a0s',
      '·',
      'p95\u00a04.02\u00a0s',
    ]);
  });

  it('says so where nothing was measured, and what it takes', () => {
    const words = 'fewer than 10 calls';
    expect(describeFigures(null)).toBe(words);
    expect(describeFigures({ uptimePercent: null, p50Ms: null, p95Ms: null })).toBe(words);
    expect(describeFigures({ uptimePercent: 100, p50Ms: null, p95Ms: null })).toBe('100\u00a0%\u00a0up');
    expect([null, 100, 99, 50].map(gradeUptime)).toEqual(['none', 'full', 'high', 'low']);
  });
});
