import { type GraphQLInputType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';

const values: Readonly<Record<string, unknown>> = {
  String: 'some text',
  Int: 10,
  Boolean: true,
  DateTime: '2026-01-01T00:00:00Z',
  Credits: 100,
};

/** A value with every field of the type, also those that may be left out; each id in it is this one. */
export function fillInput(type: GraphQLInputType, id: string): unknown {
  if (isNonNullType(type)) return fillInput(type.ofType, id);
  if (isListType(type)) return [fillInput(type.ofType, id)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (!isInputObjectType(type)) return type.name === 'ID' ? id : values[type.name];
  return Object.fromEntries(Object.values(type.getFields()).map((field) => [field.name, fillInput(field.type, id)]));
}

/** As `fillInput`, with null for every field that may be left out. */
export function fillNeeded(type: GraphQLInputType, id: string): unknown {
  if (!isNonNullType(type)) return null;
  const { ofType } = type;
  if (!isInputObjectType(ofType)) return fillInput(ofType, id);
  return Object.fromEntries(Object.values(ofType.getFields()).map((field) => [field.name, fillNeeded(field.type, id)]));
}
