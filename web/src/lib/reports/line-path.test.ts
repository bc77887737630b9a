import { toPaths } from './line-path';

describe('the path of a line', () => {
  it('goes through what was measured, and has a dot where something stands alone between gaps', () => {
    expect(toPaths([0, 50, null, 100], 100)).toEqual({ strokes: 'M0.5 100L1.5 50', dots: 'M3.5 0h0' });
    expect(toPaths([25], 100)).toEqual({ strokes: '', dots: 'M0.5 75h0' });
    expect(toPaths([null, null], 100)).toEqual({ strokes: '', dots: '' });
  });
});
