import type { JsonObject } from '../chat-types.js';
import { toGeminiSchema } from './gemini-schema.js';

const convert = (schema: JsonObject) => toGeminiSchema(schema, 'here');
const refusal = expect.objectContaining({ code: 'unsupported_parameter', param: 'here' });

describe('toGeminiSchema', () => {
  it('keeps what the subset can say', () => {
    expect(
      convert({
        type: 'object',
        title: 'City',
        description: 'A city',
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 9, pattern: '^A' },
          size: { type: 'integer', minimum: 0, maximum: 9, format: 'int32' },
          parts: { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 3 },
        },
        required: ['name'],
      }),
    ).toEqual({
      type: 'OBJECT',
      title: 'City',
      description: 'A city',
      properties: {
        name: { type: 'STRING', minLength: '1', maxLength: '9', pattern: '^A' },
        size: { type: 'INTEGER', minimum: 0, maximum: 9, format: 'int32' },
        parts: { type: 'ARRAY', items: { type: 'NUMBER' }, minItems: '1', maxItems: '3' },
      },
      required: ['name'],
    });
  });

  it('leaves out every word for which the whole request would be refused', () => {
    const converted = convert({
      $schema: 'x',
      $id: 'x',
      type: 'object',
      additionalProperties: false,
      propertyNames: {},
      patternProperties: {},
      strict: true,
      examples: [],
      not: {},
      properties: { mail: { type: 'string', format: 'email', exclusiveMinimum: 1 } },
    });
    expect(converted).toEqual({ type: 'OBJECT', properties: { mail: { type: 'STRING' } } });
  });

  it.each([
    [{ const: 'a' }, { type: 'STRING', enum: ['a'] }],
    [
      { type: 'integer', enum: [1, 2] },
      { type: 'INTEGER', enum: ['1', '2'], format: 'enum' },
    ],
    [{ enum: ['a', null] }, { type: 'STRING', enum: ['a'], nullable: true }],
    [{ type: 'boolean', enum: [true] }, { type: 'BOOLEAN' }],
    [{ type: ['string', 'null'] }, { type: 'STRING', nullable: true }],
    [{ type: ['string', 'integer'] }, { anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }] }],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'STRING', nullable: true }],
    [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] }],
    [{ type: 'null' }, { type: 'NULL', nullable: true }],
    [{ type: 'array' }, { type: 'ARRAY', items: { type: 'STRING' } }],
    [{ properties: { a: {} } }, { type: 'OBJECT', properties: { a: {} } }],
    [
      { allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: { type: 'null' } } }] },
      { type: 'OBJECT', properties: { a: { type: 'STRING' }, b: { type: 'NULL', nullable: true } }, required: ['a'] },
    ],
  ])('rewrites %j', (schema, expected) => {
    expect(convert(schema)).toEqual(expected);
  });

  it('writes references out, in definitions of both names and inside of allOf', () => {
    const converted = convert({
      properties: { a: { $ref: '#/$defs/A', description: 'mine' }, b: { allOf: [{ $ref: '#/definitions/B~1b' }] } },
      $defs: { A: { type: 'string', description: 'theirs' } },
      definitions: { 'B/b': { type: 'number' } },
    });
    expect(converted.properties).toEqual({ a: { type: 'STRING', description: 'mine' }, b: { type: 'NUMBER' } });
  });

  it('refuses a schema that contains itself, by whatever way', () => {
    expect(() => convert({ properties: { child: { $ref: '#' } } })).toThrow(refusal);
    const around = {
      $defs: { A: { items: { $ref: '#/$defs/B' }, type: 'array' }, B: { allOf: [{ $ref: '#/$defs/A' }] } },
      $ref: '#/$defs/A',
    };
    expect(() => convert(around)).toThrow(refusal);
  });

  it.each([['#/$defs/none'], ['https://example.org/schema'], ['#/%zz']])('refuses the reference %s', ($ref) => {
    expect(() => convert({ properties: { a: { $ref } } })).toThrow(refusal);
  });

  it('refuses references that multiply, and depth without end, before they cost anything', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 35 }, (_, level) => {
        const next = { $ref: `#/$defs/d${level + 1}` };
        return [`d${level}`, { type: 'object', properties: { a: next, b: next } }] as const;
      }),
    );
    expect(() => convert({ $ref: '#/$defs/d0', $defs: { ...$defs, d35: { type: 'string' } } })).toThrow(refusal);
    let deep: JsonObject = { type: 'string' };
    for (let level = 0; level < 5_000; level += 1) deep = { type: 'array', items: deep };
    expect(() => convert(deep)).toThrow(refusal);
  });

  const manyOf = (count: number, schema: JsonObject) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schema]));

  it.each<[string, JsonObject, JsonObject]>([
    [
      'required names',
      { allOf: Array(2_000).fill({ $ref: '#/$defs/L' }) },
      { required: Object.keys(manyOf(2_000, {})) },
    ],
    ['properties', { allOf: Array(2_000).fill({ $ref: '#/$defs/L' }) }, { properties: manyOf(2_000, {}) }],
    ['choices', { properties: manyOf(2_000, { $ref: '#/$defs/L' }) }, { enum: Object.keys(manyOf(3_000, {})) }],
    ['words', { properties: manyOf(2_000, { $ref: '#/$defs/L' }) }, { description: 'x'.repeat(300_000) }],
  ])('refuses %s that are referred to again and again, before they are put together', (_, schema, L) => {
    expect(() => convert({ ...schema, $defs: { L } })).toThrow(refusal);
  });

  it('refuses a reference that is long, before it is taken apart', () => {
    const long = 'a'.repeat(300);
    const far = `#${'/properties/a'.repeat(20)}`;
    expect(() => convert({ properties: { a: { $ref: `#/$defs/${long}` } }, $defs: { [long]: {} } })).toThrow(refusal);
    expect(far.length).toBeGreaterThan(256);
    expect(() => convert({ properties: { b: { $ref: far } } })).toThrow(refusal);
  });

  it('takes alternatives within alternatives, whose words are counted once', () => {
    const words = { type: 'string', description: 'x'.repeat(500) };
    const nested = { anyOf: [{ anyOf: [{ anyOf: [{ anyOf: [words] }] }, { type: 'null' }] }] };
    expect(convert({ properties: { a: nested } }).properties?.a).toMatchObject({ description: words.description });
  });

  it('refuses a schema that, written out, is much larger than what was priced', () => {
    const long = { type: 'string', description: 'x'.repeat(500) };
    const properties = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`p${index}`, { $ref: '#/$defs/L' }]),
    );
    expect(() => convert({ properties, $defs: { L: long } })).toThrow(refusal);
  });
});
