import {
  type ASTVisitor,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';

/** Words, names and signs of one document. */
export const tokensMax = 1_000;
const depthMax = 8;
const aliasesMax = 15;
export const rootFieldsMax = { query: 10, mutation: 1, subscription: 1 } as const;

/** Bounds on what one request can ask for, judged before anything runs. */
export const queryLimits: readonly ValidationRule[] = [limitAliases, limitRootFields, limitDepth];

// A mutation is a password guess or a purchase: a hundred in one request would slip by limits that count requests.
function limitRootFields(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      const fieldsMax = rootFieldsMax[operation.operation];
      const fields = listFields(context, operation.selectionSet);
      // What operators change stands one level deeper, and is counted there.
      const below = fields.flatMap(({ name, selectionSet }) =>
        name.value === 'operator' && selectionSet ? listFields(context, selectionSet) : [],
      );
      // Clients such as Apollo's add it by themselves, and nothing is done for it.
      const asked = below.filter(({ name }) => name.value !== '__typename');
      if (fields.length <= fieldsMax && asked.length <= fieldsMax) return;
      const words = `Ask for at most ${fieldsMax} root field(s) in one ${operation.operation}.`;
      context.reportError(new GraphQLError(words, { nodes: operation }));
    },
  };
}

/**
 * The root of a subscription has its one field in any case: `@skip` and `@include` are refused there, as the specification of
 * GraphQL has it.
 */
export function refuseConditionsAtRoot(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition({ operation, selectionSet }) {
      if (operation !== 'subscription') return;
      const seen = new Set<string>();
      const isConditional = ({ selections }: SelectionSetNode): boolean =>
        selections.some((selection) => {
          if (selection.directives?.some(({ name }) => name.value === 'skip' || name.value === 'include')) return true;
          if (selection.kind === Kind.FIELD) return false;
          if (selection.kind === Kind.INLINE_FRAGMENT) return isConditional(selection.selectionSet);
          if (seen.has(selection.name.value)) return false;
          seen.add(selection.name.value);
          const fragment = context.getFragment(selection.name.value);
          return fragment ? isConditional(fragment.selectionSet) : false;
        });
      if (!isConditional(selectionSet)) return;
      context.reportError(new GraphQLError('Use no @skip and no @include at the root of a subscription.'));
    },
  };
}

function limitAliases(context: ValidationContext): ASTVisitor {
  let aliases = 0;
  return {
    Field(field) {
      aliases += field.alias ? 1 : 0;
      if (aliases !== aliasesMax + 1) return;
      context.reportError(new GraphQLError(`Use at most ${aliasesMax} aliases in one request.`, { nodes: field }));
    },
  };
}

function limitDepth(context: ValidationContext): ASTVisitor {
  const deepest = new DepthGauge(context);
  return {
    OperationDefinition(operation) {
      if (deepest.measure(operation.selectionSet) <= depthMax) return;
      const words = `Nest fields at most ${depthMax} deep.`;
      context.reportError(new GraphQLError(words, { nodes: operation }));
    },
  };
}

/** Measures each fragment once, so that fragments which spread each other many times over cost no more than their text. */
class DepthGauge {
  readonly #depthOfFragment = new Map<string, number>();

  constructor(private readonly context: ValidationContext) {}

  measure(selectionSet: SelectionSetNode | undefined): number {
    const depths = (selectionSet?.selections ?? []).map((selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#measureFragment(selection.name.value);
      if (selection.kind === Kind.INLINE_FRAGMENT) return this.measure(selection.selectionSet);
      // What a schema can tell about itself is nested deep by nature, and bounded by a rule of graphql-js.
      return isIntrospection(selection) ? 0 : 1 + this.measure(selection.selectionSet);
    });
    return Math.max(0, ...depths);
  }

  #measureFragment(name: string): number {
    const known = this.#depthOfFragment.get(name);
    if (known !== undefined) return known;
    // Stands while it is measured: a cycle, which another rule refuses, ends here.
    this.#depthOfFragment.set(name, 0);
    const depth = this.measure(this.context.getFragment(name)?.selectionSet);
    this.#depthOfFragment.set(name, depth);
    return depth;
  }
}

function isIntrospection(field: FieldNode): boolean {
  return field.name.value.startsWith('__');
}

// The fields of a selection with its fragments, each of which counts once per request.
function listFields(context: ValidationContext, selectionSet: SelectionSetNode): FieldNode[] {
  const seen = new Set<FragmentDefinitionNode>();
  const list = (selections: SelectionSetNode): FieldNode[] =>
    selections.selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection];
      if (selection.kind === Kind.INLINE_FRAGMENT) return list(selection.selectionSet);
      const fragment = context.getFragment(selection.name.value);
      if (!fragment || seen.has(fragment)) return [];
      seen.add(fragment);
      return list(fragment.selectionSet);
    });
  return list(selectionSet);
}
