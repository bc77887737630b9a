/*
 * As `expect(…).toBe` and `toEqual` of plain values, for what is asked of each piece of a stream: `expect` makes all of its matchers and
 * notes where it stands before it compares, which takes a hundred times as long. It is asked where it is going to fail.
 */

/** Fails unless both are one and the same value, as `toBe` does. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) expect(actual).toBe(expected);
}

/** Fails unless each is the same value as the one in its place, as `toEqual` does for values that are no objects. */
export function expectSameEach(actual: readonly unknown[], expected: readonly unknown[]): void {
  const isSame = actual.length === expected.length && actual.every((value, place) => Object.is(value, expected[place]));
  if (!isSame) expect(actual).toEqual(expected);
}
