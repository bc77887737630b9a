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
export function toLogText(line: string): string {
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
