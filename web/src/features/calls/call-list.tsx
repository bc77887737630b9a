import { Button, Group, Switch, Text } from '@mantine/core';
import { IconDownload, IconFilterOff, IconReceipt } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { paths, serverPaths } from '../../app/paths';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { LinkButton } from '../../components/link-button';
import { RecordSkeleton } from '../../components/record-table';
import { SectionCard } from '../../components/section-card';
import type { CallFilter } from '../../gql/graphql';
import type { LoadMore } from '../../lib/use-load-more';
import { readCallFilter, toExportQuery } from './call-filter';
import { CallFilterBar } from './call-filter-bar';
import { CallReceiptDrawer } from './call-receipt-drawer';
import { CallRows } from './call-rows';
import classes from './calls.module.css';
import { useCallPages } from './use-call-pages';

/**
 * The calls, the newest first. The address names the filter and the open receipt, so that both can be shared, and the receipt
 * closed with "back".
 */
export function CallList() {
  const [search, setSearch] = useSearchParams();
  const [openedAtMs] = useState(() => Date.now());
  const [isLive, setIsLive] = useState(false);
  const filter = readCallFilter(search, openedAtMs);

  const setCall = (id: string | null) => {
    const next = new URLSearchParams(search);
    if (id === null) next.delete('call');
    else next.set('call', id);
    setSearch(next);
  };

  return (
    <SectionCard
      title="All calls"
      description={
        isLive ? 'The newest 50, renewed every 3 seconds.' : 'The newest first. Open a call for its receipt.'
      }
      action={
        <Group gap="md" justify="flex-end">
          <Switch label="Live" checked={isLive} onChange={(event) => setIsLive(event.currentTarget.checked)} />
          <Button
            component="a"
            href={serverPaths.callsCsv(toExportQuery(filter))}
            download
            variant="default"
            size="xs"
            leftSection={<IconDownload size={15} aria-hidden />}
          >
            CSV
          </Button>
        </Group>
      }
    >
      <CallFilterBar />
      <CallPages filter={filter} isLive={isLive} onOpen={setCall} />
      <CallReceiptDrawer callId={search.get('call')} onClose={() => setCall(null)} />
    </SectionCard>
  );
}

interface CallPagesProps {
  filter: CallFilter | null;
  isLive: boolean;
  onOpen: (callId: string) => void;
}

/** Apart from what stands above it, which need not be drawn anew whenever a page arrives. */
function CallPages({ filter, isLive, onOpen }: CallPagesProps) {
  const { calls, error, refetch, more } = useCallPages(filter, isLive);
  function onNearEnd() {
    // While live, the newest page is all there is; after a failure the reader decides.
    if (!isLive && more.error === null) void more.loadMore();
  }
  return (
    <>
      {error && <ErrorPanel title="Your calls could not be loaded" error={error} onRetry={refetch} />}
      {!calls && !error && <RecordSkeleton rows={10} />}
      {calls?.length === 0 && !more.hasMore && (filter ? <NothingFits /> : <NoCalls />)}
      {calls?.length === 0 && more.hasMore && (
        <Text c="dimmed" ta="center" py="md">
          None of the newest calls fits. There are older ones, which were not looked at yet.
        </Text>
      )}
      {calls && calls.length > 0 && <CallRows calls={calls} onOpen={onOpen} onNearEnd={onNearEnd} />}
      <ListEnd more={more} isLive={isLive} />
    </>
  );
}

/** Below the rows: that more are coming, or a button where they did not come by themselves. */
function ListEnd({ more, isLive }: { more: LoadMore; isLive: boolean }) {
  if (isLive || !more.hasMore) return null;
  return (
    <div className={classes.more}>
      {more.error !== null && (
        <ErrorPanel title="More calls could not be loaded" error={more.error} onRetry={more.loadMore} />
      )}
      <Button variant="default" onClick={() => void more.loadMore()} disabled={more.isLoading}>
        {more.isLoading ? 'Loading …' : 'Load more calls'}
      </Button>
    </div>
  );
}

function NoCalls() {
  return (
    <EmptyState
      icon={<IconReceipt size={24} />}
      title="No calls yet"
      action={<LinkButton to={paths.overview()}>Open the quickstart</LinkButton>}
    >
      Every call appears here with its tokens, its price and its receipt. The quickstart has a snippet to run.
    </EmptyState>
  );
}

function NothingFits() {
  return (
    <EmptyState icon={<IconFilterOff size={24} />} title="No call fits">
      <Text span inherit>
        None of your calls fits all that is chosen above. Take a choice away, or take a longer time.
      </Text>
    </EmptyState>
  );
}
