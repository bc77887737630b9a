/** @jest-environment jsdom */
import { readFileSync } from 'node:fs';
import type { InMemoryCache } from '@apollo/client';
import {
  buildSchema,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import * as generated from '../gql/graphql';
import { createApolloClient } from './apollo-client';
import { createOperatorClient } from './operator-client';

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const definitions = Object.values(generated as Record<string, unknown>)
  .filter((one): one is DocumentNode => (one as DocumentNode)?.kind === Kind.DOCUMENT)
  .flatMap((document) => document.definitions);
const fragments = new Map(
  definitions
    .filter((one): one is FragmentDefinitionNode => one.kind === Kind.FRAGMENT_DEFINITION)
    .map((fragment) => [fragment.name.value, fragment.selectionSet]),
);

/** One object, and what each operation asks of it. */
interface Place {
  readonly parent: string;
  readonly field: string;
  readonly type: string;
  readonly isOperators: boolean;
  readonly asked: Map<string, string>;
}

/** Each asks it with arguments of its own, so that none takes the place of another. */
const apart = ['Query.usage'];

const namesIn = ({ selections }: SelectionSetNode): string[] =>
  selections.flatMap((one) => {
    if (one.kind === Kind.FIELD) return one.name.value;
    const inner = one.kind === Kind.INLINE_FRAGMENT ? one.selectionSet : fragments.get(one.name.value);
    return inner ? namesIn(inner) : [];
  });

function listPlaces(): Place[] {
  const places = new Map<string, Place>();
  const visit = (selectionSet: SelectionSetNode, parent: GraphQLObjectType, by: string, isOperators: boolean): void => {
    for (const one of selectionSet.selections) {
      if (one.kind !== Kind.FIELD) {
        const inner = one.kind === Kind.INLINE_FRAGMENT ? one.selectionSet : fragments.get(one.name.value);
        if (inner) visit(inner, parent, by, isOperators);
        continue;
      }
      const returned = parent.getFields()[one.name.value]?.type;
      const type = returned && getNamedType(returned);
      if (!isObjectType(type) || one.selectionSet === undefined) continue;
      const names = namesIn(one.selectionSet);
      const inConsole = isOperators || one.name.value === 'operator';
      if (!isListType(getNullableType(returned))) {
        const key = `${parent.name}.${one.name.value}`;
        const facts = { parent: parent.name, field: one.name.value, type: type.name, isOperators: inConsole };
        const place = places.get(key) ?? { ...facts, asked: new Map() };
        places.set(key, place);
        place.asked.set(by, [...new Set(names)].sort().join());
      }
      visit(one.selectionSet, type, by, inConsole);
    }
  };
  for (const one of definitions) {
    const root = schema.getQueryType();
    if (one.kind !== Kind.OPERATION_DEFINITION || one.operation !== 'query' || !root) continue;
    visit(one.selectionSet, root, one.name?.value ?? '', false);
  }
  return [...places.values()];
}

describe('What several queries ask of one thing, and one of them without its id', () => {
  it('is kept together, so that none takes the place of what another has asked, which is then asked again', () => {
    const shared = listPlaces()
      .map(({ asked, ...place }) => ({ ...place, sets: [...new Set(asked.values())] }))
      .filter(({ sets }) => sets.length > 1 && sets.some((names) => !/\bid\b/.test(names)));
    const caches = [createApolloClient(), createOperatorClient()].map(({ cache }) => cache as InMemoryCache);
    const lost = shared
      .filter(({ parent, field, type, isOperators }) => {
        const policies = caches[isOperators ? 1 : 0]?.policies;
        return policies?.getMergeFunction(parent, field, type) === undefined;
      })
      .map(({ parent, field }) => `${parent}.${field}`);
    expect(shared.length).toBeGreaterThan(5);
    expect(lost.sort()).toEqual(apart);
  });
});
