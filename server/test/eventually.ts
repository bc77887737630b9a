import { setTimeout as sleep } from 'node:timers/promises';

/** What is left of the limit when the check is given up, so that its own words come before those of the limit. */
const reserveMs = 1_000;

/**
 * Waits until something is so, and looks every few milliseconds. It has the time of the test or hook that it is in.
 * @param isSo What it throws, this throws.
 * @throws Error with the text of the check when that time is nearly over.
 */
export async function eventually(isSo: () => boolean | Promise<boolean>, everyMs = 5): Promise<void> {
  const { limitEndsAtMs = Number.POSITIVE_INFINITY } = globalThis as { limitEndsAtMs?: number };
  while (!(await isSo())) {
    if (performance.now() > limitEndsAtMs - reserveMs) throw new Error(`It did not become so: ${String(isSo)}`);
    await sleep(everyMs);
  }
}

/**
 * Waits for something that is not there yet, as `eventually` does.
 * @returns the first of it that is neither null nor undefined.
 */
export async function eventuallyFind<Wanted>(
  find: () => Wanted | null | undefined | Promise<Wanted | null | undefined>,
  everyMs?: number,
): Promise<Wanted> {
  let found: Wanted | null | undefined;
  const look = async () => {
    found = await find();
    return found != null;
  };
  // Its text, and not this one's, says what was waited for.
  look.toString = () => String(find);
  await eventually(look, everyMs);
  return found as Wanted;
}
