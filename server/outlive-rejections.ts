import type { Logger } from './kernel/logger.js';

/**
 * Where a promise fails that nobody waits for, Node.js ends the process, and with it each stream that runs. That one work has failed is no
 * reason for it: what a call used waits for its settlement, and all else is tried again. From now on the log says `unhandled_rejection`
 * instead, since it is a fault of ours each time. An exception outside of any promise still ends the process.
 */
export function outliveRejections(logger: Logger): void {
  process.on('unhandledRejection', (error) => {
    logger.error('unhandled_rejection', { error: error instanceof Error ? error : new Error(String(error)) });
  });
}
