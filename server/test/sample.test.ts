import { spreadSample } from './sample.js';

describe('a sample of an exhaustive test', () => {
  const cases = [...Array(100).keys()];

  it('has the first and the last case and one in so many between them, the same for the same seed', () => {
    expect(spreadSample(cases, 8, 3)).toEqual([0, 5, 13, 21, 29, 37, 45, 53, 61, 69, 77, 85, 93, 99]);
    expect(spreadSample(cases, 8, 3)).toEqual(spreadSample(cases, 8, 3 + 8_000));
    expect(spreadSample([], 8, 3)).toEqual([]);
  });

  it('leaves out no case in the long run', () => {
    const runs = Array.from({ length: 8 }, (_, seed) => spreadSample(cases, 8, 1_000_000 + seed));
    expect(new Set(runs.flat())).toEqual(new Set(cases));
  });
});
