import { useState } from 'react';

interface PageEnd {
  readonly hasNextPage: boolean;
  readonly endCursor?: string | null;
}

export interface LoadMore {
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly loadMore: () => Promise<void>;
}

/**
 * State of a "load more" button over a Relay connection.
 *
 * @param fetchAfter Fetches the page behind a cursor into the cache.
 */
export function useLoadMore(pageInfo: PageEnd | undefined, fetchAfter: (after: string) => Promise<unknown>): LoadMore {
  const [isLoading, setIsLoading] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const after = pageInfo?.hasNextPage ? (pageInfo.endCursor ?? null) : null;

  async function loadMore() {
    if (after === null || isLoading) return;
    setIsLoading(true);
    setError(null);
    try {
      await fetchAfter(after);
    } catch (failure) {
      setError(failure);
    } finally {
      setIsLoading(false);
    }
  }
  return { hasMore: after !== null, isLoading, error, loadMore };
}
