import { AppError } from '../kernel/app-error.js';
import type { AuthenticatedKey } from './authenticate-key.js';

/**
 * Judges a key that was read a while ago. Before it is refused, the key is read and judged again, so that what was allowed
 * meanwhile counts at once.
 * @returns a promise only where the key has to be read.
 * @throws what `judge` throws of the key as it is now, or AppError as `reload` does.
 */
export function judgeAsItStands<Verdict>(
  key: AuthenticatedKey,
  judge: (key: AuthenticatedKey) => Verdict,
): Verdict | Promise<Verdict> {
  try {
    return judge(key);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return key.reload().then(judge);
  }
}
