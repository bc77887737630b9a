import { Button, Group, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { paths, serverPaths } from '../../app/paths';
import { BusyButton } from '../../components/buttons/busy-button';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { IconDownload, IconFilterOff, IconReceipt } from '../../components/icons';
import { InPieces } from '../../components/in-pieces';
import { LinkButton } from '../../components/link-button';
import { SectionCard } from '../../components/section-card';
import { RecordSkeleton } from '../../components/tables/record-table';
import { mayDo } from '../../lib/session/roles';
import { useRole } from '../../lib/session/use-role';
import type { LoadMore } from '../../lib/use-load-more';
import { usePresentHour } from '../../lib/use-now';
import { useSearchChange } from '../../lib/use-search-value';
import { ReceiptDrawer } from './receipt-drawer';
import { readColumns } from './request-columns';
import { isNarrowed, type RequestChoice, readRequestChoice, toExportQuery } from './request-filter';
import { RequestFilterBar } from './request-filter-bar';
import { RequestRows } from './request-rows';
import classes from './requests.module.css';
import { useRequestPages } from './use-request-pages';

/**
 * What came in, calls and refused requests. The address names the filter, the columns and the open request, so that all can be
 * shared, and the request closed with "back".
 */
export function RequestList() {
  const [search] = useSearchParams();
  const change = useSearchChange();
  const [isLive, setIsLive] = useState(false);
  // Whoever scrolls through older pages would lose their place each hour.
  const hourMs = usePresentHour(!isLive);
  const choice = readRequestChoice(search, hourMs);

  const setRequest = (id: string | null) => change({ request: id }, 'push');

  return (
    <SectionCard
      title={isNarrowed(search) ? 'Matching requests' : 'All requests'}
      description={isLive ? 'The newest 50, updated every 3 seconds.' : orderWords[choice.order]}
      action={
        <Group gap="md" justify="flex-end">
          <Switch label="Live" checked={isLive} onChange={(event) => setIsLive(event.currentTarget.checked)} />
          <Button
            component="a"
            href={serverPaths.requestsCsv(toExportQuery(choice))}
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
      <RequestFilterBar />
      <RequestPages choice={choice} isLive={isLive} onOpen={setRequest} />
      <ReceiptDrawer requestId={search.get('request')} onClose={() => setRequest(null)} />
    </SectionCard>
  );
}

const orderWords: Readonly<Record<RequestChoice['order'], string>> = {
  NEWEST: 'Newest first. Refused requests are free. Open one to see its receipt.',
  COST: 'The 50 most expensive of the newest 10,000 calls for this time and key.',
  DURATION: 'The 50 slowest of the newest 10,000 calls for this time and key.',
};

interface RequestPagesProps {
  choice: RequestChoice;
  isLive: boolean;
  onOpen: (id: string) => void;
}

/** Apart from what stands above it, which need not be drawn anew whenever a page arrives. */
function RequestPages({ choice, isLive, onOpen }: RequestPagesProps) {
  const [search] = useSearchParams();
  const { requests, isStale, error, refetch, more } = useRequestPages(choice, isLive);
  function onNearEnd() {
    // While live, the newest page is all there is; after a failure the reader decides.
    if (!isLive && more.error === null) void more.loadMore();
  }
  return (
    <>
      {error && <ErrorPanel title="Your requests could not be loaded" error={error} onRetry={refetch} />}
      {!error && (!requests || (isStale && requests.length === 0)) && <RecordSkeleton rows={10} />}
      {requests?.length === 0 && !isStale && !more.hasMore && (isNarrowed(search) ? <NothingFits /> : <NoRequests />)}
      {requests?.length === 0 && more.hasMore && (
        <Text c="dimmed" ta="center" py="md">
          None of the newest requests match. Older ones have not been searched yet.
        </Text>
      )}
      {requests && requests.length > 0 && (
        <InPieces outline={<RecordSkeleton rows={10} />}>
          <div aria-busy={isStale} className={classes.rows}>
            <RequestRows requests={requests} columns={readColumns(search)} onOpen={onOpen} onNearEnd={onNearEnd} />
          </div>
          <ListEnd more={more} isLive={isLive} />
        </InPieces>
      )}
      {requests?.length === 0 && <ListEnd more={more} isLive={isLive} />}
    </>
  );
}

/** Below the rows: that more are coming, or a button where they did not come by themselves. */
function ListEnd({ more, isLive }: { more: LoadMore; isLive: boolean }) {
  if (isLive || !more.hasMore) return null;
  return (
    <div className={classes.more}>
      {more.error !== null && (
        <ErrorPanel title="More requests could not be loaded" error={more.error} onRetry={more.loadMore} />
      )}
      <BusyButton variant="default" onClick={() => void more.loadMore()} isBusy={more.isLoading}>
        {more.isLoading ? 'Loading …' : 'Load more requests'}
      </BusyButton>
    </div>
  );
}

function NoRequests() {
  const mayBuild = mayDo(useRole(), 'build');
  return (
    <EmptyState
      icon={<IconReceipt size={24} />}
      title="No requests yet"
      action={mayBuild && <LinkButton to={paths.overview()}>Open the quickstart</LinkButton>}
    >
      Every request appears here with its tokens, price and receipt, or the reason it was refused.
      {mayBuild && ' The quickstart has a snippet you can run.'}
    </EmptyState>
  );
}

function NothingFits() {
  return (
    <EmptyState
      icon={<IconFilterOff size={24} />}
      title="No matching requests"
      action={<LinkButton to={paths.requests()}>Clear filters</LinkButton>}
    >
      <Text span inherit>
        None of your requests match these filters. Remove one, or choose a longer time.
      </Text>
    </EmptyState>
  );
}
