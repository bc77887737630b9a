import { withinMs } from '../kernel/jobs/within-ms.js';

const closeMsMax = 20_000;

/**
 * Works, and closes what it worked with, whatever came of that. A database that has ceased to answer takes no leave either: what was done
 * is done, and the program goes on without it.
 * @throws what the work throws, and not what closing then fails by.
 */
export async function workThenClose<Result>(work: () => Promise<Result>, close: () => Promise<void>): Promise<Result> {
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    await closeInTime(close).catch(() => {});
    throw error;
  }
  await closeInTime(close);
  return result;
}

async function closeInTime(close: () => Promise<void>): Promise<void> {
  const late = new Error('The database does not let its connections be closed.');
  await withinMs(closeMsMax, close(), late).catch((error: unknown) => {
    if (error !== late) throw error;
  });
}
