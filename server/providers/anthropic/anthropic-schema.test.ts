import { findUnheldPlace, toStructuredSchema } from './anthropic-schema.js';

describe('toStructuredSchema', () => {
  it('says what is not enforced in words, at every depth', () => {
    expect(
      toStructuredSchema({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        description: 'A person',
        minProperties: 1,
        properties: {
          age: { type: 'integer', minimum: 0, maximum: 150 },
          tags: { type: 'array', items: { type: 'string', pattern: '^a' }, maxItems: 3 },
        },
        $defs: { home: { type: ['object', 'null'], properties: { zip: { type: 'string', format: 'zip' } } } },
      }),
    ).toEqual({
      type: 'object',
      description: 'A person Must have minProperties 1.',
      additionalProperties: false,
      properties: {
        age: { type: 'integer', description: 'Must have minimum 0, maximum 150.' },
        tags: {
          type: 'array',
          items: { type: 'string', description: 'Must have pattern "^a".' },
          description: 'Must have maxItems 3.',
        },
      },
      $defs: {
        home: {
          type: ['object', 'null'],
          properties: { zip: { type: 'string', description: 'Must have format "zip".' } },
          additionalProperties: false,
        },
      },
    });
  });

  it('keeps what is taken, and a property that is only named like a keyword', () => {
    const schema = {
      type: 'object',
      additionalProperties: false,
      properties: { pattern: { type: 'string', format: 'date-time' }, kind: { enum: ['a', 'b'] }, one: { const: 1 } },
      required: ['pattern'],
    };
    expect(toStructuredSchema(schema)).toEqual(schema);
  });

  it('says oneOf as anyOf, and leaves the caller’s schema as it was', () => {
    const schema = { oneOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] };
    const before = structuredClone(schema);
    expect(toStructuredSchema(schema)).toEqual({
      anyOf: [{ type: 'string', description: 'Must have minLength 1.' }, { type: 'null' }],
    });
    expect(schema).toEqual(before);
  });
});

const text = { type: 'string' };
const open = { type: 'object', additionalProperties: text };

describe('findUnheldPlace', () => {
  it.each<[string, object, string]>([
    ['a map', { type: 'object', properties: { m: open }, required: ['m'] }, 's.properties.m.additionalProperties'],
    ['a map beside properties', { ...open, properties: { a: text } }, 's.additionalProperties'],
    [
      'properties that may be anything',
      { type: 'object', properties: {}, additionalProperties: {} },
      's.additionalProperties',
    ],
    ['a free object', { type: ['object', 'null'] }, 's'],
    ['a map by patterns', { type: 'object', patternProperties: { '^x': text } }, 's.patternProperties'],
    ['a value that may be anything', { type: 'object', properties: { a: {}, b: text } }, 's.properties.a'],
    ['a property that may be anything', { type: 'object', properties: { a: true } }, 's.properties.a'],
    ['a list of anything', { type: 'array' }, 's.items'],
    ['a tuple', { type: 'array', prefixItems: [text], items: false }, 's.prefixItems'],
    [
      'a property that must be there and is not named',
      { type: 'object', properties: {}, required: ['a'] },
      's.required',
    ],
    ['a map in a list', { type: 'array', items: open }, 's.items.additionalProperties'],
    ['a map among others', { anyOf: [text, open] }, 's.anyOf.1.additionalProperties'],
    ['a map in a definition', { $ref: '#/$defs/a', $defs: { a: open } }, 's.$defs.a.additionalProperties'],
    [
      'objects that hold together',
      {
        allOf: [
          { type: 'object', properties: { a: text } },
          { type: 'object', properties: { b: text } },
        ],
      },
      's',
    ],
    [
      'an object that holds with one of others',
      { type: 'object', properties: { a: text }, anyOf: [{ type: 'object', properties: { b: text } }] },
      's',
    ],
    ['a keyword of tomorrow', { type: 'string', tomorrow: 1 }, 's.tomorrow'],
  ])('finds %s, where structured outputs would forbid answers that fit', (_name, schema, place) => {
    expect(findUnheldPlace(schema, 's')).toBe(place);
  });

  it('finds nothing in closed objects, lists, choices, references and what is said in words', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
      required: ['a'],
      properties: {
        a: { type: ['string', 'null'], minLength: 1, 'x-order': 1, default: null },
        b: { type: 'array', items: { $ref: '#/$defs/c' }, minItems: 2 },
        c: { oneOf: [{ const: 1 }, { enum: ['x'] }, { allOf: [{ $ref: '#/$defs/c' }], description: 'One' }] },
        nothing: { type: 'object', additionalProperties: false },
      },
      $defs: { c: { type: 'object', properties: { d: text } } },
    };
    expect(findUnheldPlace(schema, 's')).toBeNull();
  });
});
