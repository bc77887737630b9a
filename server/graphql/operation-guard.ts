import { type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import { type Actor, actAs } from '../audit/acting.js';
import type { Standing } from '../database/standing.js';
import { AppError } from '../kernel/app-error.js';
import { requireScope } from '../keys/key-permissions.js';
import { requireMakersRole } from '../keys/maker-role.js';
import { type Access, accessOf } from '../schema/access.js';
import type { Caller, GraphqlContext } from '../schema/graphql-context.js';
import { openMutations } from './caller-standing.js';
import { describeRoles, enterAs } from './enter-as-member.js';
import { describeProof, requireProof } from './fresh-factor.js';

/** What is known beside of who asks. */
export interface GuardedContext extends GraphqlContext {
  /** What each transaction of a change proves first. */
  standingOf(caller: Caller): Standing;
}

/** Keeps what each operation says of its access: its description tells it, and others are refused before it begins. */
export function guardOperations(schema: GraphQLSchema): GraphQLSchema {
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    if (!isObjectType(root)) continue;
    for (const field of Object.values(root.getFields())) guard(field, root === schema.getMutationType());
  }
  return schema;
}

/**
 * @throws AppError `missing_scope`, `role_required` or `session_required` when it is a key that asks, and may not; `forbidden` for an operator who
 *   looks as a customer.
 */
export function requireAccess({ keys, isViewable }: Access, { viewer }: Pick<GraphqlContext, 'viewer'>): void {
  if (viewer?.operatorId !== undefined && !isViewable) refuseView();
  if (!viewer?.key || keys === 'any') return;
  if (keys === 'none') {
    throw new AppError('session_required', 'This is for a person who is signed in; no API key may do it.', {
      metadata: { permission: 'session' },
    });
  }
  requireMakersRole(viewer.key, ...keys);
  requireScope(viewer.key.permissions, ...keys);
}

function refuseView(): never {
  const words = 'You are viewing this account as its customer sees it, so it is read-only. End the view first.';
  throw new AppError('forbidden', words);
}

function guard(field: GraphQLField<unknown, GuardedContext>, isChange: boolean): void {
  const { resolve, subscribe } = field;
  const access = accessOf(field);
  const words = [
    field.description,
    describeProof(access.proof),
    describeRoles(access.members),
    describeKeys(access.keys),
  ];
  field.description = words.filter((text) => text).join(' ');
  if (resolve) {
    field.resolve = async (source, args, asked, info) => {
      if (isChange) asked.refuseOtherOwner();
      requireAccess(access, asked);
      const context = enter(access, asked);
      await requireProof(access.proof, args, context);
      const { viewer } = context;
      const isByCaller = isChange && viewer !== null && !openMutations.has(field.name);
      const standing = isByCaller ? context.standingOf(viewer) : null;
      return actAs(toActor(context), () => resolve(source, args, context, info), standing);
    };
  }
  if (subscribe) {
    field.subscribe = (source, args, context, info) => {
      requireAccess(access, context);
      return subscribe(source, args, enter(access, context), info);
    };
  }
}

// With the account that the operation is about; the object itself only where that is another one.
function enter<Context extends GraphqlContext>({ members }: Access, context: Context): Context {
  const viewer = enterAs(members, context.viewer);
  return viewer === context.viewer ? context : { ...context, viewer };
}

// What it changes is written down in the name of whoever asks.
function toActor({ viewer, addressOfCaller, userAgent }: GraphqlContext): Actor {
  const actorId = viewer?.sessionId ?? viewer?.key?.keyId ?? null;
  const { personId = null, role = null } = viewer ?? {};
  return { actorId, personId, role, address: addressOfCaller, userAgent };
}

function describeKeys(keys: Access['keys']): string {
  if (keys === 'any') return 'API keys: any.';
  if (keys === 'none') return 'API keys: none.';
  return `API keys: with the scope ${keys.map((scope) => `\`${scope}\``).join(' or ')}.`;
}
