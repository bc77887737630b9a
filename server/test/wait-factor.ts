const factorMin = 1;
const factor = Number(process.env.TOLLGATE_WAIT_FACTOR ?? factorMin);
if (!(factor >= factorMin)) throw new Error(`TOLLGATE_WAIT_FACTOR is not a number of at least ${factorMin}.`);

/**
 * How long a test may wait for something on this machine: `limitMs` times TOLLGATE_WAIT_FACTOR, which the test run measures
 * once at its start. For limits only, never for a time that a test means: a slow machine is given longer, and nobody waits
 * longer for what has happened. The limits given to `it`, `beforeAll` and the like are stretched already.
 */
export function stretched(limitMs: number): number {
  return Math.ceil(limitMs * factor);
}
