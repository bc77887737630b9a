import { useApolloClient, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { graphql } from '../../gql';
import type { RequestsQuery } from '../../gql/graphql';
import { useLoadMore } from '../../lib/use-load-more';
import type { RequestChoice } from './request-filter';

const RequestsDocument = graphql(`
  query Requests($filter: CallFilter, $kind: RequestKind, $order: RequestOrder!, $first: Int!, $after: String) {
    requests(first: $first, filter: $filter, kind: $kind, order: $order, after: $after) {
      edges {
        cursor
        node {
          id
          at
          call {
            id
            outcome
            errorCode
            model
            provider
            promptTokens
            completionTokens
            charged
            firstByteMs
            totalMs
            tag
            endUser
            apiKey {
              id
              name
            }
          }
          refusal {
            id
            times
            status
            code
            model
            param
            apiKey {
              id
              name
            }
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export type ListedRequest = RequestsQuery['requests']['edges'][number]['node'];

interface OlderRequests {
  /** Of which list they are the continuation. */
  readonly listId: string;
  readonly requests: readonly ListedRequest[];
  readonly end: RequestsQuery['requests']['pageInfo'];
}

const newestCount = 50;
const olderCount = 100;
const livePollMs = 3_000;

/**
 * The requests that fit a choice, the newest first, in pages that are fetched as they are asked for. The older pages are kept here
 * and not in the cache: whoever scrolls through thousands of them would pay ten times their size there, and never get it back.
 */
export function useRequestPages({ filter, kind, order }: RequestChoice, isLive: boolean) {
  const client = useApolloClient();
  const { data, previousData, error, refetch } = useQuery(RequestsDocument, {
    variables: { filter, kind, order, first: newestCount },
    pollInterval: isLive ? livePollMs : 0,
    skipPollAttempt: () => document.hidden,
  });
  const [kept, setOlder] = useState<OlderRequests | null>(null);
  // While an answer is on its way, the rows of the choice before stand there; once it has failed, nobody would know whose they are.
  const newest = (data ?? (error ? undefined : previousData))?.requests;
  const isStale = newest !== undefined && data === undefined;
  const listId = JSON.stringify([filter, kind, order, newest?.pageInfo.endCursor]);
  // A newer first page, or another filter, has another continuation.
  const older = kept?.listId === listId ? kept : null;

  const more = useLoadMore(data && (older?.end ?? newest?.pageInfo), async (after) => {
    const answer = await client.query({
      query: RequestsDocument,
      variables: { filter, kind, order, first: olderCount, after },
      fetchPolicy: 'no-cache',
    });
    if (!answer.data) throw answer.error ?? new Error('The answer was empty.');
    const { edges, pageInfo } = answer.data.requests;
    const requests = [...(older?.requests ?? []), ...edges.map((edge) => edge.node)];
    setOlder({ listId, requests, end: pageInfo });
  });
  const requests = newest && [...newest.edges.map((edge) => edge.node), ...(older?.requests ?? [])];
  return { requests, isStale, error, refetch, more };
}
