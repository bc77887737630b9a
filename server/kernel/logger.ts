import { type DestinationStream, pino } from 'pino';
import { LogOutput } from './log-output.js';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
/** One JSON object for each event, or a line for people. */
export type LogFormat = 'json' | 'text';
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log of stable, past-tense events. Never given prompts, answers, keys, cookies or raw bodies. */
export interface Logger {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

// A second net: should one of these fields ever be passed by mistake, its value is struck out.
const struckOut = ['authorization', 'cookie', 'password', 'secret', 'messages', 'content', 'prompt'];
// Only where something went wrong may a field be an object of a library. Each call writes a line of `info`, whose fields are
// flat facts of ours, and searching those in depth costs as much as parsing the call's request.
const struckOutInDepth = struckOut.flatMap((name) => [name, `*.${name}`, `*.headers.${name}`]);

export interface LoggerParts {
  /** By default standard output, without waiting for whoever reads it; what that drops is said by `log_lines_dropped`. */
  readonly destination?: DestinationStream;
  /** JSON unless it is said otherwise. */
  readonly format?: LogFormat;
  /** What every line begins with. */
  readonly everyLine?: LogFields | null;
}

/**
 * Writes one JSON line per event. What standard output has not taken yet is written when the process ends, as far as it takes it
 * then, unless it is killed.
 */
export function createLogger(level: LogLevel, { destination, format, everyLine = null }: LoggerParts = {}): Logger {
  const sink = destination ?? new LogOutput(1, (lines) => logger.error('log_lines_dropped', { lines }));
  const output = format === 'text' ? { write: (line: string) => void sink.write(toLogText(line)) } : sink;
  const open = (paths: string[]) =>
    pino({ level, base: everyLine, messageKey: 'event', redact: { paths, censor: '«struck out»' } }, output);
  const facts = open(struckOut);
  const troubles = open(struckOutInDepth);
  const logger: Logger = {
    info: (event, fields = {}) => facts.info(fields, event),
    warn: (event, fields) => troubles.warn(describeError(fields), event),
    error: (event, fields) => troubles.error(describeError(fields), event),
  };
  return logger;
}

export const silentLogger: Logger = { info: () => {}, warn: () => {}, error: () => {} };

// Only name, message, code and stack of an error are written: libraries hang requests, with their headers, on errors, and drivers whole
// statements with all their values.
function describeError(fields: LogFields = {}): LogFields {
  const { error, ...rest } = fields;
  if (!(error instanceof Error)) return fields;
  const code = 'code' in error ? error.code : undefined;
  return { ...rest, error: { name: error.name, message: error.message, code, stack: error.stack } };
}

const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};
/** Words of callers and databases may hold what moves a terminal's cursor. */
const isPlain = /^[\w.:/@+-]+$/;

/** A JSON line of the log as one that a person reads: time, level, event, then each field as `name=value`. */
function toLogText(line: string): string {
  const { time, level, event, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = new Date(Number(time)).toISOString().slice(11, 23);
  const words = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${toWord(value)}`);
  return `${[clock, (levels[Number(level)] ?? String(level)).padEnd(5), event, ...words].join(' ')}\n`;
}

function toWord(value: unknown): string {
  return typeof value === 'string' && isPlain.test(value) ? value : JSON.stringify(value);
}
