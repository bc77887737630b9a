import { GraphQLScalarType } from 'graphql';
import { exactMillicreditsMax, toCredits, toMillicredits } from '../kernel/millicredits.js';

/** Money on the wire. Resolvers hand it millicredits, sums over accounts as `bigint`, and are handed millicredits up to ±`exactMillicreditsMax`. */
export const CreditsScalar = new GraphQLScalarType<number, number>({
  name: 'Credits',
  description:
    'An amount of credits: a JSON number with at most three decimals, exact up to 1,000,000,000,000 credits; a larger sum is the nearest number. What is sent is at most that, and a single amount at most 1,000,000,000. 1,000 credits are 1 dollar; 0.001 credit pays for one token of a lower-tier model.',
  serialize: (millicredits) =>
    toCredits(typeof millicredits === 'bigint' ? millicredits : toMillicredits(Number(millicredits))),
  parseValue: parseCredits,
});

/** A sum of calls or tokens on the wire, which may pass what `Int` can hold. */
export const CountScalar = new GraphQLScalarType<number, number>({
  name: 'Count',
  description:
    'A whole number from 0 to 9,007,199,254,740,991 (2^53 - 1): a JSON number that JavaScript reads exactly. `Int` ends at 2,147,483,647, which the tokens of a busy account pass.',
  serialize: parseCount,
  parseValue: parseCount,
});

/** A point in time on the wire. Resolvers hand it, and are handed, milliseconds since 1970-01-01 UTC. */
export const DateTimeScalar = new GraphQLScalarType<number, string>({
  name: 'DateTime',
  description:
    'A point in time, written in UTC with milliseconds: `2026-01-31T12:00:00.000Z`. Read in any form of RFC 3339 with its zone, from 1970 to 9999 in UTC; what a fraction says below a millisecond is cut off.',
  serialize: (epochMs) => new Date(Number(epochMs)).toISOString(),
  parseValue: parseDateTime,
});

function parseCount(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new TypeError('A count is a whole number from 0 to 9007199254740991.');
}

// Python writes six digits behind the point and Go nine; the standard sets no end, so the bound is one of sense.
const dateTimeShape = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(\d{0,29})(Z|[+-]\d{2}:\d{2})$/i;

const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

// A time without its zone would mean another moment on each machine.
function parseDateTime(value: unknown): number {
  const [, head = '', below = '', zone = ''] = dateTimeShape.exec(typeof value === 'string' ? value : '') ?? [];
  const isComplete = head !== '' && (below === '' || head.includes('.'));
  const epochMs = isComplete ? Date.parse(`${head}${zone}`.toUpperCase()) : Number.NaN;
  if (Number.isNaN(epochMs) || !isDayOfMonth(head))
    throw new TypeError('Send a time such as 2026-01-31T12:00:00Z, with its zone.');
  // Nothing here is older, and a year of fewer than three digits would be read as one of the twentieth century.
  if (epochMs < 0) throw new TypeError('Send a time from 1970 on.');
  // With a zone behind Greenwich its last hours would be of the year 10000, which no text of this form has.
  if (epochMs > lastMs) throw new TypeError('Send a time before the year 10000, in UTC.');
  return epochMs;
}

// JavaScript reads February 30th as March 2nd.
function isDayOfMonth(head: string): boolean {
  const day = head.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

// Nothing is rounded: a number that no whole number of millicredits would be shown as is refused.
function parseCredits(value: unknown): number {
  const credits = typeof value === 'number' ? value : Number.NaN;
  const millicredits = Math.round(credits * 1_000);
  if (Math.abs(millicredits) > exactMillicreditsMax) {
    throw new TypeError('Send credits as a number of at most 1,000,000,000,000.');
  }
  if (Number.isSafeInteger(millicredits) && toCredits(toMillicredits(millicredits)) === credits) {
    return millicredits;
  }
  throw new TypeError('Send credits as a number with at most three decimals, such as 12.345.');
}
