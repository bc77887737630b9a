import { useQuery } from '@apollo/client/react';
import { UnstyledButton } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { useNavigate, useSearchParams } from 'react-router';
import { paths } from '../../app/paths';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { LinkButton } from '../../components/link-button';
import { LoadMoreButton } from '../../components/load-more-button';
import { OutcomeBadge } from '../../components/outcome-badge';
import { type RecordColumn, RecordSkeleton, RecordTable } from '../../components/record-table';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import type { CallsQuery } from '../../gql/graphql';
import { formatCreditsAligned, groupThousands } from '../../lib/format-credits';
import { formatDuration } from '../../lib/format-time';
import { useLoadMore } from '../../lib/use-load-more';
import { CallReceiptDrawer } from './call-receipt-drawer';

const CallsDocument = graphql(`
  query Calls($after: String) {
    calls(first: 25, after: $after) {
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

type Call = CallsQuery['calls']['edges'][number]['node'];

/** The calls, the newest first. The address names the open receipt, so that it can be shared and closed with "back". */
export function CallList() {
  const { data, error, refetch, fetchMore } = useQuery(CallsDocument, { fetchPolicy: 'cache-and-network' });
  const more = useLoadMore(data?.calls.pageInfo, (after) => fetchMore({ variables: { after } }));
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const calls = data?.calls.edges.map((edge) => edge.node);
  const openReceipt = (call: Call) => void navigate(paths.calls(call.id));

  return (
    <SectionCard title="All calls" description="The newest first. Open a call for its receipt.">
      {error && <ErrorPanel title="Your calls could not be loaded" error={error} onRetry={refetch} />}
      {!calls && !error && <RecordSkeleton rows={8} />}
      {calls?.length === 0 && (
        <EmptyState
          icon={<IconReceipt size={24} />}
          title="No calls yet"
          action={<LinkButton to={paths.overview()}>Open the quickstart</LinkButton>}
        >
          Every call appears here with its tokens, its price and its receipt. The quickstart has a snippet to run.
        </EmptyState>
      )}
      {calls && calls.length > 0 && (
        <RecordTable
          label="Calls"
          columns={columns(openReceipt)}
          rows={calls}
          keyOf={(call) => call.id}
          onRowClick={openReceipt}
        />
      )}
      <LoadMoreButton more={more} what="calls" />
      <CallReceiptDrawer callId={search.get('call')} onClose={() => void navigate(paths.calls())} />
    </SectionCard>
  );
}

function columns(openReceipt: (call: Call) => void): readonly RecordColumn<Call>[] {
  return [
    { header: 'Time', cell: (call) => <RelativeTime at={call.startedAt} /> },
    {
      header: 'Model',
      card: 'title',
      cell: (call) => (
        <UnstyledButton
          fw={600}
          fz="inherit"
          aria-label={`Receipt of the call to ${call.model}`}
          onClick={(event) => {
            // The row answers to the same click.
            event.stopPropagation();
            openReceipt(call);
          }}
        >
          {call.model}
        </UnstyledButton>
      ),
    },
    { header: 'Provider', card: 'hidden', cell: (call) => call.provider },
    {
      header: 'Tokens in / out',
      align: 'right',
      cell: (call) => `${groupThousands(call.promptTokens)} / ${groupThousands(call.completionTokens)}`,
    },
    { header: 'Credits', align: 'right', cell: (call) => formatCreditsAligned(call.charged) },
    { header: 'Duration', align: 'right', cell: (call) => formatDuration(call.totalMs) },
    { header: 'Outcome', card: 'aside', cell: (call) => <OutcomeBadge outcome={call.outcome} /> },
  ];
}
