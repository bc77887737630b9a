import { useQuery } from '@apollo/client/react';
import { Anchor, Group } from '@mantine/core';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { IconCreditCard } from '../../components/icons';
import { LinkButton } from '../../components/link-button';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { StatusBadge } from '../../components/status-badge';
import { LoadMoreButton } from '../../components/tables/load-more-button';
import { type RecordColumn, RecordSkeleton, RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { PurchaseStatus, PurchasesQuery } from '../../gql/graphql';
import { formatCredits, groupThousands } from '../../lib/format/format-credits';
import { mayDo } from '../../lib/session/roles';
import { useRole } from '../../lib/session/use-role';
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
          isAutomatic
          checkoutUrl
          receiptUrl
          invoiceUrl
          refundedDollars
          disputeStatus
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

/** A link to the unfinished checkout, or to the receipts of a paid one; null when there is neither. */
function findNextStep(purchase: Purchase) {
  const isOpen = purchase.status === 'PENDING' && purchase.checkoutUrl;
  if (isOpen) return <ContinueLink purchase={purchase} url={isOpen} />;
  return purchase.status === 'PAID' ? <PaperLinks purchase={purchase} /> : null;
}

/** What became of the money afterwards says more than that it was paid once. */
function findState({ status, refundedDollars, dollars, disputeStatus }: Purchase): {
  label: string;
  color: 'pine' | 'amber' | 'red' | 'gray';
} {
  if (disputeStatus === 'OPEN') return { label: 'Disputed', color: 'red' };
  if (disputeStatus === 'LOST') return { label: 'Dispute lost', color: 'red' };
  if (refundedDollars >= dollars) return { label: 'Refunded', color: 'gray' };
  if (refundedDollars > 0) return { label: `$${refundedDollars.toFixed(2)} refunded`, color: 'amber' };
  return statusWords[status];
}

function nameSource({ isSimulated, isAutomatic }: Purchase): string {
  const source = isSimulated ? 'Simulated, no real money' : 'Stripe';
  return isAutomatic ? `${source}, automatic` : source;
}

const columns: readonly RecordColumn<Purchase>[] = [
  { header: 'Amount', card: 'title', cell: (purchase) => `$${groupThousands(purchase.dollars)}` },
  { header: 'Credits', align: 'right', cell: (purchase) => formatCredits(purchase.credits) },
  { header: 'When', cell: (purchase) => <RelativeTime at={purchase.createdAt} /> },
  { header: 'Paid with', cell: nameSource },
  {
    header: 'Status',
    card: 'aside',
    cell: (purchase) => <StatusBadge color={findState(purchase).color}>{findState(purchase).label}</StatusBadge>,
  },
];
const linksColumn: RecordColumn<Purchase> = { header: 'Links', align: 'right', cell: findNextStep };

function ContinueLink({ purchase, url }: { purchase: Purchase; url: string }) {
  return (
    <Anchor
      href={url}
      inherit
      fw={550}
      underline="always"
      className="lone-link"
      aria-label={`Continue the purchase of $${purchase.dollars}`}
    >
      Continue
    </Anchor>
  );
}

function PaperLinks({ purchase: { id, receiptUrl, invoiceUrl, dollars } }: { purchase: Purchase }) {
  const links = [
    { name: 'Card receipt', url: receiptUrl },
    { name: 'Invoice', url: invoiceUrl },
  ].filter(({ url }) => url);
  return (
    <Group gap="sm" justify="flex-end">
      <Anchor
        component={Link}
        to={paths.purchaseReceipt(id)}
        inherit
        underline="always"
        className="lone-link"
        aria-label={`Receipt of the purchase of $${dollars}`}
      >
        Receipt
      </Anchor>
      {links.map(({ name, url }) => (
        <Anchor
          key={name}
          href={url ?? undefined}
          target="_blank"
          rel="noreferrer"
          inherit
          underline="always"
          className="lone-link"
          aria-label={`${name} of the purchase of $${dollars}`}
        >
          {name}
        </Anchor>
      ))}
    </Group>
  );
}

interface PurchaseListProps {
  /** The page has packs to choose above; where it has none, an empty list leads to them. */
  arePacksAbove?: boolean;
}

/** Every attempt to buy, the newest first; a pending one can be continued. */
export function PurchaseList({ arePacksAbove = false }: PurchaseListProps) {
  const mayPay = mayDo(useRole(), 'pay');
  const { data, error, refetch, fetchMore } = useQuery(PurchasesDocument);
  const more = useLoadMore(data?.purchases.pageInfo, (after) => fetchMore({ variables: { after } }));
  const purchases = data?.purchases.edges.map((edge) => edge.node);
  return (
    <SectionCard title="Purchases">
      {error && <ErrorPanel title="Your purchases could not be loaded" error={error} onRetry={refetch} />}
      {!purchases && !error && <RecordSkeleton rows={2} />}
      {purchases?.length === 0 && (
        <EmptyState
          icon={<IconCreditCard size={24} />}
          title="No purchases yet"
          action={mayPay && !arePacksAbove && <LinkButton to={paths.credits()}>Buy credits</LinkButton>}
        >
          {arePacksAbove && 'Pick a pack above. '}Credits are added to your balance as soon as you pay.
        </EmptyState>
      )}
      {purchases && purchases.length > 0 && (
        <RecordTable
          label="Purchases"
          columns={purchases.some(findNextStep) ? [...columns, linksColumn] : columns}
          rows={purchases}
          keyOf={(purchase) => purchase.id}
        />
      )}
      <LoadMoreButton more={more} what="purchases" />
    </SectionCard>
  );
}
