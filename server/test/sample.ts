const isWholeRun = process.env.TOLLGATE_TEST_SCOPE === 'all';
/** Whose turn it is on MariaDB is drawn in CI alone. */
const hasEnd = process.env.TOLLGATE_TURN !== undefined;

/** TOLLGATE_SAMPLE_SEED repeats the choice of an earlier run. */
const seed = Number(process.env.TOLLGATE_SAMPLE_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** How much of an exhaustive test this run does, for its title. */
export const sampleInWords = isWholeRun && !hasEnd ? 'all' : `a sample, TOLLGATE_SAMPLE_SEED=${seed}`;

/** Of how many cases a run with an end to its time does one, at least. */
const oneInWithEnd = 3;

/**
 * All cases of an exhaustive test with TOLLGATE_TEST_SCOPE=all, of which a run with an end to its time, such as CI, does a third;
 * else evenly spread ones, one in `oneIn`. Which ones changes from run to run, and the first and the last case are always there.
 */
export function sample<Case>(cases: readonly Case[], oneIn: number): readonly Case[] {
  if (isWholeRun && !hasEnd) return cases;
  return spreadSample(cases, isWholeRun ? Math.min(oneIn, oneInWithEnd) : oneIn, seed);
}

/** One in `oneIn` of the cases, which of them by the seed, and the first and the last one always. */
export function spreadSample<Case>(cases: readonly Case[], oneIn: number, by: number): readonly Case[] {
  return cases.filter((_, place) => place === 0 || place === cases.length - 1 || (place + by) % oneIn === 0);
}

/**
 * How often a test repeats what chance decides: `all` times with TOLLGATE_TEST_SCOPE=all, of which a run with an end to its time, such as
 * CI, does a third; else `usual` times.
 */
export function repetitions({ usual, all }: { readonly usual: number; readonly all: number }): number {
  if (!isWholeRun) return usual;
  return hasEnd ? Math.max(usual, Math.ceil(all / 3)) : all;
}
