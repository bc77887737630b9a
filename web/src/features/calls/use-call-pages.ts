import { useApolloClient, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { graphql } from '../../gql';
import type { CallFilter, CallsQuery } from '../../gql/graphql';
import { useLoadMore } from '../../lib/use-load-more';

const CallsDocument = graphql(`
  query Calls($filter: CallFilter, $first: Int!, $after: String) {
    calls(first: $first, filter: $filter, after: $after) {
      edges {
        cursor
        node {
          id
          startedAt
          outcome
          model
          provider
          promptTokens
          completionTokens
          charged
          totalMs
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export type ListedCall = CallsQuery['calls']['edges'][number]['node'];

interface OlderCalls {
  /** Of which list they are the continuation. */
  readonly listId: string;
  readonly calls: readonly ListedCall[];
  readonly end: CallsQuery['calls']['pageInfo'];
}

const newestCount = 50;
const olderCount = 100;
const livePollMs = 3_000;

/**
 * The calls that fit a filter, the newest first, in pages that are fetched as they are asked for. The older pages are kept here
 * and not in the cache: whoever scrolls through thousands of them would pay ten times their size there, and never get it back.
 */
export function useCallPages(filter: CallFilter | null, isLive: boolean) {
  const client = useApolloClient();
  const { data, previousData, error, refetch } = useQuery(CallsDocument, {
    variables: { filter, first: newestCount },
    fetchPolicy: 'cache-and-network',
    pollInterval: isLive ? livePollMs : 0,
    skipPollAttempt: () => document.hidden,
  });
  const [kept, setOlder] = useState<OlderCalls | null>(null);
  const newest = (data ?? previousData)?.calls;
  const listId = JSON.stringify([filter, newest?.pageInfo.endCursor]);
  // A newer first page, or another filter, has another continuation.
  const older = kept?.listId === listId ? kept : null;

  const more = useLoadMore(data && (older?.end ?? newest?.pageInfo), async (after) => {
    const answer = await client.query({
      query: CallsDocument,
      variables: { filter, first: olderCount, after },
      fetchPolicy: 'no-cache',
    });
    if (!answer.data) throw answer.error ?? new Error('The answer was empty.');
    const { edges, pageInfo } = answer.data.calls;
    const calls = [...(older?.calls ?? []), ...edges.map((edge) => edge.node)];
    setOlder({ listId, calls, end: pageInfo });
  });
  const calls = newest && [...newest.edges.map((edge) => edge.node), ...(older?.calls ?? [])];
  return { calls, error, refetch, more };
}
