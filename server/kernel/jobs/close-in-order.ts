import type { Logger } from '../logger.js';
import { withinMs } from './within-ms.js';

/** What is to be closed, one after the other, by the names that the log tells. */
export type CloseSteps = Readonly<Record<string, () => unknown>>;

/** What closes lets work under way end, each in its own time; none of it takes nearly so long. */
const stepMsMax = 150_000;

/**
 * Closes all of it. A step that fails, or that does not end, keeps nothing behind it from being closed: what stands there may hold what
 * was used and not booked yet. The log says `close_failed`.
 */
export async function closeInOrder(steps: CloseSteps, logger: Logger, timeoutMs = stepMsMax): Promise<void> {
  for (const [what, close] of Object.entries(steps)) {
    const closed = async () => close();
    await withinMs(timeoutMs, closed(), `It was not closed within ${timeoutMs / 1_000} s.`).catch((error: unknown) =>
      logger.error('close_failed', { what, error }),
    );
  }
}
