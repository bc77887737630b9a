/** What an operator is there for. */
export const operatorRoles = ['owner', 'support', 'finance', 'read_only'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** Who may ask an operation of operators. */
export interface OperatorAccess {
  /** `anybody`: also who is not signed in, since it is a way in. */
  readonly roles: 'anybody' | readonly OperatorRole[];
  /** Asks for a code of the last ten minutes: it moves money, or lets somebody in. */
  readonly isFresh?: true;
}

const all = operatorRoles;
const money = ['owner', 'finance'] as const;
const helping = ['owner', 'support'] as const;
const moneyReaders = ['owner', 'finance', 'read_only'] as const;
const anyChange = ['owner', 'support', 'finance'] as const;

/**
 * Every field of `OperatorQuery` and `OperatorMutation`, and who may ask it. What does not stand here is closed to everybody, and a
 * test asks for it.
 */
export const operatorAccess: Readonly<Record<string, OperatorAccess>> = {
  // Queries.
  me: { roles: 'anybody' },
  accounts: { roles: all },
  account: { roles: all },
  creditRequests: { roles: all },
  log: { roles: all },
  people: { roles: all },
  tokens: { roles: all },
  passkeys: { roles: all },
  watch: { roles: all },
  callTimes: { roles: all },
  abuse: { roles: all },
  signUpBlocks: { roles: all },
  riskMarks: { roles: all },
  signUp: { roles: all },
  dataRetention: { roles: all },
  announcements: { roles: all },
  setup: { roles: ['owner'] },
  money: { roles: moneyReaders },
  liability: { roles: moneyReaders },
  lastReconciliation: { roles: moneyReaders },
  refundRequests: { roles: moneyReaders },
  monthClose: { roles: moneyReaders },
  providers: { roles: all },
  catalogueStanding: { roles: all },
  prices: { roles: all },
  previewPrices: { roles: all },
  priceGroups: { roles: all },
  giftCodes: { roles: all },
  quarantinedSettlements: { roles: all },
  // Ways in and out.
  startJoining: { roles: 'anybody' },
  join: { roles: 'anybody' },
  signIn: { roles: 'anybody' },
  signOut: { roles: all },
  prove: { roles: all },
  startPasskeySignIn: { roles: 'anybody' },
  finishPasskeySignIn: { roles: 'anybody' },
  startPasskeyProof: { roles: all },
  provePasskey: { roles: all },
  startPasskey: { roles: all, isFresh: true },
  addPasskey: { roles: all, isFresh: true },
  removePasskey: { roles: all, isFresh: true },
  // Money.
  grantCredits: { roles: money, isFresh: true },
  takeBackCredits: { roles: money, isFresh: true },
  approveCredits: { roles: money, isFresh: true },
  refuseCredits: { roles: money },
  refundPurchase: { roles: money, isFresh: true },
  approveRefund: { roles: money, isFresh: true },
  refuseRefund: { roles: money },
  retryQuarantinedEvent: { roles: money },
  dismissQuarantinedEvent: { roles: money },
  reconcilePurchases: { roles: money },
  createGiftCodes: { roles: money, isFresh: true },
  revokeGiftCode: { roles: money },
  bookSettlement: { roles: money, isFresh: true },
  dismissSettlement: { roles: money, isFresh: true },
  // Accounts.
  freezeAccount: { roles: anyChange },
  openAccount: { roles: anyChange },
  revokeKey: { roles: helping },
  endSessions: { roles: helping },
  createResetLink: { roles: helping, isFresh: true },
  // For good, and what is left of the credits is out of anybody's reach.
  deleteAccount: { roles: ['owner'], isFresh: true },
  // All that is known of a customer, in a file that leaves.
  exportAccount: { roles: helping, isFresh: true },
  // It shows all that the customer sees, so it asks for a code, as what lets somebody in does.
  beginCustomerView: { roles: helping, isFresh: true },
  endCustomerView: { roles: helping },
  resendNotice: { roles: helping },
  setRiskMark: { roles: helping },
  clearRiskMark: { roles: helping },
  blockSignUps: { roles: helping },
  unblockSignUps: { roles: helping },
  setSignUpMode: { roles: helping },
  inviteToSignUp: { roles: helping },
  withdrawInvitation: { roles: helping },
  // What everybody is told. Maintenance stops all calls, so it asks for a code as well.
  announce: { roles: helping, isFresh: true },
  endAnnouncement: { roles: helping },
  // Providers. Whoever sets an address sends prompts there, and whoever sets a key pays.
  setProvider: { roles: ['owner'], isFresh: true },
  removeProvider: { roles: ['owner'], isFresh: true },
  addProviderKey: { roles: ['owner'], isFresh: true },
  weighProviderKey: { roles: ['owner'] },
  removeProviderKey: { roles: ['owner'], isFresh: true },
  testProvider: { roles: ['owner'] },
  applyPrices: { roles: ['owner'], isFresh: true },
  withdrawPrices: { roles: ['owner'], isFresh: true },
  createPriceGroup: { roles: ['owner'], isFresh: true },
  setPriceGroup: { roles: ['owner'], isFresh: true },
  assignPriceGroup: { roles: money, isFresh: true },
  setAccountLimits: { roles: helping, isFresh: true },
  // What is removed does not come back.
  setReceiptRetention: { roles: ['owner'], isFresh: true },
  sendTestMail: { roles: ['owner'] },
  sendTestEvent: { roles: ['owner'] },
  // Operators.
  invite: { roles: ['owner'], isFresh: true },
  renew: { roles: ['owner'], isFresh: true },
  disable: { roles: ['owner'], isFresh: true },
  createToken: { roles: all, isFresh: true },
  revokeToken: { roles: all },
};

/** Which operations are for a role, for a page that shows no button that would be refused. */
export function listOperationsOf(role: OperatorRole): readonly string[] {
  return Object.entries(operatorAccess).flatMap(([name, { roles }]) =>
    roles !== 'anybody' && roles.includes(role) ? [name] : [],
  );
}
