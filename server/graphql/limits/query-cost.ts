import {
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** Fields that one request may have answered: two full pages of calls with everything about them. */
export const costMax = 6_000;

/** A list that takes no `first` is short. */
const lengthOfPage = 25;

export interface CostQuestion {
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Works out how many fields an answer may have, before anything runs: each field counts one, and what a page of a list holds
 * counts as often as the page is long. The document is valid: its fragments do not spread themselves.
 * @returns a number that stops growing soon after `costMax`.
 */
export function measureCost({ operation, fragments, variables }: CostQuestion): number {
  const known = new Map<string, number>();
  const defaults = readDefaults(operation);
  const measureSelections = (selections: SelectionSetNode | undefined): number =>
    Math.min(
      2 * costMax,
      (selections?.selections ?? []).reduce((sum, selection) => {
        if (selection.kind === Kind.FIELD) return sum + measureField(selection);
        if (selection.kind === Kind.INLINE_FRAGMENT) return sum + measureSelections(selection.selectionSet);
        return sum + measureFragment(selection.name.value);
      }, 0),
    );
  // Each fragment is measured once, so a bomb of fragments costs no more than its text.
  const measureFragment = (name: string): number => {
    const cost = known.get(name) ?? measureSelections(fragments.get(name)?.selectionSet);
    known.set(name, cost);
    return cost;
  };
  const measureField = (field: FieldNode): number => {
    // What a schema tells about itself is bounded by rules of its own.
    if (field.name.value.startsWith('__')) return 1;
    return 1 + readLength(field, { ...defaults, ...variables }) * measureSelections(field.selectionSet);
  };
  return measureSelections(operation.selectionSet);
}

function readDefaults({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, unknown> {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.INT ? [[variable.name.value, defaultValue.value]] : [],
    ),
  );
}

function readLength(field: FieldNode, variables: CostQuestion['variables']): number {
  const value = field.arguments?.find(({ name }) => name.value === 'first')?.value;
  if (value === undefined || value.kind === Kind.NULL) return field.name.value in pagedFields ? lengthOfPage : 1;
  const first = value.kind === Kind.VARIABLE ? variables[value.name.value] : value.kind === Kind.INT && value.value;
  const length = Number(first ?? lengthOfPage);
  // Any other length is refused where arguments are checked.
  return Number.isInteger(length) && length >= 1 && length <= 100 ? length : 1;
}

// The fields that answer a page when nobody says how long it is to be.
const pagedFields: Readonly<Record<string, true>> = {
  accountEvents: true,
  calls: true,
  keys: true,
  purchases: true,
  refusals: true,
  requests: true,
  statement: true,
};
