import { type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import { type Actor, actAs } from '../audit/acting.js';
import { AppError } from '../kernel/app-error.js';
import { type KeyScope, requireScope } from '../keys/key-permissions.js';
import { requireViewable } from './customer-view-access.js';
import { describeFreshness, requireFreshness } from './fresh-operations.js';
import type { GraphqlContext } from './graphql-context.js';
import { describeRoles, enterAs, operationRoles } from './operation-roles.js';

/** Which API keys may ask an operation: any; none, since it is for a person who is signed in; or those with one of these scopes. */
export type OperationAccess = 'any key' | 'no key' | readonly KeyScope[];

/**
 * Every operation and every download, and the scopes that open it to an API key. It is also written into the schema's
 * descriptions. What does not stand here is closed to keys, and a test asks for it.
 */
export const operationAccess: Readonly<Record<string, OperationAccess>> = {
  // Queries.
  announcements: 'any key',
  autoTopUp: ['usage:read', 'billing:write'],
  // It shows the secret of the account's webhook.
  balanceAlert: ['billing:write'],
  webhookDeliveries: ['billing:write'],
  // They show their secrets.
  webhookEndpoints: ['billing:write'],
  // It tells where people were.
  accountEvents: 'no key',
  apiKey: ['usage:read', 'keys:write'],
  apiKeys: ['usage:read', 'keys:write'],
  call: ['usage:read'],
  calls: ['usage:read'],
  creditPacks: 'any key',
  explore: ['usage:read'],
  keys: ['usage:read', 'keys:write'],
  latency: ['usage:read'],
  models: 'any key',
  proof: ['usage:read'],
  notices: ['usage:read'],
  providers: 'any key',
  purchase: ['usage:read', 'billing:write'],
  purchases: ['usage:read', 'billing:write'],
  factors: 'no key',
  invitationOffer: 'no key',
  invitations: 'no key',
  members: 'no key',
  person: 'no key',
  refusals: ['usage:read'],
  linkedIdentities: 'no key',
  requests: ['usage:read'],
  // People write it, and prompts may tell more than usage does.
  savedItems: 'no key',
  personalItems: 'no key',
  serviceStatus: 'any key',
  sessions: 'no key',
  // Whoever has the link may see it.
  sharedReceipt: 'any key',
  signInProviders: 'any key',
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
  createWebhookEndpoint: ['billing:write'],
  updateWebhookEndpoint: ['billing:write'],
  rotateWebhookSecret: ['billing:write'],
  deleteWebhookEndpoint: ['billing:write'],
  resendWebhookDelivery: ['billing:write'],
  sendTestWebhook: ['billing:write'],
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
  // What a person has read is theirs.
  markNoticesRead: 'no key',
  acceptInvitation: 'no key',
  declineInvitation: 'no key',
  inviteMember: 'no key',
  leaveAccount: 'no key',
  removeMember: 'no key',
  revokeInvitation: 'no key',
  setMemberBudget: 'no key',
  setMemberRole: 'no key',
  switchAccount: 'no key',
  transferOwnership: 'no key',
  addPasskey: 'no key',
  cancelFactorRecovery: 'no key',
  requestFactorRecovery: 'no key',
  startFactorRecovery: 'no key',
  finishPasskeySignIn: 'no key',
  finishSignIn: 'no key',
  finishIdentityLink: 'no key',
  finishProviderSignIn: 'no key',
  startIdentityLink: 'no key',
  unlinkIdentity: 'no key',
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
  saveItem: 'no key',
  deleteSavedItem: 'no key',
  savePersonalItem: 'no key',
  deletePersonalItem: 'no key',
  deletePersonalItems: 'no key',
  // To show something to others takes the consent of a person.
  shareReceipt: 'no key',
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
  stopSharingReceipt: 'no key',
  updateApiKey: ['keys:write'],
  updateProfile: 'no key',
  verifyEmail: 'no key',
  // Query and mutation: all that operators do, who have a table of their own in `operator-access.ts`.
  operator: 'no key',
  // Subscriptions.
  balance: ['usage:read'],
  // Downloads.
  'GET /export/account.json': 'no key',
  'GET /export/events.csv': 'no key',
  'GET /export/calls.csv': ['usage:read'],
  'GET /export/requests.csv': ['usage:read'],
  'GET /export/statement.csv': ['usage:read'],
  // The dashboard's own calls; scripts have keys for theirs.
  'POST /playground/chat/completions': 'no key',
  'POST /playground/estimate': 'no key',
};

/** Keeps the table in a schema: each operation says in its description who may ask it, and refuses others before it begins. */
export function guardOperations(schema: GraphQLSchema): GraphQLSchema {
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    if (!isObjectType(root)) continue;
    for (const field of Object.values(root.getFields())) guard(field);
  }
  return schema;
}

/**
 * @throws AppError `missing_scope` or `session_required` when it is a key that asks, and may not; `forbidden` for an operator who
 *   looks as a customer.
 */
export function requireAccess(operation: string, context: Pick<GraphqlContext, 'viewer'>): void {
  if (context.viewer?.operatorId !== undefined) requireViewable(operation);
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
  const words = [
    field.description,
    describeFreshness(name),
    describeRoles(operationRoles[name]),
    describeAccess(operationAccess[name] ?? 'no key'),
  ];
  field.description = words.filter((text) => text).join(' ');
  if (resolve) {
    field.resolve = async (source, args, asked, info) => {
      requireAccess(name, asked);
      const context = enter(name, asked);
      await requireFreshness(name, args, context);
      return actAs(toActor(context), () => resolve(source, args, context, info));
    };
  }
  if (subscribe) {
    field.subscribe = (source, args, context, info) => {
      requireAccess(name, context);
      return subscribe(source, args, enter(name, context), info);
    };
  }
}

// With the account that the operation is about; the object itself only where that is another one.
function enter(operation: string, context: GraphqlContext): GraphqlContext {
  const viewer = enterAs(operation, context.viewer);
  return viewer === context.viewer ? context : { ...context, viewer };
}

// What it changes is written down in the name of whoever asks.
function toActor({ viewer, addressOfCaller, userAgent }: GraphqlContext): Actor {
  const actorId = viewer?.sessionId ?? viewer?.key?.keyId ?? null;
  const { personId = null, role = null } = viewer ?? {};
  return { actorId, personId, role, address: addressOfCaller, userAgent };
}

function describeAccess(access: OperationAccess): string {
  if (access === 'any key') return 'API keys: any.';
  if (access === 'no key') return 'API keys: none.';
  return `API keys: with the scope ${access.map((scope) => `\`${scope}\``).join(' or ')}.`;
}
