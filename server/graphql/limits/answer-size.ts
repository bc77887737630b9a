import {
  defaultFieldResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { InvalidInputError } from '../../kernel/app-error.js';

/** Values that all lists of one answer may have together: about half a second of the loop, and 2 MB. */
export const valuesMax = 125_000;

/**
 * Bounds every list of the schema by what its answer holds: as soon as a list is read, and before any of it is written, its length
 * times the fields that are asked of each item is taken from the request's `valuesMax`. Aliases are counted each.
 * A list that is more than what is left is refused by InvalidInputError, which names it.
 */
export function boundLists(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) if (hasList(field.type)) bound(field);
  }
  return schema;
}

const bounded = new WeakSet<object>();

/** Whether the length of what this field answers is counted. */
export function isBounded({ resolve }: GraphQLField<unknown, unknown>): boolean {
  return resolve !== undefined && bounded.has(resolve);
}

export function hasList(type: GraphQLOutputType): boolean {
  return isListType(type) || (isNonNullType(type) && hasList(type.ofType));
}

function bound(field: GraphQLField<unknown, unknown>): void {
  const resolve = field.resolve ?? defaultFieldResolver;
  field.resolve = (source, args, context, info) => {
    const answer: unknown = resolve(source, args, context, info);
    const count = (list: unknown) => {
      if (Array.isArray(list)) take(list.length * measureItem(info), info);
      return list;
    };
    return answer instanceof Promise ? answer.then(count) : count(answer);
  };
  bounded.add(field.resolve);
}

// The variables are read anew for each execution, also for each event of a subscription, and are the same object all through it.
const takenBy = new WeakMap<object, number>();

function take(values: number, { variableValues, fieldName }: GraphQLResolveInfo): void {
  const taken = (takenBy.get(variableValues) ?? 0) + values;
  takenBy.set(variableValues, taken);
  if (taken <= valuesMax) return;
  const words = `With this list the answer would have more than ${valuesMax} values. Ask for less at a time: fewer fields or aliases, or, of a report, less time, longer buckets or fewer groups.`;
  throw new InvalidInputError(fieldName, words);
}

// The nodes of a list are the same array for each list of that place.
const sizes = new WeakMap<readonly FieldNode[], number>();

function measureItem({ fieldNodes, fragments, variableValues }: GraphQLResolveInfo): number {
  const known = sizes.get(fieldNodes);
  if (known !== undefined) return known;
  const size = fieldNodes.reduce((sum, node) => sum + countFields(node.selectionSet, fragments, variableValues), 1);
  sizes.set(fieldNodes, size);
  return size;
}

type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;
type Variables = Readonly<Record<string, unknown>>;

/** Fields of a selection, those of its fragments included, without what is left out by a directive. A list in it counts as one item. */
function countFields(selections: SelectionSetNode | undefined, fragments: Fragments, variables: Variables): number {
  const known = new Map<string, number>();
  const count = (set: SelectionSetNode | undefined): number =>
    (set?.selections ?? []).reduce((sum, selection) => sum + countOne(selection), 0);
  const countOne = (selection: SelectionNode): number => {
    if (isLeftOut(selection, variables)) return 0;
    if (selection.kind === Kind.FIELD) return 1 + count(selection.selectionSet);
    if (selection.kind === Kind.INLINE_FRAGMENT) return count(selection.selectionSet);
    const { value: name } = selection.name;
    const size = known.get(name) ?? count(fragments[name]?.selectionSet);
    known.set(name, size);
    return size;
  };
  return count(selections);
}

/** Whether `@skip` or `@include` leaves it out. */
export function isLeftOut({ directives = [] }: SelectionNode, variables: Variables): boolean {
  return directives.some(({ name, arguments: given = [] }) => {
    const value = given.find((argument) => argument.name.value === 'if')?.value;
    const isSet =
      value?.kind === Kind.VARIABLE ? variables[value.name.value] : value?.kind === Kind.BOOLEAN && value.value;
    return (name.value === 'skip' && isSet === true) || (name.value === 'include' && isSet === false);
  });
}
