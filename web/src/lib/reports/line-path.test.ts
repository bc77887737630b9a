import { toPath } from './line-path';

describe('the path of a line', () => {
  it('goes through what was measured, and shows what stands alone between gaps', () => {
    expect(toPath([0, 50, null, 100], 100)).toBe('M0.5 100L1.5 50M3.4 0L3.6 0');
    expect(toPath([null, null], 100)).toBe('');
  });
});
