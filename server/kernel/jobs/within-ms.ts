import { AwakeTimer } from './awake-timer.js';

/**
 * What the work answers, within a time in which this process could work (`AwakeTimer`). The work itself goes on when that is over, and what it then fails by is nobody's concern.
 * @throws what the work throws; `tooLate`, or an Error of these words, when it takes longer.
 */
export async function withinMs<Result>(
  timeoutMs: number,
  work: Promise<Result>,
  tooLate: string | Error,
): Promise<Result> {
  let timer: AwakeTimer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = new AwakeTimer(timeoutMs, () => reject(typeof tooLate === 'string' ? new Error(tooLate) : tooLate));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.stop();
  }
}
