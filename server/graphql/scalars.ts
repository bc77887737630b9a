import { GraphQLScalarType } from 'graphql';
import { toCredits, toMillicredits } from '../kernel/millicredits.js';

/** Money on the wire. Resolvers hand it millicredits; nothing takes money as input. */
export const CreditsScalar = new GraphQLScalarType<never, number>({
  name: 'Credits',
  description:
    'An amount of credits: a JSON number with at most three decimals, always exact. 1,000 credits are 1 dollar; 0.001 credit pays for one token of a lower-tier model.',
  serialize: (millicredits) => toCredits(toMillicredits(Number(millicredits))),
  parseValue: refuseInput,
});

/** A point in time on the wire. Resolvers hand it milliseconds since 1970-01-01 UTC; nothing takes a time as input. */
export const DateTimeScalar = new GraphQLScalarType<never, string>({
  name: 'DateTime',
  description: 'A point in time in UTC, in ISO 8601 with milliseconds: `2026-01-31T12:00:00.000Z`.',
  serialize: (epochMs) => new Date(Number(epochMs)).toISOString(),
  parseValue: refuseInput,
});

function refuseInput(): never {
  throw new TypeError('This type is for answers only.');
}
