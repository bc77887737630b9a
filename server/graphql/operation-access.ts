import { type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import { type Actor, actAs } from '../audit/acting.js';
import { AppError } from '../kernel/app-error.js';
import { type KeyScope, requireScope } from '../keys/key-permissions.js';
import { describeFreshness, requireFreshness } from './fresh-operations.js';
import type { GraphqlContext } from './graphql-context.js';

/** Which API keys may ask an operation: any; none, since it is for a person who is signed in; or those with one of these scopes. */
export type OperationAccess = 'any key' | 'no key' | readonly KeyScope[];

/**
 * Every operation and every download, and the scopes that open it to an API key. It is also written into the schema's
 * descriptions. What does not stand here is closed to keys, and a test asks for it.
 */
export const operationAccess: Readonly<Record<string, OperationAccess>> = {
  // Queries.
  autoTopUp: ['usage:read', 'billing:write'],
  // It shows the secret of the account's webhook.
  balanceAlert: ['billing:write'],
  // It tells where people were.
  accountEvents: 'no key',
  apiKey: ['usage:read', 'keys:write'],
  apiKeys: ['usage:read', 'keys:write'],
  call: ['usage:read'],
  calls: ['usage:read'],
  creditPacks: 'any key',
  keys: ['usage:read', 'keys:write'],
  latency: ['usage:read'],
  models: 'any key',
  providers: 'any key',
  purchase: ['usage:read', 'billing:write'],
  purchases: ['usage:read', 'billing:write'],
  factors: 'no key',
  refusals: ['usage:read'],
  sessions: 'no key',
  spending: ['usage:read'],
  statement: ['usage:read'],
  usage: ['usage:read'],
  viewer: ['usage:read'],
  // Mutations.
  // To charge a saved card takes the consent of a person.
  confirmCardSetup: 'no key',
  openBillingPortal: 'no key',
  setAutoTopUp: 'no key',
  startCardSetup: 'no key',
  redeemGiftCode: ['billing:write'],
  setBalanceAlert: ['billing:write'],
  changeEmail: 'no key',
  changePassword: 'no key',
  confirmEmailChange: 'no key',
  confirmAuthenticatorApp: 'no key',
  confirmPurchase: ['billing:write'],
  createApiKey: ['keys:write'],
  deleteAccount: 'no key',
  endSession: 'no key',
  requestPasswordReset: 'no key',
  resetPassword: 'no key',
  addPasskey: 'no key',
  cancelFactorRecovery: 'no key',
  requestFactorRecovery: 'no key',
  startFactorRecovery: 'no key',
  finishPasskeySignIn: 'no key',
  finishSignIn: 'no key',
  proveFactor: 'no key',
  provePasskey: 'no key',
  removeAuthenticatorApp: 'no key',
  removePasskey: 'no key',
  renamePasskey: 'no key',
  renewRecoveryCodes: 'no key',
  revokeApiKey: ['keys:write'],
  rotateApiKey: ['keys:write'],
  sendVerificationEmail: 'no key',
  setPreferredProvider: 'no key',
  signIn: 'no key',
  signOut: 'no key',
  signOutEverywhere: 'no key',
  signUp: 'no key',
  undoEmailChange: 'no key',
  startAuthenticatorApp: 'no key',
  startPasskey: 'no key',
  startPasskeyProof: 'no key',
  startPasskeySignIn: 'no key',
  startCheckout: ['billing:write'],
  updateApiKey: ['keys:write'],
  updateProfile: 'no key',
  verifyEmail: 'no key',
  // Subscriptions.
  balance: ['usage:read'],
  // Downloads.
  'GET /export/account.json': 'no key',
  'GET /export/events.csv': 'no key',
  'GET /export/calls.csv': ['usage:read'],
  'GET /export/statement.csv': ['usage:read'],
};

/** Keeps the table in a schema: each operation says in its description who may ask it, and refuses others before it begins. */
export function guardOperations(schema: GraphQLSchema): GraphQLSchema {
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    if (!isObjectType(root)) continue;
    for (const field of Object.values(root.getFields())) guard(field);
  }
  return schema;
}

/** @throws AppError `missing_scope` or `session_required` when it is a key that asks, and may not. */
export function requireAccess(operation: string, context: Pick<GraphqlContext, 'viewer'>): void {
  const key = context.viewer?.key;
  const access = operationAccess[operation] ?? 'no key';
  if (!key || access === 'any key') return;
  if (access === 'no key') {
    throw new AppError('session_required', 'This is for a person who is signed in; no API key may do it.', {
      metadata: { permission: 'session' },
    });
  }
  requireScope(key.permissions, ...access);
}

function guard(field: GraphQLField<unknown, GraphqlContext>): void {
  const { name, resolve, subscribe } = field;
  const words = [field.description, describeFreshness(name), describeAccess(operationAccess[name] ?? 'no key')];
  field.description = words.filter((text) => text).join(' ');
  if (resolve) {
    field.resolve = async (source, args, context, info) => {
      requireAccess(name, context);
      await requireFreshness(name, args, context);
      return actAs(toActor(context), () => resolve(source, args, context, info));
    };
  }
  if (subscribe) {
    field.subscribe = (source, args, context, info) => {
      requireAccess(name, context);
      return subscribe(source, args, context, info);
    };
  }
}

// What it changes is written down in the name of whoever asks.
function toActor({ viewer, addressOfCaller, userAgent }: GraphqlContext): Actor {
  return { actorId: viewer?.sessionId ?? viewer?.key?.keyId ?? null, address: addressOfCaller, userAgent };
}

function describeAccess(access: OperationAccess): string {
  if (access === 'any key') return 'API keys: any.';
  if (access === 'no key') return 'API keys: none.';
  return `API keys: with the scope ${access.map((scope) => `\`${scope}\``).join(' or ')}.`;
}
