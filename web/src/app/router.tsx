import { lazy, type ReactNode, Suspense } from 'react';
import { BrowserRouter, Outlet, Route, Routes, useLocation } from 'react-router';
import { RequireNoSession, RequireSession, SessionSwitch } from '../features/session/session-gate';
import { CenteredPageSkeleton } from './centered-page';
import { FocusKeeper } from './focus-keeper';
import { PageErrorBoundary } from './page-error-boundary';
import { pathPatterns } from './paths';
import { PageSkeleton, Shell, ShellSkeleton } from './shell';

const SignIn = lazy(() => import('./routes/sign-in'));
const SignUp = lazy(() => import('./routes/sign-up'));
const Landing = lazy(() => import('./routes/landing'));
const Usage = lazy(() => import('./routes/usage'));
const Playground = lazy(() => import('./routes/playground'));
const Docs = lazy(() => import('./routes/docs'));
const Settings = lazy(() => import('./routes/settings'));
const Overview = lazy(() => import('./routes/overview'));
const Keys = lazy(() => import('./routes/keys'));
const Credits = lazy(() => import('./routes/credits'));
const Calls = lazy(() => import('./routes/calls'));
const Models = lazy(() => import('./routes/models'));
const SimulatedCheckout = lazy(() => import('./routes/simulated-checkout'));
const PurchaseReturn = lazy(() => import('./routes/purchase-return'));
const NotFound = lazy(() => import('./routes/not-found'));

/**
 * The pages; each is fetched when first opened. Plain routes rather than a data router: GraphQL does the loading, and the
 * data router would weigh 20 kB more.
 */
export function Router() {
  return (
    <BrowserRouter>
      <FocusKeeper />
      <Routes>
        <Route
          element={
            <RequireNoSession>
              <Page waiting={null} />
            </RequireNoSession>
          }
        >
          <Route path={pathPatterns.signIn} element={<SignIn />} />
          <Route path={pathPatterns.signUp} element={<SignUp />} />
        </Route>
        <Route element={<Inside />}>
          <Route path={pathPatterns.overview} element={<Overview />} />
          <Route path={pathPatterns.usage} element={<Usage />} />
          <Route path={pathPatterns.playground} element={<Playground />} />
          <Route path={pathPatterns.docs} element={<Docs />} />
          <Route path={pathPatterns.settings} element={<Settings />} />
          <Route path={pathPatterns.keys} element={<Keys />} />
          <Route path={pathPatterns.credits} element={<Credits />} />
          <Route path={pathPatterns.calls} element={<Calls />} />
          <Route path={pathPatterns.models} element={<Models />} />
        </Route>
        <Route
          element={
            <RequireSession waiting={<CenteredPageSkeleton />}>
              <Page waiting={<CenteredPageSkeleton />} />
            </RequireSession>
          }
        >
          <Route path={pathPatterns.simulatedCheckout} element={<SimulatedCheckout />} />
          <Route path={pathPatterns.purchaseReturn} element={<PurchaseReturn />} />
        </Route>
        <Route element={<Page waiting={null} />}>
          <Route path="*" element={<NotFound />} />
        </Route>
      </Routes>
    </BrowserRouter>
  );
}

/** The pages with the frame around them. The first address is, for whoever is not signed in, what Tollgate is. */
function Inside() {
  const { pathname } = useLocation();
  const landing = (
    <PageErrorBoundary>
      <Suspense fallback={null}>
        <Landing />
      </Suspense>
    </PageErrorBoundary>
  );
  return (
    <SessionSwitch waiting={<ShellSkeleton />} signedOut={pathname === pathPatterns.overview ? landing : null}>
      <Shell>
        <Page waiting={<PageSkeleton />} />
      </Shell>
    </SessionSwitch>
  );
}

/** One page of a route; `waiting` is shown while its code is fetched. */
function Page({ waiting }: { waiting: ReactNode }) {
  return (
    <PageErrorBoundary>
      <Suspense fallback={waiting}>
        <Outlet />
      </Suspense>
    </PageErrorBoundary>
  );
}
