import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';

export type SampleOperation = GraphQLField<unknown, unknown> & { readonly kind: 'query' | 'mutation' };

const samples: Readonly<Record<string, unknown>> = {
  String: 'text',
  ID: 'nonsense',
  Int: 1,
  Float: 1,
  Boolean: true,
  Credits: 1,
  DateTime: '2026-01-31T12:00:00Z',
};

/** Every query and mutation of a schema. */
export function listOperations(schema: GraphQLSchema): SampleOperation[] {
  const of = (kind: SampleOperation['kind']) => {
    const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
    return Object.values(root?.getFields() ?? {}).map((field): SampleOperation => ({ ...field, kind }));
  };
  return [...of('query'), ...of('mutation')];
}

/**
 * A request with values that its types take, and that name nothing.
 * @param select what is asked of the answer. @param values of arguments, in place of these, also of some that may be left out.
 */
export function toSampleRequest(
  { kind, name, args, type }: SampleOperation,
  select = selectLittle,
  values: Readonly<Record<string, unknown>> = {},
) {
  const sent = args.filter((arg) => isRequiredArgument(arg) || arg.name in values);
  const declared = sent.length > 0 ? `(${sent.map((arg) => `$${arg.name}: ${arg.type}`).join(', ')})` : '';
  const passed = sent.length > 0 ? `(${sent.map((arg) => `${arg.name}: $${arg.name}`).join(', ')})` : '';
  const variables = Object.fromEntries(sent.map((arg) => [arg.name, values[arg.name] ?? sampleOf(arg.type)]));
  return { query: `${kind} ${declared} { ${name}${passed} ${select(type)} }`, variables };
}

/** As little as an answer can be asked for. */
function selectLittle(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  const isList = isObjectType(named) && 'edges' in named.getFields();
  return isLeafType(named) ? '' : `{ __typename ${isList ? 'edges { cursor }' : ''} }`;
}

/** All that an answer can be asked for without arguments, five levels deep. */
export function selectAll(type: GraphQLOutputType, levels = 5): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).flatMap((field) => {
    const isLeaf = isLeafType(getNamedType(field.type));
    if (field.args.some(isRequiredArgument) || (!isLeaf && levels === 1)) return [];
    return [`${field.name} ${selectAll(field.type, levels - 1)}`];
  });
  return `{ ${fields.join(' ')} }`;
}

/** A value that its type takes, and that names nothing. */
export function sampleOf(type: GraphQLInputType): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return [sampleOf(inner.ofType)];
  if (isEnumType(inner)) return inner.getValues()[0]?.name;
  if (!isInputObjectType(inner)) return samples[getNamedType(inner).name];
  const fields = Object.values(inner.getFields()).filter(isRequiredInputField);
  return Object.fromEntries(fields.map((field) => [field.name, sampleOf(field.type)]));
}
