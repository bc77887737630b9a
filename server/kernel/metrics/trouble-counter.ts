import type { LogFields, Logger } from '../logger.js';
import { type Metric, writeLabels } from './metric.js';

type Level = 'warn' | 'error';

/** Names of events are words of ours; should one ever be made of a caller's, it is `other`. */
const eventName = /^[a-z][a-z_]{0,59}$/;
const eventsMax = 500;

/** Counts what the log says at `warn` and above, by the name of the event, whatever `LOG_LEVEL` lets through. */
export class TroubleCounter {
  readonly #counts = new Map<string, { readonly event: string; readonly level: Level; count: number }>();

  /** The same log, counted here. */
  watch(logger: Logger): Logger {
    const counted = (level: Level) => (event: string, fields?: LogFields) => {
      this.#count(level, event);
      logger[level](event, fields);
    };
    return { info: (event, fields) => logger.info(event, fields), warn: counted('warn'), error: counted('error') };
  }

  list(): Metric[] {
    return [...this.#counts.values()].map(({ event, level, count: value }) => ({
      name: 'tollgate_log_troubles_total',
      kind: 'counter',
      value,
      help: 'Lines of the log at warn and error, by event and level.',
      labels: writeLabels(['event', 'level'], [event, level]),
    }));
  }

  #count(level: Level, name: string): void {
    const isKnown = this.#counts.has(`${level} ${name}`);
    const event = isKnown || (eventName.test(name) && this.#counts.size < eventsMax) ? name : 'other';
    const found = this.#counts.get(`${level} ${event}`);
    if (found) found.count += 1;
    else this.#counts.set(`${level} ${event}`, { event, level, count: 1 });
  }
}
