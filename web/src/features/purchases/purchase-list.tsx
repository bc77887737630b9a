import { useQuery } from '@apollo/client/react';
import { Anchor } from '@mantine/core';
import { IconCreditCard } from '@tabler/icons-react';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { LoadMoreButton } from '../../components/load-more-button';
import { type RecordColumn, RecordSkeleton, RecordTable } from '../../components/record-table';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { StatusBadge } from '../../components/status-badge';
import { graphql } from '../../gql';
import type { PurchaseStatus, PurchasesQuery } from '../../gql/graphql';
import { formatCredits, groupThousands } from '../../lib/format-credits';
import { useLoadMore } from '../../lib/use-load-more';

const PurchasesDocument = graphql(`
  query Purchases($after: String) {
    purchases(first: 10, after: $after) {
      edges {
        cursor
        node {
          id
          dollars
          credits
          status
          createdAt
          isSimulated
          checkoutUrl
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

type Purchase = PurchasesQuery['purchases']['edges'][number]['node'];

const statusWords: Record<PurchaseStatus, { label: string; color: 'pine' | 'amber' | 'gray' }> = {
  PAID: { label: 'Paid', color: 'pine' },
  PENDING: { label: 'Pending', color: 'amber' },
  EXPIRED: { label: 'Expired', color: 'gray' },
};

/** A link to the unfinished checkout, or null when there is nothing left to do. */
function findNextStep(purchase: Purchase) {
  const isOpen = purchase.status === 'PENDING' && purchase.checkoutUrl;
  return isOpen ? <ContinueLink purchase={purchase} url={isOpen} /> : null;
}

const columns: readonly RecordColumn<Purchase>[] = [
  { header: 'Amount', card: 'title', cell: (purchase) => `$${groupThousands(purchase.dollars)}` },
  { header: 'Credits', cell: (purchase) => formatCredits(purchase.credits) },
  { header: 'When', cell: (purchase) => <RelativeTime at={purchase.createdAt} /> },
  { header: 'Paid with', cell: (purchase) => (purchase.isSimulated ? 'Simulated, no real money' : 'Stripe') },
  {
    header: 'Status',
    card: 'aside',
    cell: ({ status }) => <StatusBadge color={statusWords[status].color}>{statusWords[status].label}</StatusBadge>,
  },
  { header: 'Next step', align: 'right', cell: findNextStep },
];

function ContinueLink({ purchase, url }: { purchase: Purchase; url: string }) {
  return (
    <Anchor href={url} inherit fw={550} underline="always" aria-label={`Continue the purchase of $${purchase.dollars}`}>
      Continue
    </Anchor>
  );
}

/** Every attempt to buy, the newest first; a pending one can be continued. */
export function PurchaseList() {
  const { data, error, refetch, fetchMore } = useQuery(PurchasesDocument, { fetchPolicy: 'cache-and-network' });
  const more = useLoadMore(data?.purchases.pageInfo, (after) => fetchMore({ variables: { after } }));
  const purchases = data?.purchases.edges.map((edge) => edge.node);
  return (
    <SectionCard title="Purchases">
      {error && <ErrorPanel title="Your purchases could not be loaded" error={error} onRetry={refetch} />}
      {!purchases && !error && <RecordSkeleton rows={2} />}
      {purchases?.length === 0 && (
        <EmptyState icon={<IconCreditCard size={24} />} title="No purchases yet">
          Pick a pack above. Once it is paid, the credits are in your balance at once.
        </EmptyState>
      )}
      {purchases && purchases.length > 0 && (
        <RecordTable label="Purchases" columns={columns} rows={purchases} keyOf={(purchase) => purchase.id} />
      )}
      <LoadMoreButton more={more} what="purchases" />
    </SectionCard>
  );
}
