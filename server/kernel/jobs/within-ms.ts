/**
 * What the work answers, within a time. The work itself goes on when that is over, and what it then fails by is nobody's concern.
 * @throws what the work throws; `tooLate`, or an Error of these words, when it takes longer.
 */
export async function withinMs<Result>(
  timeoutMs: number,
  work: Promise<Result>,
  tooLate: string | Error,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(typeof tooLate === 'string' ? new Error(tooLate) : tooLate), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
