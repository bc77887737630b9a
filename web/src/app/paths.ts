/** Every address of the dashboard is spelled here and nowhere else. */
export const paths = {
  overview: () => '/',
  /** @param next Path to return to after signing in. */
  signIn: (next?: string) => (next ? `/sign-in?next=${encodeURIComponent(next)}` : '/sign-in'),
  signUp: (next?: string) => (next ? `/sign-up?next=${encodeURIComponent(next)}` : '/sign-up'),
  keys: () => '/keys',
  credits: () => '/credits',
  /** @param callId Opens the receipt of this call on top of the list. */
  calls: (callId?: string) => (callId ? `/calls?call=${encodeURIComponent(callId)}` : '/calls'),
  models: () => '/models',
  simulatedPayment: (purchaseId: string) => `/checkout/simulated/${encodeURIComponent(purchaseId)}/pay`,
};

/** The patterns behind those addresses, for the router. */
export const pathPatterns = {
  overview: '/',
  signIn: '/sign-in',
  signUp: '/sign-up',
  keys: '/keys',
  credits: '/credits',
  calls: '/calls',
  models: '/models',
  simulatedCheckout: '/checkout/simulated/:purchaseId',
  purchaseReturn: '/purchases/return',
};

/** Base URL of the proxy, exactly as an SDK wants it. */
export function proxyBaseUrl(): string {
  return `${window.location.origin}/api/proxy.php`;
}
