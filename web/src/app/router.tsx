import { type CSSProperties, lazy, type ReactNode, Suspense } from 'react';
import { BrowserRouter, Outlet, Route, Routes, useLocation } from 'react-router';
import { InPieces } from '../components/in-pieces';
import { RequireNoSession, RequireSession, SessionSwitch } from '../features/session/session-gate';
import { loadInTheEnd } from '../lib/load-in-the-end';
import { customerView } from '../lib/session/customer-view';
import { CenteredPageSkeleton } from './centered-page';
import { FocusKeeper } from './focus-keeper';
import { PageErrorBoundary } from './page-error-boundary';
import { isPublicPage, landing, notFound, operatorConsole, pages, publicFrame } from './pages';
import { pathPatterns } from './paths';
import { PageSkeleton, Shell, ShellSkeleton } from './shell';

// Nobody but operators needs it.
const CustomerViewBanner = lazy(() => loadInTheEnd(() => import('../features/customer-view/customer-view-banner')));

/** Its place until its code is there, so that the page does not move. */
const bannerOutline: CSSProperties = { minHeight: 52, background: '#f5b52e' };

const operatorPatterns = [
  pathPatterns.operator,
  pathPatterns.operatorAccount,
  pathPatterns.operatorMoney,
  pathPatterns.operatorWatch,
  pathPatterns.operatorProviders,
  pathPatterns.operatorPrices,
  pathPatterns.operatorAbuse,
  pathPatterns.operatorSetup,
  pathPatterns.operatorLog,
  pathPatterns.operatorPeople,
  pathPatterns.operatorJoin,
];

/**
 * The pages; each is fetched when first opened. Plain routes rather than a data router: GraphQL does the loading, and the
 * data router would weigh 20 kB more.
 */
export function Router() {
  return (
    <BrowserRouter>
      <FocusKeeper />
      {customerView && (
        <Suspense fallback={<div style={bannerOutline} />}>
          <CustomerViewBanner />
        </Suspense>
      )}
      <Routes>
        <Route
          element={
            <RequireNoSession>
              <PageOfLink />
            </RequireNoSession>
          }
        >
          <Route path={pathPatterns.signIn} element={<pages.signIn.Page />} />
          <Route path={pathPatterns.signUp} element={<pages.signUp.Page />} />
        </Route>
        <Route element={<Inside />}>
          <Route path={pathPatterns.overview} element={<pages.overview.Page />} />
          <Route path={pathPatterns.usage} element={<pages.usage.Page />} />
          <Route path={pathPatterns.playground} element={<pages.playground.Page />} />
          <Route path={pathPatterns.docs} element={<pages.docs.Page />} />
          <Route path={pathPatterns.settings} element={<pages.settings.Page />} />
          <Route path={pathPatterns.members} element={<pages.members.Page />} />
          <Route path={pathPatterns.keys} element={<pages.keys.Page />} />
          <Route path={pathPatterns.credits} element={<pages.credits.Page />} />
          <Route path={pathPatterns.budgets} element={<pages.budgets.Page />} />
          <Route path={pathPatterns.webhooks} element={<pages.webhooks.Page />} />
          <Route path={pathPatterns.proof} element={<pages.proof.Page />} />
          <Route path={pathPatterns.purchaseReceipt} element={<pages.purchaseReceipt.Page />} />
          <Route path={pathPatterns.explore} element={<pages.explore.Page />} />
          <Route path={pathPatterns.requests} element={<pages.requests.Page />} />
          <Route path={pathPatterns.calls} element={<pages.calls.Page />} />
          <Route path={pathPatterns.models} element={<pages.models.Page />} />
          <Route path={pathPatterns.model} element={<pages.model.Page />} />
          <Route path={pathPatterns.pricing} element={<pages.pricing.Page />} />
          <Route path={pathPatterns.status} element={<pages.status.Page />} />
        </Route>
        <Route
          element={
            <RequireSession waiting={<CenteredPageSkeleton />}>
              <Page waiting={<CenteredPageSkeleton />} />
            </RequireSession>
          }
        >
          <Route path={pathPatterns.simulatedCheckout} element={<pages.simulatedCheckout.Page />} />
          <Route path={pathPatterns.purchaseReturn} element={<pages.purchaseReturn.Page />} />
        </Route>
        <Route element={<PageOfLink />}>
          <Route path={pathPatterns.join} element={<pages.join.Page />} />
          <Route path={pathPatterns.sharedReceipt} element={<pages.sharedReceipt.Page />} />
          <Route path={pathPatterns.verifyEmail} element={<pages.verifyEmail.Page />} />
          <Route path={pathPatterns.forgotPassword} element={<pages.forgotPassword.Page />} />
          <Route path={pathPatterns.resetPassword} element={<pages.resetPassword.Page />} />
          <Route path={pathPatterns.confirmEmail} element={<pages.confirmEmail.Page />} />
          <Route path={pathPatterns.undoEmailChange} element={<pages.undoEmailChange.Page />} />
          <Route path={pathPatterns.recoverFactors} element={<pages.recoverFactors.Page />} />
          {operatorPatterns.map((pattern) => (
            <Route key={pattern} path={pattern} element={<operatorConsole.Page />} />
          ))}
          <Route path="*" element={<notFound.Page />} />
        </Route>
      </Routes>
    </BrowserRouter>
  );
}

/**
 * The pages with the frame around them. The first address is, for whoever is not signed in, what Tollgate is; some pages are for
 * everybody, in a frame of their own.
 */
function Inside() {
  const { pathname } = useLocation();
  const isPublic = isPublicPage(pathname);
  const Offer = isPublic ? publicFrame.Page : landing.Page;
  const offer = (
    <PageErrorBoundary>
      <Suspense fallback={null}>
        <Offer />
      </Suspense>
    </PageErrorBoundary>
  );
  return (
    <SessionSwitch
      waiting={<ShellSkeleton />}
      signedOut={isPublic || pathname === pathPatterns.overview ? offer : null}
      isPublic={isPublic}
    >
      <Shell>
        <InPieces outline={<PageSkeleton />}>
          <Page waiting={<PageSkeleton />} isFramed />
        </InPieces>
      </Shell>
    </SessionSwitch>
  );
}

/** One page of a route; `waiting` is shown while its code is fetched. */
function Page({ waiting, isFramed = false }: { waiting: ReactNode; isFramed?: boolean }) {
  return (
    <PageErrorBoundary isFramed={isFramed}>
      <Suspense fallback={waiting}>
        <Outlet />
      </Suspense>
    </PageErrorBoundary>
  );
}

/**
 * A page that may be opened by a link whose token stands behind the `#`. A browser keeps the page for another such link in the same
 * tab; it begins anew then, since what it holds is the answer about the token before.
 */
function PageOfLink() {
  const { hash } = useLocation();
  return <Page key={hash} waiting={null} />;
}
