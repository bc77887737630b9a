import { fitWithin } from './read-picture';

describe('fitWithin', () => {
  it.each([
    [4_000, 3_000, 1_024, 768],
    [100, 50, 100, 50],
    [10, 100_000, 1, 1_024],
  ])('makes %d × %d into %d × %d', (width, height, fitWidth, fitHeight) => {
    expect(fitWithin(width, height)).toEqual({ width: fitWidth, height: fitHeight });
  });
});
