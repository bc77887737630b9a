import { matchPath } from 'react-router';
import { isKnownVisitor } from '../lib/session/known-visitor';
import { type LazyPage, lazyPage } from './lazy-page';
import { pathPatterns, publicPages } from './paths';

/** What the first address shows to whoever is not signed in. */
export const landing = lazyPage(() => import('./routes/landing'));
export const notFound = lazyPage(() => import('./routes/not-found'));

/** The frame of the pages that anybody may see, with the page in it, for whoever is not signed in. */
export const publicFrame = lazyPage(() => import('./routes/public-frame'));

/** Whether an address is a page that anybody may see, and that is inside for whoever is signed in. */
export function isPublicPage(pathname: string): boolean {
  return publicPages.some((name) => matchPath(pathPatterns[name], pathname) !== null);
}

/** All addresses of the operators' console; its code is fetched by nobody else. */
export const operatorConsole = lazyPage(() => import('./routes/operator'));

/** The page behind each address. */
export const pages: Readonly<Record<keyof typeof pathPatterns, LazyPage>> = {
  overview: lazyPage(() => import('./routes/overview')),
  signIn: lazyPage(() => import('./routes/sign-in')),
  signUp: lazyPage(() => import('./routes/sign-up')),
  usage: lazyPage(() => import('./routes/usage')),
  explore: lazyPage(() => import('./routes/explore')),
  requests: lazyPage(() => import('./routes/requests')),
  calls: lazyPage(() => import('./routes/calls')),
  playground: lazyPage(() => import('./routes/playground')),
  models: lazyPage(() => import('./routes/models')),
  model: lazyPage(() => import('./routes/model')),
  pricing: lazyPage(() => import('./routes/pricing')),
  status: lazyPage(() => import('./routes/status')),
  keys: lazyPage(() => import('./routes/keys')),
  credits: lazyPage(() => import('./routes/credits')),
  budgets: lazyPage(() => import('./routes/budgets')),
  webhooks: lazyPage(() => import('./routes/webhooks')),
  proof: lazyPage(() => import('./routes/proof')),
  purchaseReceipt: lazyPage(() => import('./routes/purchase-receipt')),
  docs: lazyPage(() => import('./routes/docs')),
  settings: lazyPage(() => import('./routes/settings')),
  members: lazyPage(() => import('./routes/members')),
  join: lazyPage(() => import('./routes/join')),
  simulatedCheckout: lazyPage(() => import('./routes/simulated-checkout')),
  sharedReceipt: lazyPage(() => import('./routes/shared-receipt')),
  forgotPassword: lazyPage(() => import('./routes/forgot-password')),
  resetPassword: lazyPage(() => import('./routes/reset-password')),
  confirmEmail: lazyPage(() => import('./routes/confirm-email')),
  undoEmailChange: lazyPage(() => import('./routes/undo-email-change')),
  verifyEmail: lazyPage(() => import('./routes/verify-email')),
  recoverFactors: lazyPage(() => import('./routes/recover-factors')),
  purchaseReturn: lazyPage(() => import('./routes/purchase-return')),
  operator: operatorConsole,
  operatorAccount: operatorConsole,
  operatorWatch: operatorConsole,
  operatorMoney: operatorConsole,
  operatorProviders: operatorConsole,
  operatorPrices: operatorConsole,
  operatorAbuse: operatorConsole,
  operatorSetup: operatorConsole,
  operatorLog: operatorConsole,
  operatorPeople: operatorConsole,
  operatorJoin: operatorConsole,
};

/** Fetches the code of the page that this address will most likely show, so that the first picture is the page itself. */
export async function fetchPageAt(pathname: string): Promise<void> {
  const isFramed = isPublicPage(pathname) && !isKnownVisitor();
  await Promise.all([findPage(pathname).fetchCode(), isFramed ? publicFrame.fetchCode() : null]);
}

/** The first page is there and at rest by then, on a slow machine too. */
const idleAfterMs = 10_000;

/**
 * Fetches the code of the pages inside, one after the other while nothing else is to be done, so that they open without a wait and
 * without a connection. Not for whoever is only looking in, and not where data is to be saved.
 */
export function fetchPagesWhenIdle(): void {
  const { connection } = navigator as { connection?: { readonly saveData?: boolean } };
  if (!isKnownVisitor() || connection?.saveData) return;
  const waiting = Object.values(pages).filter((page) => page !== operatorConsole);
  const whenIdle = window.requestIdleCallback ?? ((next: () => void) => setTimeout(next, 1_000));
  const fetchNext = () =>
    void waiting
      .shift()
      ?.fetchCode()
      .then(() => whenIdle(fetchNext));
  setTimeout(() => whenIdle(fetchNext), idleAfterMs);
}

function findPage(pathname: string): LazyPage {
  if (pathname === pathPatterns.overview && !isKnownVisitor()) return landing;
  const names = Object.keys(pages) as (keyof typeof pages)[];
  const name = names.find((one) => matchPath(pathPatterns[one], pathname) !== null);
  return name === undefined ? notFound : pages[name];
}
