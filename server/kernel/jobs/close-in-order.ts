import type { Logger } from '../logger.js';
import { withinMs } from './within-ms.js';

/** What is to be closed side by side, by the names that the log tells. */
export type CloseSteps = Readonly<Record<string, () => unknown>>;

/** What is closed once all before it is closed, since that may still need it. */
export interface CloseStage {
  readonly steps: CloseSteps;
  /** How long these are waited for, all together. */
  readonly timeoutMs: number;
}

/** The steps that close these; what is null is not there. */
export function listToClose(things: Readonly<Record<string, { close(): unknown } | null>>): CloseSteps {
  return Object.fromEntries(Object.entries(things).map(([name, thing]) => [name, () => thing?.close()]));
}

/**
 * Closes one stage after the other, and what is in a stage side by side. It ends within the sum of their times: a step that fails, or
 * that does not end, keeps nothing beside or behind it from being closed, since what stands there may hold what was used and not
 * booked yet. The log says `close_failed`.
 */
export async function closeInOrder(stages: readonly CloseStage[], logger: Logger): Promise<void> {
  for (const { steps, timeoutMs } of stages) {
    const tooLate = `It was not closed within ${timeoutMs / 1_000} s.`;
    const closing = Object.entries(steps).map(async ([what, close]) => {
      const closed = async () => close();
      await withinMs(timeoutMs, closed(), tooLate).catch((error: unknown) =>
        logger.error('close_failed', { what, error }),
      );
    });
    await Promise.all(closing);
  }
}
