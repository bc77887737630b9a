/** Begins so many of one thing in the same moment, and waits for all. @returns how many were done, and why the others were not. */
export async function tryAtOnce(count: number, attempt: (n: number) => Promise<unknown>) {
  const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, n) => attempt(n)));
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  return { done: count - refused.length, refusedAs: [...new Set(refused.map(({ code }) => String(code)))] };
}
