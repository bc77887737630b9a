import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { ErrorLink } from '@apollo/client/link/error';
import { relayStylePagination } from '@apollo/client/utilities';
import { from, switchMap, throwError } from 'rxjs';
import { leaveCustomerView } from '../features/customer-view/leave-customer-view';
import { shownNames } from '../lib/format/visible-name';
import { graphqlErrorCode, graphqlErrorProof, graphqlErrorReason } from '../lib/graphql-error-message';
import { askViewer, viewerQueryName } from '../lib/session/ask-viewer';
import { customerView } from '../lib/session/customer-view';
import { forgetViewer } from '../lib/session/forget-viewer';
import { askForProof } from '../lib/session/fresh-proof';
import { shownOwnerHeaders, tellOfOwnerElsewhere } from '../lib/session/session-owner';
import { createWholeAnswerLink } from './whole-answers';

const answerTimeoutMs = 20_000;

/** `fetch` that gives up after 20 seconds, so that a hanging server shows as an error with a retry. */
function fetchWithDeadline(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const deadline = AbortSignal.timeout(answerTimeoutMs);
  return fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline });
}

function createCache(): InMemoryCache {
  const pagedBySize = relayStylePagination(['first']);
  return new InMemoryCache({
    typePolicies: {
      ...shownNames,
      Query: {
        fields: {
          purchases: pagedBySize,
          statement: relayStylePagination(['filter', 'first']),
          accountEvents: relayStylePagination(['filter', 'first']),
        },
      },
      // Without an id: what one page asked of them must not take the place of what another one did.
      BalanceAlert: { merge: true },
      ModelCapabilities: { merge: true },
      Spending: { merge: true },
      Account: { fields: { ...shownNames.Account.fields, balance: { merge: true } } },
    },
  });
}

/**
 * The one GraphQL client of the page. When the server says that the session is gone, the viewer becomes null; the
 * session gate sees that and leads to sign-in and back; when it says that the session is another's, the page is loaded anew. An
 * operator whose look at a customer has ended is led to the console.
 */
export function createApolloClient(): ApolloClient {
  const cache = createCache();
  const sessionLink = new ErrorLink(({ error, operation }) => {
    if (graphqlErrorReason(error) === 'session_of_another') tellOfOwnerElsewhere();
    if (graphqlErrorCode(error) !== 'UNAUTHENTICATED' || operation.operationName === viewerQueryName) return;
    if (customerView) leaveCustomerView(customerView);
    else void forgetEndedSession();
  });
  // A wrong password, or a sign-in of another provider that comes back too late, is refused so as well: only the session itself says
  // whether it goes on.
  const forgetEndedSession = async () => {
    if ((await askViewer(client))?.accountId === null) forgetViewer(cache);
  };
  // What is refused for want of a proof is asked again once the proof was given.
  const proofLink = new ErrorLink(({ error, operation, forward }) => {
    const wanted = graphqlErrorProof(error);
    if (wanted === null) return;
    return from(askForProof(wanted)).pipe(
      switchMap((isProved) => (isProved ? forward(operation) : throwError(() => error))),
    );
  });
  const ownerLink = new SetContextLink(() => ({ headers: shownOwnerHeaders() }));
  const httpLink = new HttpLink({ uri: '/graphql', credentials: 'same-origin', fetch: fetchWithDeadline });
  const client = new ApolloClient({
    cache,
    link: ApolloLink.from([sessionLink, proofLink, ownerLink, createWholeAnswerLink(), httpLink]),
    // A page shows at once what was known when it was last open, and what is so now as soon as that is there. What hardly ever
    // changes, or must not be kept, says so where it is asked.
    defaultOptions: { watchQuery: { fetchPolicy: 'cache-and-network' } },
  });
  return client;
}
