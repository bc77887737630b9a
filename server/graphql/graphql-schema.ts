import { assertValidSchema, GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
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

/** What was read of the classes, which takes longer than all else of a start; a process of tests starts hundreds of servers. */
const readSchemas: { readonly classes: readonly ResolverClass[]; readonly schema: GraphQLSchema }[] = [];
/** Whose resolvers serve a schema. */
const instancesOfSchemas = new WeakMap<GraphQLSchema, ResolverInstances>();

/**
 * Makes the schema of these resolvers. One that is missing from the instances fails by its name when it is asked. The types are those of
 * every schema of the same classes in this process: whoever changes one changes all.
 */
export function buildGraphqlSchema(classes: readonly ResolverClass[], instances: ResolverInstances): GraphQLSchema {
  const schema: GraphQLSchema = Object.create(GraphQLSchema.prototype, Object.getOwnPropertyDescriptors(read(classes)));
  instancesOfSchemas.set(schema, instances);
  return schema;
}

function read(classes: readonly ResolverClass[]): GraphQLSchema {
  const isOfThese = (known: readonly ResolverClass[]) =>
    known.length === classes.length && known.every((resolverClass, place) => resolverClass === classes[place]);
  const known = readSchemas.find((one) => isOfThese(one.classes));
  if (known !== undefined) return known.schema;
  const built = buildSchemaSync({
    resolvers: [...classes] as NonEmptyArray<ResolverClass>,
    container: { get: (resolverClass: ResolverClass, { info }) => getInstance(info.schema, resolverClass) },
    // Subscriptions bring their own source of events; type-graphql insists on one all the same.
    pubSub: { publish: refuseTopic, subscribe: refuseTopic },
    validate: { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true },
    // This check asks for the whole introspection: 70 ms of each start.
    skipCheck: true,
  });
  const schema = guardIds(boundLists(guardOperators(guardOperations(built))));
  // Apollo Server asks the same once more of each schema, which then knows the answer.
  assertValidSchema(schema);
  readSchemas.push({ classes: [...classes], schema });
  return schema;
}

/** The schema as text, in an order that does not depend on the order of imports. */
export function printGraphqlSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}

function refuseTopic(topic: string): never {
  throw new Error(`There are no topics here, and so no ${topic}.`);
}

function getInstance(schema: GraphQLSchema, resolverClass: ResolverClass): object {
  const instance = instancesOfSchemas.get(schema)?.get(resolverClass);
  assertInvariant(instance !== undefined, `${resolverClass.name} is among the resolvers that were put together`);
  return instance;
}
