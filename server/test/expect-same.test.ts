import { expectSame, expectSameEach } from './expect-same.js';

describe('what is asked of each piece of a stream', () => {
  it('passes for one and the same value, and fails for another as expect does', () => {
    expectSame('a', 'a');
    expectSame(Number.NaN, Number.NaN);
    for (const [actual, expected] of [
      ['a', 'b'],
      [0, -0],
      [null, undefined],
      [{}, {}],
    ] as const)
      expect(() => expectSame(actual, expected)).toThrow('toBe');
  });

  it('passes for the same values in the same places alone', () => {
    expectSameEach([], []);
    expectSameEach([null, 1, 'a'], [null, 1, 'a']);
    for (const [actual, expected] of [
      [[1], []],
      [[], [1]],
      [
        [1, 2],
        [2, 1],
      ],
      [[false], [0]],
    ] as const)
      expect(() => expectSameEach(actual, expected)).toThrow('toEqual');
  });
});
