import { toStructuredSchema } from './anthropic-schema.js';

describe('toStructuredSchema', () => {
  it('says what is not enforced in words, at every depth', () => {
    expect(
      toStructuredSchema({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        description: 'A person',
        minProperties: 1,
        additionalProperties: { type: 'string' },
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
