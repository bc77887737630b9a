import { type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import { actAs } from '../audit/acting.js';
import { AppError } from '../kernel/app-error.js';
import { type OperatorAccess, operatorAccess } from '../operator/operator-access.js';
import { type OperatorContext, requireOperator } from '../operator/operator-context.js';
import type { OperatorCaller } from '../operator/people/operator-sessions.js';
import { operatorStanding } from '../operator/people/operator-standing.js';
import { tokenOperations } from '../operator/people/operator-token-access.js';

/** The types whose fields are what operators ask. */
export const operatorTypes = ['OperatorQuery', 'OperatorMutation'] as const;

const nobody: OperatorAccess = { roles: [] };

/** Keeps the table of `operator-access.ts` in a schema: each field says who may ask it, and refuses others before it begins. */
export function guardOperators(schema: GraphQLSchema): GraphQLSchema {
  for (const name of operatorTypes) {
    const type = schema.getType(name);
    if (isObjectType(type)) {
      for (const field of Object.values(type.getFields())) guard(field, name === 'OperatorMutation');
    }
  }
  return schema;
}

function guard(field: GraphQLField<unknown, OperatorContext>, isChange: boolean): void {
  const { name, resolve } = field;
  const access = operatorAccess[name] ?? nobody;
  const tokens = tokenOperations.has(name) ? null : 'Tokens: no.';
  field.description = [field.description, describe(access), tokens].filter(Boolean).join(' ');
  field.resolve = async (source, args, context, info) => {
    if (access.roles !== 'anybody') {
      const operator = await requireOperator(context);
      requirePerson(operator, name);
      requireRole(operator, access);
      // What customers are told of it names no operator.
      if (isChange) return actAs(null, () => resolve?.(source, args, context, info), operatorStanding(operator));
    } else if (!tokenOperations.has(name)) requirePerson(await context.operators?.find(), name);
    return resolve?.(source, args, context, info);
  };
}

/** A script is let in to what is listed for scripts, and nothing else. */
function requirePerson(operator: OperatorCaller | null | undefined, operation: string): void {
  if (operator?.tokenName === undefined || tokenOperations.has(operation)) return;
  throw new AppError('forbidden', 'A token may not do this. Sign in at /operator.', { metadata: { token: true } });
}

function requireRole(operator: OperatorCaller, { roles, isFresh }: OperatorAccess): void {
  const { role } = operator;
  if (roles === 'anybody' || !roles.includes(role)) {
    const words = `Your role, ${role}, may not do this. An owner can invite you again with another role.`;
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
