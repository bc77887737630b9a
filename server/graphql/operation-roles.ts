import { AppError } from '../kernel/app-error.js';
import { type MemberRole, memberRoles } from '../kernel/member-role.js';
import type { Caller } from './graphql-context.js';

/**
 * Which members of an account may ask an operation about it: those with one of these roles. `person`: it is about whoever is signed
 * in, or about nobody, and asks for no role. `own account`: it is about all that a person signed up with, so it takes the owner of
 * that account, in a session that acts for it.
 */
export type OperationRoles = 'person' | 'own account' | readonly MemberRole[];

const everybody = memberRoles;
const managers: OperationRoles = ['owner', 'admin'];
const payers: OperationRoles = ['owner', 'admin', 'billing'];
const builders: OperationRoles = ['owner', 'admin', 'developer'];

/**
 * Every operation and every download of `operation-access.ts`, and who of an account's members may ask it. What does not stand here
 * is closed to all of them, and a test asks for it.
 */
export const operationRoles: Readonly<Record<string, OperationRoles>> = {
  // Queries.
  accountEvents: managers,
  apiKey: everybody,
  apiKeys: everybody,
  autoTopUp: payers,
  balanceAlert: payers,
  webhookDeliveries: payers,
  webhookEndpoints: payers,
  call: everybody,
  calls: everybody,
  creditPacks: 'person',
  explore: everybody,
  factors: 'person',
  invitationOffer: 'person',
  invitations: managers,
  keys: everybody,
  latency: everybody,
  linkedIdentities: 'person',
  members: everybody,
  // Operators sign in for themselves: `operator-access.ts` says who of them may do what.
  operator: 'person',
  models: 'person',
  notices: everybody,
  person: 'person',
  proof: everybody,
  providers: 'person',
  purchase: everybody,
  purchases: everybody,
  refusals: everybody,
  requests: everybody,
  savedItems: everybody,
  personalItems: everybody,
  sessions: 'person',
  sharedReceipt: 'person',
  announcements: 'person',
  serviceStatus: 'person',
  signInProviders: 'person',
  spending: everybody,
  statement: everybody,
  usage: everybody,
  viewer: everybody,
  // Mutations.
  acceptInvitation: 'person',
  addPasskey: 'person',
  cancelFactorRecovery: 'person',
  changeEmail: 'person',
  changePassword: 'person',
  confirmAuthenticatorApp: 'person',
  confirmCardSetup: payers,
  confirmEmailChange: 'person',
  confirmPurchase: payers,
  // Which keys a developer may make and change, `keys/acting-person.ts` says.
  createApiKey: builders,
  declineInvitation: 'person',
  deleteAccount: 'own account',
  deleteSavedItem: builders,
  // What a person keeps is theirs, and so they may delete it as whatever they are.
  deletePersonalItem: everybody,
  deletePersonalItems: everybody,
  endSession: 'person',
  finishIdentityLink: 'person',
  finishPasskeySignIn: 'person',
  finishProviderSignIn: 'person',
  finishSignIn: 'person',
  inviteMember: managers,
  leaveAccount: everybody,
  markNoticesRead: everybody,
  openBillingPortal: payers,
  proveFactor: 'person',
  provePasskey: 'person',
  redeemGiftCode: payers,
  removeAuthenticatorApp: 'person',
  removeMember: managers,
  removePasskey: 'person',
  renamePasskey: 'person',
  renewRecoveryCodes: 'person',
  requestFactorRecovery: 'person',
  requestPasswordReset: 'person',
  resetPassword: 'person',
  revokeApiKey: builders,
  saveItem: builders,
  // As the playground, whose conversations it keeps.
  savePersonalItem: builders,
  revokeInvitation: managers,
  rotateApiKey: builders,
  sendVerificationEmail: 'person',
  setAutoTopUp: payers,
  setBalanceAlert: payers,
  createWebhookEndpoint: payers,
  updateWebhookEndpoint: payers,
  rotateWebhookSecret: payers,
  deleteWebhookEndpoint: payers,
  resendWebhookDelivery: payers,
  sendTestWebhook: payers,
  setMemberBudget: managers,
  setMemberRole: managers,
  setPreferredProvider: managers,
  signIn: 'person',
  signOut: 'person',
  signOutEverywhere: 'person',
  signUp: 'person',
  shareReceipt: builders,
  startAuthenticatorApp: 'person',
  startCardSetup: payers,
  startCheckout: payers,
  startFactorRecovery: 'person',
  startIdentityLink: 'person',
  startPasskey: 'person',
  startPasskeyProof: 'person',
  startPasskeySignIn: 'person',
  stopSharingReceipt: builders,
  switchAccount: 'person',
  transferOwnership: ['owner'],
  undoEmailChange: 'person',
  unlinkIdentity: 'person',
  updateApiKey: builders,
  updateProfile: 'person',
  verifyEmail: 'person',
  // Subscriptions.
  balance: everybody,
  // Downloads, and the playground.
  'GET /export/account.json': 'own account',
  'GET /export/calls.csv': everybody,
  'GET /export/events.csv': managers,
  'GET /export/requests.csv': everybody,
  'GET /export/statement.csv': everybody,
  'POST /playground/chat/completions': builders,
  'POST /playground/estimate': builders,
};

/**
 * The caller of an operation, acting on the account that it is about. Keys, whom the other table judges, and nobody pass as they are.
 * @throws AppError `role_required` for a member without one of the roles, naming them, and in another account for what is about
 *   one's own.
 */
export function enterAs(operation: string, caller: Caller | null): Caller | null {
  if (!caller?.personId) return caller;
  const roles = operationRoles[operation] ?? [];
  const isAtHome = caller.accountId === caller.personId;
  if (roles === 'person') return isAtHome ? caller : { ...caller, accountId: caller.personId, role: null };
  if (roles === 'own account' && !isAtHome) {
    throw refuse(caller, ['owner'], 'This is about the account that you signed up with. Switch to it first.');
  }
  const needed = roles === 'own account' ? (['owner'] as const) : roles;
  if (caller.role !== null && needed.some((role) => role === caller.role)) return caller;
  const words = `This takes the role ${needed.join(' or ')}, and yours is ${caller.role}. Ask an owner of the account.`;
  throw refuse(caller, needed, words);
}

/** What the description of an operation says of it; null: nothing. */
export function describeRoles(roles: OperationRoles = []): string | null {
  if (roles === 'person' || roles === everybody) return null;
  if (roles === 'own account') return 'Roles: `owner`, of the account that one signed up with.';
  return `Roles: ${roles.map((role) => `\`${role}\``).join(' or ')}.`;
}

function refuse({ role }: Caller, needed: readonly MemberRole[], words: string): AppError {
  return new AppError('role_required', words, { metadata: { role, needed: needed.join(' ') } });
}
