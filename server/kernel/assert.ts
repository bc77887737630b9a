/**
 * Stops the work at hand when something that the code promises to be true is not. For programmer errors only;
 * never for input, and never caught in order to go on.
 */
export function assertInvariant(isTrue: boolean, sentence: string): asserts isTrue {
  if (!isTrue) throw new Error(`Invariant broken: ${sentence}`);
}

/** Makes the compiler prove that a switch names every case. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected case: ${JSON.stringify(value)}`);
}
