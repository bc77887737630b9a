import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { rootFieldsMax } from '../limits/query-limits.js';

export interface ExampleOperation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Deep enough for the fields of what a list holds. */
const depthMax = 5;

const exampleValues: Readonly<Record<string, unknown>> = {
  email: 'ada@example.com',
  password: 'correct horse battery',
  currentPassword: 'correct horse battery',
  newPassword: 'an even longer password',
  name: 'Ada',
  bucket: 'DAY',
  groupBy: 'MODEL',
  from: '2026-01-01T00:00:00Z',
  to: '2026-02-01T00:00:00Z',
};
const valuesOfScalars: Readonly<Record<string, unknown>> = {
  ID: 'the-id',
  String: 'text',
  Int: 10,
  Boolean: true,
  DateTime: '2026-01-01T00:00:00Z',
  Credits: 100,
};

/** A whole operation that asks for everything about one root field, with values for the arguments that it cannot do without. */
export function createExample(
  kind: 'query' | 'mutation' | 'subscription',
  field: GraphQLField<unknown, unknown>,
): ExampleOperation {
  const needed = field.args.filter((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined);
  const list = (show: (arg: GraphQLArgument) => string) =>
    needed.length > 0 ? `(${needed.map(show).join(', ')})` : '';
  const title = field.name[0]?.toUpperCase() + field.name.slice(1);
  const head = `${kind} ${title}${list(({ name, type }) => `$${name}: ${type}`)}`;
  const asked = `${field.name}${list(({ name }) => `${name}: $${name}`)}${select(field.type, 1, field.name === 'operator' ? rootFieldsMax[kind] : undefined)}`;
  return {
    query: `${head} {\n  ${asked}\n}`,
    variables: Object.fromEntries(needed.map(({ name, type }) => [name, exampleOf(name, type)])),
  };
}

// Fields that need arguments are left out, and so is what lies too deep. What operators ask for counts as root fields.
function select(type: GraphQLOutputType, depth: number, fieldsMax?: number): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const indent = '  '.repeat(depth + 1);
  const lines = Object.values(named.getFields()).flatMap((field) => {
    const isObject = isObjectType(getNamedType(field.type));
    if (isObject && depth >= depthMax) return [];
    return field.args.some((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined)
      ? []
      : [`${indent}${field.name}${select(field.type, depth + 1)}`];
  });
  return ` {\n${lines.slice(0, fieldsMax).join('\n')}\n${'  '.repeat(depth)}}`;
}

function exampleOf(name: string, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return exampleOf(name, type.ofType);
  if (isListType(type)) return [exampleOf(name, type.ofType)];
  if (isInputObjectType(type)) {
    const needed = Object.values(type.getFields()).filter(
      (field) => isNonNullType(field.type) && field.defaultValue === undefined,
    );
    // An input whose fields are all optional still wants one of them.
    const fields = needed.length > 0 ? needed : Object.values(type.getFields()).slice(0, 1);
    return Object.fromEntries(fields.map((field) => [field.name, exampleOf(field.name, field.type)]));
  }
  if (isEnumType(type))
    return type.getValues().find(({ name: value }) => value === exampleValues[name])?.name ?? type.getValues()[0]?.name;
  return type.name === 'String' || type.name === 'DateTime'
    ? (exampleValues[name] ?? valuesOfScalars[type.name])
    : valuesOfScalars[type.name];
}
