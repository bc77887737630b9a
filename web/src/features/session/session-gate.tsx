import { useApolloClient, useQuery } from '@apollo/client/react';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { Navigate, useLocation, useSearchParams } from 'react-router';
import { paths } from '../../app/paths';
import { RetryButton } from '../../components/buttons/retry-button';
import { FullPageMessage } from '../../components/full-page-message';
import { graphql } from '../../gql';
import { graphqlErrorCode, graphqlErrorMessage } from '../../lib/graphql-error-message';
import { type EndElsewhere, onSignOutElsewhere } from '../../lib/session/account-switch';
import { askViewer } from '../../lib/session/ask-viewer';
import { customerView } from '../../lib/session/customer-view';
import { forgetViewer } from '../../lib/session/forget-viewer';
import { isKnownVisitor, noteVisitor } from '../../lib/session/known-visitor';
import { safeReturnPath } from '../../lib/session/safe-return-path';
import { endSessionOfTab } from '../../lib/session/session-end';
import { onOwnerElsewhere, ownerOf } from '../../lib/session/session-owner';
import { useWhenSeenAgain } from '../../lib/session/use-when-seen-again';
import type { SessionEnd } from './session-end-notice';
import { useEnterSession } from './use-enter-session';
import { useSessionOwner } from './use-session-owner';

const SessionDocument = graphql(`
  query Session {
    viewer {
      id
      role
      debt
      isFrozen
      frozenFor
    }
    person {
      id
      email
      name
      accounts {
        accountId
        name
        role
        isCurrent
      }
    }
  }
`);

interface GateProps {
  /** Shown until the server has said who is there. */
  waiting: ReactNode;
  children: ReactNode;
}

/** Lets only a signed-in user through; anyone else goes to sign-in and comes back to this very page afterwards. */
export function RequireSession({ waiting, children }: GateProps) {
  const { data, error, refetch } = useQuery(SessionDocument, { fetchPolicy: 'cache-first' });
  const location = useLocation();
  const wasSignedIn = useRef(false);
  const endElsewhere = useSignOutElsewhere();
  const isOfAnother = useSessionOwner(data?.viewer && data.person ? ownerOf(data.person.id, data.viewer.id) : null);
  // A cookie whose session has ended is refused by name; one that was never set answers null.
  const isGone = data ? data.viewer === null : graphqlErrorCode(error) === 'UNAUTHENTICATED';
  const isThere = data || isGone ? !isGone : null;
  useEffect(() => {
    if (isThere !== null) noteVisitor(isThere);
  }, [isThere]);

  if (isOfAnother) return null;
  if (data?.viewer) {
    wasSignedIn.current = true;
    return children;
  }
  if (isGone) {
    const here = `${location.pathname}${location.search}`;
    const sessionEnd: SessionEnd | null = wasSignedIn.current ? (endElsewhere.current ?? 'ended') : null;
    return <Navigate to={paths.signIn(here === '/' ? undefined : here)} replace state={{ sessionEnd }} />;
  }
  if (error) return <ServerAway error={error} onRetry={refetch} />;
  return waiting;
}

/**
 * A sign-out in another tab holds here, too, at once. A look as the customer is nobody's session in this browser.
 * @returns how it was ended there; null: it was not.
 */
function useSignOutElsewhere(): RefObject<EndElsewhere | null> {
  const { cache } = useApolloClient();
  const end = useRef<EndElsewhere | null>(null);
  useEffect(() => {
    if (customerView) return;
    return onSignOutElsewhere((how) => {
      end.current = how;
      endSessionOfTab();
      forgetViewer(cache);
    });
  }, [cache]);
  return end;
}

interface SessionSwitchProps extends GateProps {
  /** For whoever is not signed in; null leads to sign-in. */
  signedOut: ReactNode;
  /** Whether it is for everybody: whose session has ended sees it as others do, and is not led to sign-in. */
  isPublic?: boolean;
}

/**
 * Shows one thing to the signed-in user and another to everyone else, and nobody waits for the server's word: whoever was
 * signed in here last time sees the page fill itself at once, and is led to sign-in when the server says that this is over.
 */
export function SessionSwitch({ waiting, signedOut, isPublic = false, children }: SessionSwitchProps) {
  const { data, error } = useQuery(SessionDocument, { fetchPolicy: 'cache-first' });
  const [wasHere] = useState(isKnownVisitor);
  const isGone = data ? data.viewer === null : graphqlErrorCode(error) === 'UNAUTHENTICATED';
  if (isPublic && isGone) return signedOut;
  const isForThem = signedOut === null || wasHere || Boolean(data?.viewer);
  return isForThem ? <RequireSession waiting={wasHere ? children : waiting}>{children}</RequireSession> : signedOut;
}

/** Keeps the signed-in user away from the sign-in and sign-up forms, also who signs in in another tab while one is open. */
export function RequireNoSession({ children }: { children: ReactNode }) {
  const client = useApolloClient();
  const enterSession = useEnterSession();
  const follow = async () => {
    const viewer = await askViewer(client);
    if (viewer?.accountId) await enterSession();
  };
  useWhenSeenAgain(follow);
  const latest = useRef(follow);
  useEffect(() => {
    latest.current = follow;
  });
  // Somebody else has: at once, so that no tab looks as if nobody were signed in.
  useEffect(() => onOwnerElsewhere(() => void latest.current().catch(() => undefined)), []);
  const { data } = useQuery(SessionDocument, { fetchPolicy: 'cache-first' });
  const [search] = useSearchParams();
  // The forms do not wait for the answer: they are right for almost everyone who opens them.
  return data?.viewer ? <Navigate to={safeReturnPath(search.get('next'))} replace /> : children;
}

function ServerAway({ error, onRetry }: { error: unknown; onRetry: () => Promise<unknown> }) {
  return (
    <FullPageMessage title="Tollgate could not be loaded" action={<RetryButton onRetry={onRetry} />}>
      {graphqlErrorMessage(error)} Your credits and keys are safe.
    </FullPageMessage>
  );
}
