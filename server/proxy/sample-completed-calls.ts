import type { LogFields, Logger } from '../kernel/logger.js';

/**
 * The same log, with one line in `every` for calls that were answered at the first try and completed, each with the number that it
 * stands for as `sampledOf`. Whatever went another way is logged in full.
 */
export function sampleCompletedCalls(logger: Logger, every: number): Logger {
  if (every === 1) return logger;
  let count = 0;
  return {
    info: (event, fields) => {
      if (event !== 'call_completed' || !isUsual(fields)) return logger.info(event, fields);
      count = (count + 1) % every;
      if (count === 0) logger.info(event, { ...fields, sampledOf: every });
    },
    warn: (event, fields) => logger.warn(event, fields),
    error: (event, fields) => logger.error(event, fields),
  };
}

function isUsual({ outcome, attempts, absorbedMillicredits }: LogFields = {}): boolean {
  return outcome === 'completed' && Array.isArray(attempts) && attempts.length <= 1 && !absorbedMillicredits;
}
