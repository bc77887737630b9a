import type { AppError } from '../../kernel/app-error.js';
import { isJsonObject, isNestedDeeper, toText } from '../../kernel/json-body.js';
import type { JsonObject } from '../chat-types.js';

import { createUntranslatableError } from './gemini-refusal.js';
import type { GeminiSchema, GeminiSchemaType } from './gemini-wire.js';

interface Walk {
  readonly root: JsonObject;
  /** Where the schema stands in the caller's body. */
  readonly param: string;
  /** The references that are being resolved. */
  readonly open: readonly string[];
  readonly depth: number;
  readonly spent: SchemaSpending;
  /** Of the texts and names that this schema has come to, written out. */
  readonly text: { charactersLeft: number };
}

/** What the schemas of one request have come to, written out, so that references to references cannot multiply. */
export interface SchemaSpending {
  nodes: number;
}

const depthMax = 40;
const levelsMax = 128;
// A node counts one, and so does each of its keywords and what stands in their lists, each time that it is written out or put together.
const nodesMax = 20_000;
const referencesMax = 200;
// Each is taken apart once more wherever what holds it is referred to.
const referenceCharactersMax = 256;
// The prompt was priced by the bytes of the schema as it came, one token each; text comes to three bytes a token or more.
const growthMax = 3;

const types: Readonly<Record<string, GeminiSchemaType>> = {
  string: 'STRING',
  number: 'NUMBER',
  integer: 'INTEGER',
  boolean: 'BOOLEAN',
  array: 'ARRAY',
  object: 'OBJECT',
  null: 'NULL',
};

// Any other format is answered with an error.
const formats: Readonly<Partial<Record<GeminiSchemaType, readonly string[]>>> = {
  STRING: ['date-time', 'enum'],
  INTEGER: ['int32', 'int64'],
  NUMBER: ['float', 'double'],
};

/**
 * Rewrites a JSON Schema in the subset of OpenAPI's schema that models before 2.5 take: references are written out, `const`
 * becomes a list of one, null becomes `nullable`. A constraint that the subset cannot say (`additionalProperties`,
 * `patternProperties`, `not` and their like) is left out, since there the whole request would be refused for it: such a
 * model may answer with more than the schema allows.
 *
 * @param param Where the schema stands in the caller's body, for the refusal.
 * @param spent Shared by all schemas of one request.
 * @throws AppError `unsupported_parameter` for a reference that leads nowhere or back to itself, and for a schema that is
 *   too deep or, written out, too large.
 */
export function toGeminiSchema(schema: JsonObject, param: string, spent: SchemaSpending = { nodes: 0 }): GeminiSchema {
  // No body is; to measure it takes the stack.
  if (isNestedDeeper(schema, levelsMax)) throw createSizeError(param);
  const charactersMax = growthMax * JSON.stringify(schema).length;
  const text = { charactersLeft: charactersMax };
  const converted = convert(schema, { root: schema, param, open: [], depth: 0, spent, text });
  if (JSON.stringify(converted).length > charactersMax) throw createSizeError(param);
  return converted;
}

function createSizeError(param: string): AppError {
  return createUntranslatableError(
    param,
    `The schema '${param}' is too deep or too large for this model. Make it simpler, or choose a newer model.`,
  );
}

function convert(schema: unknown, outer: Walk): GeminiSchema {
  if (!isJsonObject(schema)) return {};
  const { flat, walk } = flatten(schema, { ...outer, depth: outer.depth + 1 });
  const target: GeminiSchema = {};
  copyTexts(flat, target);
  setType(flat, target, walk);
  setValues(flat, target);
  spendCharacters(flat, target, walk);
  setAlternatives(flat, target, walk);
  setContent(flat, target, walk);
  setBounds(flat, target);
  return target;
}

interface Flattened {
  readonly flat: JsonObject;
  readonly walk: Walk;
}

// Takes references and `allOf` out of the outermost level.
function flatten(schema: JsonObject, walk: Walk): Flattened {
  spendNodes(1 + Object.keys(schema).length + countItems(schema), walk);
  if (walk.depth > depthMax || walk.open.length > referencesMax) throw createSizeError(walk.param);
  if (typeof schema.$ref === 'string') return followReference(schema.$ref, schema, walk);
  return Array.isArray(schema.allOf) ? mergeAll(schema.allOf, schema, walk) : { flat: schema, walk };
}

function spendNodes(count: number, { spent, param }: Walk): void {
  spent.nodes += count;
  if (spent.nodes > nodesMax) throw createSizeError(param);
}

// Before it is written out as often as it is referred to.
function spendCharacters({ properties, required }: JsonObject, target: GeminiSchema, { text, param }: Walk): void {
  const { title, description, pattern, enum: values = [] } = target;
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  for (const each of [title, description, pattern, ...values, ...names, ...toList(required)])
    if (typeof each === 'string') text.charactersLeft -= each.length;
  if (text.charactersLeft < 0) throw createSizeError(param);
}

function countItems({ properties, required, enum: values }: JsonObject): number {
  const names = isJsonObject(properties) ? Object.keys(properties).length : 0;
  return names + toList(required).length + toList(values).length;
}

function followReference(reference: string, schema: JsonObject, walk: Walk): Flattened {
  if (walk.open.includes(reference)) {
    throw createUntranslatableError(
      walk.param,
      `This model takes no schema that contains itself, as '${walk.param}' does. Write its levels out, or choose a newer model.`,
    );
  }
  const isPointer = reference.startsWith('#') && reference.length <= referenceCharactersMax;
  const found = isPointer ? findByPointer(walk.root, reference.slice(1)) : undefined;
  if (!isJsonObject(found)) {
    throw createUntranslatableError(
      walk.param,
      `A reference in the schema '${walk.param}' leads nowhere. Define what it names.`,
    );
  }
  const { $ref: _, ...besides } = schema;
  return flatten({ ...found, ...besides }, { ...walk, open: [...walk.open, reference] });
}

// Of several schemas that all hold, properties are joined; elsewhere the later one counts.
function mergeAll(allOf: readonly unknown[], schema: JsonObject, walk: Walk): Flattened {
  const { allOf: _, ...rest } = schema;
  const parts = [...allOf, rest].filter(isJsonObject).map((part) => flatten(part, { ...walk, depth: walk.depth + 1 }));
  const flats = parts.map(({ flat }) => flat);
  for (const flat of flats) spendNodes(countItems(flat), walk);
  const properties = Object.assign({}, ...flats.map((flat) => flat.properties));
  const required = flats.flatMap((flat) => toList(flat.required));
  return {
    flat: Object.assign(
      {},
      ...flats,
      Object.keys(properties).length > 0 ? { properties } : {},
      required.length > 0 ? { required } : {},
    ),
    walk: { ...walk, open: parts.flatMap((part) => part.walk.open) },
  };
}

function findByPointer(root: JsonObject, pointer: string): unknown {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>((value, step) => (isJsonObject(value) ? value[step] : undefined), root);
}

function copyTexts({ title, description, pattern }: JsonObject, target: GeminiSchema): void {
  if (typeof title === 'string') target.title = title;
  if (typeof description === 'string') target.description = description;
  if (typeof pattern === 'string') target.pattern = pattern;
}

function setType({ type, format, nullable, properties, items }: JsonObject, target: GeminiSchema, walk: Walk): void {
  const names = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === 'string');
  const known = names.filter((name) => name !== 'null').flatMap((name) => types[name] ?? []);
  if (names.includes('null') || nullable === true) target.nullable = true;
  const [first] = known;
  if (known.length > 1) target.anyOf = known.map((each) => convert({ type: each.toLowerCase() }, walk));
  else if (first !== undefined) target.type = first;
  else if (names.includes('null')) target.type = 'NULL';
  else if (isJsonObject(properties)) target.type = 'OBJECT';
  else if (isJsonObject(items)) target.type = 'ARRAY';
  if (typeof format === 'string' && target.type && formats[target.type]?.includes(format)) target.format = format;
}

function setValues(schema: JsonObject, target: GeminiSchema): void {
  const values: readonly unknown[] | null = Array.isArray(schema.enum)
    ? schema.enum
    : 'const' in schema
      ? [schema.const]
      : null;
  if (values === null) return;
  if (values.includes(null)) target.nullable = true;
  target.enum = values.filter((value) => value !== null).map(String);
  target.type ??= typeof values[0] === 'number' ? 'NUMBER' : typeof values[0] === 'boolean' ? 'BOOLEAN' : 'STRING';
  // A yes or no of one kind only cannot be said.
  if (target.type === 'BOOLEAN' || target.enum.length === 0) delete target.enum;
  else if (target.type !== 'STRING') target.format = 'enum';
}

function setAlternatives({ anyOf, oneOf }: JsonObject, target: GeminiSchema, walk: Walk): void {
  const alternatives = [...toList(anyOf), ...toList(oneOf)].filter(isJsonObject);
  if (alternatives.length === 0) return;
  const others = alternatives.filter(({ type }) => type !== 'null');
  if (others.length < alternatives.length) target.nullable = true;
  const [only] = others;
  if (others.length === 1) Object.assign(target, { ...convert(only, walk), ...target });
  else target.anyOf = others.map((each) => convert(each, walk));
}

function setContent({ properties, required, items }: JsonObject, target: GeminiSchema, walk: Walk): void {
  if (isJsonObject(properties) && Object.keys(properties).length > 0) {
    const entries = Object.entries(properties).map(([name, each]) => [name, convert(each, walk)] as const);
    target.properties = Object.fromEntries(entries);
    const names = toList(required).filter((name): name is string => typeof name === 'string' && name in properties);
    if (names.length > 0) target.required = [...new Set(names)];
  }
  // A list must say of what it is one.
  if (target.type === 'ARRAY') target.items = isJsonObject(items) ? convert(items, walk) : { type: 'STRING' };
}

function setBounds(schema: JsonObject, target: GeminiSchema): void {
  for (const bound of ['minItems', 'maxItems', 'minLength', 'maxLength'] as const) {
    if (Number.isSafeInteger(schema[bound])) target[bound] = toText(schema[bound]);
  }
  for (const bound of ['minimum', 'maximum'] as const) {
    const value = schema[bound];
    if (typeof value === 'number') target[bound] = value;
  }
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
