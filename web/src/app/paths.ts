/** Every address of the dashboard is spelled here and nowhere else. */
export const paths = {
  /** The overview; for whoever is not signed in, what Tollgate is. */
  overview: () => '/',
  /** @param next Path to return to after signing in. */
  signIn: (next?: string) => (next ? `/sign-in?next=${encodeURIComponent(next)}` : '/sign-in'),
  signUp: (next?: string) => (next ? `/sign-up?next=${encodeURIComponent(next)}` : '/sign-up'),
  forgotPassword: () => '/forgot-password',
  usage: () => '/usage',
  /** Credits of 30 days, divided by key. */
  usageByKey: () => '/usage?by=key',
  explore: () => '/explore',
  /** @param search Which requests; `request=call_…` opens one of them. */
  requests: (search?: URLSearchParams) => (search?.size ? `/requests?${search}` : '/requests'),
  /** Opens the receipt of a call on top of the list. */
  request: (callId: string) => `/requests?request=${encodeURIComponent(callId)}`,
  /** @param model Begins with this model. */
  playground: (model?: string) => (model ? `/playground?model=${encodeURIComponent(model)}` : '/playground'),
  models: () => '/models',
  model: (id: string) => `/models/${encodeURIComponent(id)}`,
  pricing: () => '/pricing',
  status: () => '/status',
  keys: () => '/keys',
  credits: () => '/credits',
  budgets: () => '/budgets',
  webhooks: () => '/webhooks',
  proof: () => '/proof',
  /** The receipt of a purchase, to be printed. */
  purchaseReceipt: (purchaseId: string) => `/purchases/${encodeURIComponent(purchaseId)}/receipt`,
  docs: () => '/quickstart',
  /** @param token Of a shared receipt; behind the #, so that no server writes it down. */
  sharedReceipt: (token: string) => `/receipt#${token}`,
  settings: () => '/settings',
  members: () => '/settings/members',
  join: () => '/join',
  /** The console of those who run this server, for whom customers' sign-ins mean nothing. */
  operator: () => '/operator',
  operatorAccount: (accountId: string) => `/operator/accounts/${encodeURIComponent(accountId)}`,
  operatorMoney: () => '/operator/money',
  operatorWatch: () => '/operator/watch',
  operatorProviders: () => '/operator/providers',
  operatorPrices: () => '/operator/prices',
  operatorAbuse: () => '/operator/abuse',
  operatorSetup: () => '/operator/setup',
  operatorLog: () => '/operator/log',
  operatorPeople: () => '/operator/people',
  simulatedPayment: (purchaseId: string) => `/checkout/simulated/${encodeURIComponent(purchaseId)}/pay`,
};

/** The patterns behind those addresses, for the router. */
export const pathPatterns = {
  overview: '/',
  signIn: '/sign-in',
  signUp: '/sign-up',
  usage: '/usage',
  explore: '/explore',
  requests: '/requests',
  /** Where requests were before they had this name. */
  calls: '/calls',
  playground: '/playground',
  models: '/models',
  model: '/models/:modelId',
  pricing: '/pricing',
  status: '/status',
  keys: '/keys',
  credits: '/credits',
  budgets: '/budgets',
  webhooks: '/webhooks',
  proof: '/proof',
  purchaseReceipt: '/purchases/:purchaseId/receipt',
  docs: '/quickstart',
  settings: '/settings',
  members: '/settings/members',
  join: '/join',
  simulatedCheckout: '/checkout/simulated/:purchaseId',
  purchaseReturn: '/purchases/return',
  sharedReceipt: '/receipt',
  verifyEmail: '/verify-email',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  confirmEmail: '/confirm-email',
  undoEmailChange: '/undo-email-change',
  recoverFactors: '/recover-factors',
  operator: '/operator',
  operatorAccount: '/operator/accounts/:accountId',
  operatorMoney: '/operator/money',
  operatorWatch: '/operator/watch',
  operatorProviders: '/operator/providers',
  operatorPrices: '/operator/prices',
  operatorAbuse: '/operator/abuse',
  operatorSetup: '/operator/setup',
  operatorLog: '/operator/log',
  operatorPeople: '/operator/people',
  operatorJoin: '/operator/join',
};

/** What anybody may see, in a frame of its own for whoever is not signed in. */
export const publicPages = ['models', 'model', 'pricing', 'status', 'docs'] as const;

/** Addresses of the server that are no pages. */
export const serverPaths = {
  graphqlStream: () => '/graphql/stream',
  playgroundChat: () => '/playground/chat/completions',
  playgroundEstimate: () => '/playground/estimate',
  /** Where a page tells that it broke. */
  pageFaults: () => '/page-faults',
  /** The calls that fit a filter, as a file. */
  callsCsv: (filter: Readonly<Record<string, string>> = {}) => `/export/calls.csv?${new URLSearchParams(filter)}`,
  /** Calls and refused requests that fit a filter, as a file. */
  requestsCsv: (filter: Readonly<Record<string, string>> = {}) => `/export/requests.csv?${new URLSearchParams(filter)}`,
  /** The lines of the statement that fit a filter, as a file. */
  statementCsv: (filter: Readonly<Record<string, string>> = {}) =>
    `/export/statement.csv?${new URLSearchParams(filter)}`,
  openapi: () => '/openapi.json',
  /** The GraphQL schema, to be read. */
  schemaPage: () => '/docs',
  /** What happened to the account, as a file. */
  eventsCsv: () => '/export/events.csv',
  /** All that is known of the account, as a file. */
  accountJson: () => '/export/account.json',
};

/** Base URL of the proxy, exactly as an SDK wants it. */
export function proxyBaseUrl(): string {
  return `${window.location.origin}/api/proxy.php`;
}
