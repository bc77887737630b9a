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
  /** @param callId Opens the receipt of this call on top of the list. */
  calls: (callId?: string) => (callId ? `/calls?call=${encodeURIComponent(callId)}` : '/calls'),
  /** @param model Begins with this model. */
  playground: (model?: string) => (model ? `/playground?model=${encodeURIComponent(model)}` : '/playground'),
  models: () => '/models',
  keys: () => '/keys',
  credits: () => '/credits',
  docs: () => '/quickstart',
  settings: () => '/settings',
  simulatedPayment: (purchaseId: string) => `/checkout/simulated/${encodeURIComponent(purchaseId)}/pay`,
};

/** The patterns behind those addresses, for the router. */
export const pathPatterns = {
  overview: '/',
  signIn: '/sign-in',
  signUp: '/sign-up',
  usage: '/usage',
  calls: '/calls',
  playground: '/playground',
  models: '/models',
  keys: '/keys',
  credits: '/credits',
  docs: '/quickstart',
  settings: '/settings',
  simulatedCheckout: '/checkout/simulated/:purchaseId',
  purchaseReturn: '/purchases/return',
  verifyEmail: '/verify-email',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  confirmEmail: '/confirm-email',
  undoEmailChange: '/undo-email-change',
  recoverFactors: '/recover-factors',
};

/** Addresses of the server that are no pages. */
export const serverPaths = {
  graphqlStream: () => '/graphql/stream',
  playgroundChat: () => '/playground/chat/completions',
  /** Where a page tells that it broke. */
  pageFaults: () => '/page-faults',
  /** The calls that fit a filter, as a file. */
  callsCsv: (filter: Readonly<Record<string, string>> = {}) => `/export/calls.csv?${new URLSearchParams(filter)}`,
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
