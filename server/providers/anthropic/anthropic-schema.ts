import { isJsonObject, toText } from '../../kernel/json-body.js';
import type { JsonObject } from '../chat-types.js';

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
  'propertyNames',
  'not',
];

const enforcedKeywords = new Set([
  'type',
  'enum',
  'const',
  'anyOf',
  'oneOf',
  'allOf',
  '$ref',
  '$defs',
  'definitions',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'format',
  'default',
  'title',
  'description',
]);
/** Says nothing of what a value may be. */
const silentKeywords = [
  '$schema',
  '$id',
  '$anchor',
  '$comment',
  'example',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
];
const knownKeywords = new Set([...enforcedKeywords, ...spokenKeywords, ...silentKeywords]);

/**
 * Finds what keeps an answer from being held to a schema. Structured outputs know closed objects with named properties alone: in
 * the place of a map, or of an object that may be anything, they would take `{}` and nothing else.
 * @param place Where the schema stands.
 * @returns The place of the first such part; null where all of the schema can be held to.
 */
export function findUnheldPlace(schema: unknown, place: string): string | null {
  if (!isJsonObject(schema)) return place;
  const unknown = Object.keys(schema).find((keyword) => !knownKeywords.has(keyword) && !keyword.startsWith('x-'));
  if (unknown !== undefined) return `${place}.${unknown}`;
  for (const keyword of ['$defs', 'definitions', 'properties']) {
    const unheld = findInMembers(schema[keyword], `${place}.${keyword}`);
    if (unheld !== null) return unheld;
  }
  const composed = (['$ref', 'anyOf', 'oneOf', 'allOf'] as const).filter((keyword) => schema[keyword] !== undefined);
  const isPlain = plainKeywords.some((keyword) => schema[keyword] !== undefined);
  // Parts that hold together would each be closed against the properties of the others.
  if (composed.length + (isPlain ? 1 : 0) !== 1) return place;
  return isPlain ? findUnheldPlain(schema, place) : findUnheldComposed(schema, place);
}

const plainKeywords = ['type', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items'] as const;

function findUnheldPlain(schema: JsonObject, place: string): string | null {
  const { properties, additionalProperties: others, required = [], items } = schema;
  const types = [schema.type].flat();
  const isOfObjects =
    types.includes('object') || [properties, others, schema.required].some((part) => part !== undefined);
  if (isOfObjects) {
    if (others !== undefined && others !== false) return `${place}.additionalProperties`;
    if (!isJsonObject(properties) && others !== false) return place;
    const names = new Set(Object.keys(isJsonObject(properties) ? properties : {}));
    if (!Array.isArray(required) || required.some((name) => !names.has(name))) return `${place}.required`;
  }
  return types.includes('array') || items !== undefined ? findUnheldPlace(items, `${place}.items`) : null;
}

function findUnheldComposed({ anyOf, oneOf, allOf, $ref }: JsonObject, place: string): string | null {
  if ($ref !== undefined) return null;
  const parts = anyOf ?? oneOf ?? allOf;
  if (!Array.isArray(parts) || (allOf !== undefined && parts.length !== 1)) return place;
  const keyword = anyOf ? 'anyOf' : oneOf ? 'oneOf' : 'allOf';
  return findInMembers(parts, `${place}.${keyword}`);
}

function findInMembers(members: unknown, place: string): string | null {
  if (members === undefined) return null;
  if (typeof members !== 'object' || members === null) return place;
  for (const [name, member] of Object.entries(members)) {
    const unheld = findUnheldPlace(member, `${place}.${name}`);
    if (unheld !== null) return unheld;
  }
  return null;
}

/** The schema in the words that structured outputs take, where `findUnheldPlace` finds none. The caller's is not changed. */
export function toStructuredSchema(schema: JsonObject): { [keyword: string]: unknown } {
  const translated: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (!enforcedKeywords.has(keyword) || (keyword === 'format' && !formats.has(toText(value)))) continue;
    translated[keyword === 'oneOf' ? 'anyOf' : keyword] = translateKeyword(keyword, value);
  }
  const types = [schema.type].flat();
  if (types.includes('object') || isJsonObject(schema.properties)) translated.additionalProperties = false;
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
      return isJsonObject(value)
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
  return isJsonObject(value) ? toStructuredSchema(value) : value;
}
