import { Center, Stack } from '@mantine/core';
import type { LoadMore } from '../../lib/use-load-more';
import { BusyButton } from '../buttons/busy-button';
import { ErrorPanel } from '../error-panel';

/** Fetches the next page below a list; nothing when the list is complete. */
export function LoadMoreButton({ more, what }: { more: LoadMore; what: string }) {
  if (!more.hasMore) return null;
  return (
    <Stack mt="md">
      {more.error !== null && (
        <ErrorPanel title={`More ${what} could not be loaded`} error={more.error} onRetry={more.loadMore} />
      )}
      <Center>
        <BusyButton variant="default" onClick={() => void more.loadMore()} isBusy={more.isLoading}>
          {more.isLoading ? 'Loading …' : `Load more ${what}`}
        </BusyButton>
      </Center>
    </Stack>
  );
}
