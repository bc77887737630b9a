import { type GraphQLSchema, isObjectType } from 'graphql';
import { routeAccess } from '../graphql/route-access.js';
import type { Access } from '../schema/access.js';

/** Who may ask each operation and route that says so. `operator` is a query and a mutation, and the same for both. */
export function listDeclaredAccess(schema: GraphQLSchema): Readonly<Record<string, Access>> {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const fields = roots.filter(isObjectType).flatMap((root) => Object.values(root.getFields()));
  const declared = fields.flatMap(({ name, extensions }) => (extensions.access ? [[name, extensions.access]] : []));
  return { ...(Object.fromEntries(declared) as Record<string, Access>), ...routeAccess };
}
