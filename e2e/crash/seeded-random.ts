/** A whole number from 0 up to, not including, `below`. */
export type Random = (below: number) => number;

/** The same numbers for the same seed, so that a failed run can be repeated. A linear congruence; its low bits are not used. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** CRASH_SEED repeats the random choices of an earlier run; the system's own timing it cannot repeat. */
export const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
