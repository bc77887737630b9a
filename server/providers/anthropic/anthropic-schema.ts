import type { JsonObject } from '../chat-types.js';
import { isObject } from '../json-object.js';

/*
 * Structured outputs take a part of JSON Schema and answer the rest with an error:
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */

const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']);

// What is not enforced is said in words, so that the model still knows of it.
const spokenKeywords = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'not',
];
const droppedKeywords = new Set([
  '$schema',
  '$id',
  'examples',
  'patternProperties',
  'propertyNames',
  ...spokenKeywords,
]);

/** The schema in the words that structured outputs take. The caller's is not changed. */
export function toStructuredSchema(schema: JsonObject): { [keyword: string]: unknown } {
  const translated: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (droppedKeywords.has(keyword) || (keyword === 'format' && !formats.has(String(value)))) continue;
    translated[keyword === 'oneOf' ? 'anyOf' : keyword] = translateKeyword(keyword, value);
  }
  const types = [schema.type].flat();
  if (types.includes('object') || isObject(schema.properties)) translated.additionalProperties = false;
  const spoken = listSpoken(schema);
  if (spoken.length > 0) {
    const described = typeof schema.description === 'string' ? [schema.description] : [];
    translated.description = [...described, `Must have ${spoken.join(', ')}.`].join(' ');
  }
  return translated;
}

function listSpoken(schema: JsonObject): string[] {
  const keywords = spokenKeywords.filter((keyword) => schema[keyword] !== undefined);
  const spoken = keywords.map((keyword) => `${keyword} ${JSON.stringify(schema[keyword])}`);
  const { format } = schema;
  return typeof format === 'string' && !formats.has(format) ? [...spoken, `format ${JSON.stringify(format)}`] : spoken;
}

function translateKeyword(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case 'properties':
    case '$defs':
    case 'definitions':
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, translateInner(inner)]))
        : value;
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return Array.isArray(value) ? value.map(translateInner) : value;
    case 'items':
      return translateInner(value);
    default:
      return value;
  }
}

function translateInner(value: unknown): unknown {
  return isObject(value) ? toStructuredSchema(value) : value;
}
