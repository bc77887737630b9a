import type { ResponseHead } from './http-exchange.js';

/**
 * How long a provider asks to be left alone, by `retry-after-ms`, or `retry-after` in seconds or as a date. A date is measured by the provider's own
 * clock where it tells it (`date`), else by ours; one that is over asks for no wait.
 * @returns whole milliseconds of any length, which whoever waits bounds; null: it asks for nothing that can be read.
 */
export function findRetryAfterMs({ headers }: Pick<ResponseHead, 'headers'>, nowMs: number): number | null {
  const ms = readNumber(headers['retry-after-ms']);
  const seconds = readNumber(headers['retry-after']);
  if (ms !== null || seconds !== null) return Math.ceil(ms ?? (seconds ?? 0) * 1_000);
  const untilMs = readDateMs(headers['retry-after']);
  return untilMs === null ? null : Math.max(0, untilMs - (readDateMs(headers.date) ?? nowMs));
}

type Header = string | string[] | undefined;

const textOf = (header: Header): string => ([header].flat()[0] ?? '').trim();

function readNumber(header: Header): number | null {
  const text = textOf(header);
  return /^\d{1,15}(?:\.\d*)?$/.test(text) ? Number(text) : null;
}

// The form that HTTP asks for, and the older one with the day of the week in full. Anything else `Date.parse` would read by guessing.
const httpDate = /^[A-Z][a-z]{2,8}, \d\d[ -][A-Z][a-z]{2}[ -]\d{2}(?:\d\d)? \d\d:\d\d:\d\d GMT$/;

function readDateMs(header: Header): number | null {
  const text = textOf(header);
  const dateMs = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(dateMs) ? dateMs : null;
}
