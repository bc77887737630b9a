import { type DestinationStream, pino } from 'pino';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log of stable, past-tense events. Never given prompts, answers, keys, cookies or raw bodies. */
export interface Logger {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

// A second net: should one of these fields ever be passed by mistake, its value is struck out.
const struckOut = ['authorization', 'cookie', 'password', 'secret', 'messages', 'content', 'prompt'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.headers.${name}`,
]);

/** Writes one JSON line per event to `destination` (standard output by default). */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const options = { level, base: null, redact: { paths: struckOut, censor: '«struck out»' } };
  const lines = destination ? pino(options, destination) : pino(options);
  return {
    info: (event, fields) => lines.info({ event, ...fields }),
    warn: (event, fields) => lines.warn({ event, ...fields }),
    error: (event, fields) => lines.error({ event, ...describeError(fields) }),
  };
}

export const silentLogger: Logger = { info: () => {}, warn: () => {}, error: () => {} };

// Only name, message, code and stack of an error are written: libraries hang requests, with their headers, on errors.
function describeError(fields: LogFields = {}): LogFields {
  const { error, ...rest } = fields;
  if (!(error instanceof Error)) return fields;
  const code = 'code' in error ? error.code : undefined;
  return { ...rest, error: { name: error.name, message: error.message, code, stack: error.stack } };
}
