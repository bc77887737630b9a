import { type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import { AppError } from '../kernel/app-error.js';
import { type OperatorAccess, operatorAccess } from '../operator/operator-access.js';
import type { OperatorCaller } from '../operator/operator-sessions.js';
import type { GraphqlContext } from './graphql-context.js';

/** The types whose fields are what operators ask. */
export const operatorTypes = ['OperatorQuery', 'OperatorMutation'] as const;

const nobody: OperatorAccess = { roles: [] };

/** Keeps the table of `operator-access.ts` in a schema: each field says who may ask it, and refuses others before it begins. */
export function guardOperators(schema: GraphQLSchema): GraphQLSchema {
  for (const name of operatorTypes) {
    const type = schema.getType(name);
    if (isObjectType(type)) for (const field of Object.values(type.getFields())) guard(field);
  }
  return schema;
}

/** @throws AppError `unauthenticated` where no operator is signed in. A session or key of a customer is none. */
export async function requireOperator({ operators }: Pick<GraphqlContext, 'operators'>): Promise<OperatorCaller> {
  const operator = (await operators?.find()) ?? null;
  if (operator !== null) return operator;
  throw new AppError('unauthenticated', 'This is for operators. Sign in at /operator.');
}

function guard(field: GraphQLField<unknown, GraphqlContext>): void {
  const { name, resolve } = field;
  const access = operatorAccess[name] ?? nobody;
  field.description = [field.description, describe(access)].filter(Boolean).join(' ');
  field.resolve = async (source, args, context, info) => {
    if (access.roles !== 'anybody') requireRole(await requireOperator(context), access);
    return resolve?.(source, args, context, info);
  };
}

function requireRole(operator: OperatorCaller, { roles, isFresh }: OperatorAccess): void {
  const { role } = operator;
  if (roles === 'anybody' || !roles.includes(role)) {
    const words = `Your role, ${role}, may not do this. An owner can invite you anew with another one.`;
    throw new AppError('forbidden', words, { metadata: { role } });
  }
  if (!isFresh || operator.isFresh) return;
  const words = 'Enter a code of your app first with prove, then ask again within 10 minutes.';
  throw new AppError('fresh_factor_required', words, { metadata: { proof: 'factor' } });
}

function describe({ roles, isFresh }: OperatorAccess): string {
  const who =
    roles === 'anybody' ? 'Operators: also before they are signed in.' : `Operators: ${roles.join(', ') || 'none'}.`;
  return isFresh ? `${who} Asks for a code of the last ten minutes.` : who;
}
