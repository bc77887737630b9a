import type { GraphQLSchema } from 'graphql';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchemaSync, type NonEmptyArray } from 'type-graphql';
import { assertInvariant } from '../kernel/assert.js';
import { guardIds } from './id-inputs.js';
import { boundLists } from './limits/answer-size.js';
import { guardOperations } from './operation-guard.js';
import { guardOperators } from './operator-guard.js';

// biome-ignore lint/complexity/noBannedTypes: type-graphql's own type of a resolver class.
export type ResolverClass = Function;

/** Resolver class -> the one object that serves it. */
export type ResolverInstances = ReadonlyMap<ResolverClass, object>;

/** Makes the schema of these resolvers. One that is missing from the instances fails by its name when it is asked. */
export function buildGraphqlSchema(classes: readonly ResolverClass[], instances: ResolverInstances): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [...classes] as NonEmptyArray<ResolverClass>,
    container: { get: (resolverClass: ResolverClass) => getInstance(instances, resolverClass) },
    // Subscriptions bring their own source of events; type-graphql insists on one all the same.
    pubSub: { publish: refuseTopic, subscribe: refuseTopic },
    validate: { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true },
    // Apollo Server validates it once more. This check asks for the whole introspection: 70 ms of each start.
    skipCheck: true,
  });
  return guardIds(boundLists(guardOperators(guardOperations(schema))));
}

/** The schema as text, in an order that does not depend on the order of imports. */
export function printGraphqlSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}

function refuseTopic(topic: string): never {
  throw new Error(`There are no topics here, and so no ${topic}.`);
}

function getInstance(instances: ResolverInstances, resolverClass: ResolverClass): object {
  const instance = instances.get(resolverClass);
  assertInvariant(instance !== undefined, `${resolverClass.name} is among the resolvers that were put together`);
  return instance;
}
