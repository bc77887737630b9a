import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { shownNames } from '../lib/format/visible-name';
import { createWholeAnswerLink } from './whole-answers';

const answerTimeoutMs = 20_000;

/** The operators' own client: what they read is kept apart from what the same browser's customer sees, and each is signed out alone. */
export function createOperatorClient(): ApolloClient {
  const fetchWithDeadline = (input: RequestInfo | URL, init?: RequestInit) =>
    fetch(input, { ...init, signal: AbortSignal.timeout(answerTimeoutMs) });
  return new ApolloClient({
    // Things without an id: what one page asked of them must not take the place of what another one did.
    cache: new InMemoryCache({
      typePolicies: {
        ...shownNames,
        OperatorAudit: { merge: true },
        OperatorCatalogueStanding: { merge: true },
        OperatorMoney: { merge: true },
        OperatorOutbox: { merge: true },
        OperatorQuery: { merge: true },
        OperatorSettlements: { merge: true },
        OperatorTraffic: { merge: true },
        OperatorWallet: { merge: true },
        OperatorWatch: { merge: true },
      },
    }),
    link: createWholeAnswerLink().concat(
      new HttpLink({ uri: '/graphql', credentials: 'same-origin', fetch: fetchWithDeadline }),
    ),
    defaultOptions: { watchQuery: { fetchPolicy: 'cache-and-network' } },
  });
}
