import { useMutation, useQuery } from '@apollo/client/react';
import { useMemo } from 'react';
import { graphql } from '../gql';
import type { NoticesQuery } from '../gql/graphql';
import { nameInSentence } from './format/name-in-sentence';
import { useTellFailure } from './forms/lost-answers';

const NoticesDocument = graphql(`
  query Notices {
    viewer {
      id
      debt
      isFrozen
      frozenFor
    }
    notices(first: 50) {
      id
      title
      at
      isRead
      ways {
        channel
        state
      }
    }
  }
`);

const MarkNoticesReadDocument = graphql(`
  mutation MarkNoticesRead($until: DateTime!) {
    markNoticesRead(until: $until)
  }
`);

export type Notice = NoticesQuery['notices'][number];

/** The titles have the names of keys and members between quotation marks. */
function withNamesApart(notice: Notice): Notice {
  return { ...notice, title: notice.title.replace(/(?<=“)[^”]*(?=”)/gu, nameInSentence) };
}

/**
 * What the account was told, the newest 50; the same for all who show it.
 * @param pollMs Asked anew so often while the page is seen; 0: never.
 */
export function useNotices({ pollMs = 0 }: { readonly pollMs?: number } = {}) {
  const { data, error, refetch } = useQuery(NoticesDocument, {
    pollInterval: pollMs,
    skipPollAttempt: () => document.hidden,
  });
  const tellFailure = useTellFailure();
  const [markRead, { loading: isMarking }] = useMutation(MarkNoticesReadDocument, {
    refetchQueries: [NoticesDocument],
    awaitRefetchQueries: true,
  });
  const notices = useMemo(() => data?.notices.map(withNamesApart), [data]);
  const unreadCount = notices?.filter(({ isRead }) => !isRead).length ?? 0;
  async function markAll() {
    const newest = notices?.[0];
    if (!newest) return;
    try {
      await markRead({ variables: { until: newest.at } });
    } catch (failure) {
      tellFailure(failure, {
        refused: 'Not marked',
        whether: 'whether they are marked as read',
        remedy: 'Mark them again.',
      });
    }
  }
  return { notices, unreadCount, error, refetch, markAll, isMarking };
}
