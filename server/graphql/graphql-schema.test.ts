import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import {
  type GraphQLArgument,
  type GraphQLSchema,
  getNamedType,
  graphql,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  validateSchema,
} from 'graphql';
import { ModelsResolver } from '../providers/models.graphql.js';
import { CountScalar, CreditsScalar, DateTimeScalar } from '../schema/scalars.js';
import { buildGraphqlSchema, printGraphqlSchema } from './graphql-schema.js';
import { resolverClasses } from './resolvers.js';

const schema = buildGraphqlSchema(resolverClasses, new Map());

describe('the GraphQL schema', () => {
  it('is what schema.graphql says (stale? run the script that emits it)', () => {
    expect(readFileSync('schema.graphql', 'utf8')).toBe(printGraphqlSchema(schema));
  });

  it('is valid, as a server demands before it starts', () => {
    expect(validateSchema(schema)).toEqual([]);
  });

  it('describes every type, field, argument and enum value', () => {
    const named = Object.values(schema.getTypeMap()).filter(
      (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
    );
    const parts = named.flatMap((type) => {
      const isRoot = ['Query', 'Mutation', 'Subscription'].includes(type.name);
      const own = isRoot ? [] : [{ path: type.name, description: type.description }];
      if (isEnumType(type)) return [...own, ...type.getValues().map((value) => partOf(type.name, value))];
      if (!isObjectType(type) && !isInputObjectType(type)) return own;
      return Object.values(type.getFields()).reduce((all, field) => {
        const inputs =
          'args' in field ? field.args.map((arg: GraphQLArgument) => partOf(`${type.name}.${field.name}`, arg)) : [];
        return all.concat(partOf(type.name, field), inputs);
      }, own);
    });
    expect(parts.length).toBeGreaterThan(100);
    expect(parts.filter(({ description }) => !description).map(({ path }) => path)).toEqual([]);
  });

  it('says of each part of a change that may be left out what null stands for', () => {
    const roots = ['Mutation', 'OperatorMutation'].map((name) => schema.getType(name));
    const parts = roots.flatMap((root) =>
      Object.values(isObjectType(root) ? root.getFields() : {}).flatMap(({ name, args }) =>
        args.flatMap((arg) => {
          const type = getNamedType(arg.type);
          const fields = isInputObjectType(type) ? Object.values(type.getFields()) : [];
          const own = { path: `${name}.${arg.name}`, type: arg.type, words: arg.description };
          const below = fields.map((field) => {
            const words = `${field.description} ${type.description}`;
            return { path: `${type.name}.${field.name}`, type: field.type, words };
          });
          return [own, ...below];
        }),
      ),
    );
    const optional = parts.filter(({ type }) => !isNonNullType(type));
    expect(optional.length).toBeGreaterThan(40);
    expect(optional.filter(({ words }) => !/\bnull\b/.test(words ?? '')).map(({ path }) => path)).toEqual([]);
  });

  it('names the resolver that was forgotten', async () => {
    const { errors } = await graphql({ schema, source: '{ models { id } }', contextValue: {} });
    expect(errors?.[0]?.message).toContain('ModelsResolver');
  });

  it('serves each server of a process by its own resolvers, though its types are read once', async () => {
    const schemaOf = (id: string) =>
      buildGraphqlSchema(resolverClasses, new Map([[ModelsResolver, { models: () => [{ id }] }]]));
    const schemas = ['one', 'other'].map(schemaOf);
    const ask = (of: GraphQLSchema) => graphql({ schema: of, source: '{ models { id } }', contextValue: {} });
    const answers = await Promise.all([...schemas, ...schemas].map(ask));
    expect(answers.map(({ data }) => data)).toEqual(
      ['one', 'other', 'one', 'other'].map((id) => ({ models: [{ id }] })),
    );
    expect(schemas[0]).not.toBe(schemas[1]);
    expect(schemas[0]?.getType('Model')).toBe(schemas[1]?.getType('Model'));
  });
});

describe('scalars', () => {
  it('writes credits as numbers of at most three decimals', () => {
    expect([0, 1, 12_345, -7, 9_000_000_000_000_000].map((amount) => CreditsScalar.serialize(amount))).toEqual([
      0, 0.001, 12.345, -0.007, 9_000_000_000_000,
    ]);
    expect(() => CreditsScalar.serialize(0.5)).toThrow('whole number');
  });

  it('writes each of the last amounts that it has exactly as another number, and a larger sum as the nearest one', () => {
    const amounts = Array.from({ length: 1_000 }, (_, n) => 999_999_999_999_001 + n);
    const written = amounts.map((amount) => CreditsScalar.serialize(amount));
    expect(new Set(written).size).toBe(1_000);
    expect(written.map(readCredits)).toEqual(amounts);
    expect([12_345n, -7n, 10n ** 19n].map((sum) => CreditsScalar.serialize(sum))).toEqual([12.345, -0.007, 1e16]);
  });

  it('writes times in UTC and reads them with their zone', () => {
    expect(DateTimeScalar.serialize(Date.UTC(2026, 0, 31, 12))).toBe('2026-01-31T12:00:00.000Z');
    expect(DateTimeScalar.parseValue('2026-01-31T13:00:00+01:00')).toBe(Date.UTC(2026, 0, 31, 12));
    for (const text of ['2026-01-31', '2026-01-31T12:00:00', '31.1.2026', 5, null]) {
      expect(() => DateTimeScalar.parseValue(text)).toThrow('with its zone');
    }
  });

  it.each([
    ['no', '2026-01-31T12:00:00Z', 0],
    ['one digit', '2026-01-31T12:00:00.5Z', 500],
    ['JavaScript’s three digits', '2026-01-31T12:00:00.123Z', 123],
    ['Python’s six digits', '2026-01-31T12:00:00.123456+00:00', 123],
    ['Go’s nine digits', '2026-01-31T13:00:00.123999999+01:00', 123],
    ['more digits than anybody writes', `2026-01-31T12:00:00.${'9'.repeat(32)}Z`, 999],
    ['small letters and six digits', '2026-01-31t12:00:00.000001z', 0],
  ])('reads a time with %s behind the point, and cuts at the millisecond', (_, text, ms) => {
    expect(DateTimeScalar.parseValue(text)).toBe(Date.UTC(2026, 0, 31, 12) + ms);
  });

  it.each([
    '2026-01-31T12:00:00.Z',
    '2026-02-30T12:00:00Z',
    '2026-11-31T12:00:00+02:00',
    '2026-01-31T12:0012Z',
    '2026-01-31T12:00:001Z',
    '2026-01-31T12:00:00.123456',
    `2026-01-31T12:00:00.${'9'.repeat(33)}Z`,
  ])('reads no time from %s', (text) => {
    expect(() => DateTimeScalar.parseValue(text)).toThrow('with its zone');
  });

  it('takes no time that is of the year 10000 in UTC, which no text of this form could say', () => {
    expect(() => DateTimeScalar.parseValue('9999-12-31T23:59:59.999-23:59')).toThrow('before the year 10000');
    const last = DateTimeScalar.parseValue('9999-12-31T23:59:59.999Z');
    expect(DateTimeScalar.serialize(last)).toBe('9999-12-31T23:59:59.999Z');
  });

  it.each(['0000-01-01T00:00:00Z', '0099-12-31T00:00:00Z', '1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00+01:00'])(
    'takes no time before 1970, such as %s, which reports could not divide',
    (text) => {
      expect(() => DateTimeScalar.parseValue(text)).toThrow('Send a time from 1970 on.');
      expect(DateTimeScalar.parseValue('1970-01-01T00:00:00Z')).toBe(0);
    },
  );

  it('writes counts exactly as far as JSON does, and nothing that is none', () => {
    expect([0, 3_000_000_000, 9_007_199_254_740_991].map((count) => CountScalar.serialize(count))).toEqual([
      0, 3_000_000_000, 9_007_199_254_740_991,
    ]);
    for (const value of [-1, 0.5, 9_007_199_254_740_992, Number.NaN, '3', null]) {
      expect(() => CountScalar.serialize(value)).toThrow('whole number');
    }
  });

  it('reads credits exactly, and rounds none', () => {
    expect([0, 0.001, 12.345, -0.007, 1_000_000_000_000, 999_999_999_999.999].map(readCredits)).toEqual([
      0, 1, 12_345, -7, 1_000_000_000_000_000, 999_999_999_999_999,
    ]);
    for (const value of [0.0001, 1.2345, 1e-9, Number.NaN, '1', null, true]) {
      expect(() => readCredits(value)).toThrow('three decimals');
    }
    for (const value of [1_000_000_000_000.001, -1e13, 1e300, Number.POSITIVE_INFINITY]) {
      expect(() => readCredits(value)).toThrow('at most 1,000,000,000,000');
    }
  });
});

const readCredits = (value: unknown) => CreditsScalar.parseValue(value);

function partOf(parent: string, part: { name: string; description?: string | null | undefined }) {
  return { path: `${parent}.${part.name}`, description: part.description };
}
