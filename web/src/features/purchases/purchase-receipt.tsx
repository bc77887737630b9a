import { useQuery } from '@apollo/client/react';
import { Button, Text } from '@mantine/core';
import { paths } from '../../app/paths';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { IconPrinter, IconReceiptOff } from '../../components/icons';
import { LinkButton } from '../../components/link-button';
import { SectionCard } from '../../components/section-card';
import { RecordSkeleton } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { PurchaseReceiptQuery } from '../../gql/graphql';
import { formatCredits, groupThousands } from '../../lib/format/format-credits';
import { formatAbsoluteTime, formatUtcTime } from '../../lib/format/format-time';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import classes from './purchase-receipt.module.css';

const PurchaseReceiptDocument = graphql(`
  query PurchaseReceipt($id: ID!) {
    viewer {
      id
      name
      email
    }
    purchase(id: $id) {
      id
      dollars
      credits
      status
      paidAt
      isSimulated
      isAutomatic
      refundedDollars
      refundedCredits
      disputedCredits
    }
  }
`);

/** The receipt of one paid purchase, made to be printed. */
export function PurchaseReceipt({ purchaseId }: { purchaseId: string }) {
  const { data, error, refetch } = useQuery(PurchaseReceiptDocument, { variables: { id: purchaseId } });
  if (error) return <ErrorPanel title="The receipt could not be loaded" error={error} onRetry={refetch} />;
  if (!data) return <RecordSkeleton rows={6} />;
  const { purchase, viewer } = data;
  if (purchase?.status !== 'PAID' || !viewer) {
    return (
      <EmptyState
        icon={<IconReceiptOff size={24} />}
        title="Receipt not found"
        action={<LinkButton to={paths.credits()}>Go to your purchases</LinkButton>}
      >
        This account has no paid purchase with this id.
      </EmptyState>
    );
  }
  return <Sheet purchase={purchase} buyer={viewer} />;
}

interface SheetProps {
  purchase: NonNullable<PurchaseReceiptQuery['purchase']>;
  buyer: NonNullable<PurchaseReceiptQuery['viewer']>;
}

function Sheet({ purchase, buyer }: SheetProps) {
  const source = purchase.isSimulated ? 'Simulated checkout: no real money moved' : 'Stripe';
  const facts: readonly (readonly [string, string])[] = [
    ['Purchase', purchase.id],
    ['Paid', purchase.paidAt ? `${formatAbsoluteTime(purchase.paidAt)} (${formatUtcTime(purchase.paidAt)})` : ''],
    ['Sold by', window.location.host],
    ['Bought by', buyer.name === buyer.email ? buyer.email : `${nameInSentence(buyer.name)}, ${buyer.email}`],
    ['Paid with', purchase.isAutomatic ? `${source}, by the automatic top-up` : source],
    ['Credits', formatCredits(purchase.credits)],
    ...(purchase.refundedDollars > 0
      ? [
          [
            'Refunded',
            `$${purchase.refundedDollars.toFixed(2)}, ${formatCredits(purchase.refundedCredits)} credits`,
          ] as const,
        ]
      : []),
    ...(purchase.disputedCredits > 0
      ? [['Taken back in a dispute', `${formatCredits(purchase.disputedCredits)} credits`] as const]
      : []),
  ];
  return (
    <SectionCard
      title={`$${groupThousands(purchase.dollars)}.00`}
      description="US dollars, paid in advance for credits. 1,000 credits are 1 dollar."
      action={
        <Button
          variant="default"
          className="not-printed"
          leftSection={<IconPrinter size={16} aria-hidden />}
          onClick={() => window.print()}
        >
          Print
        </Button>
      }
    >
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Text size="sm" c="dimmed" mt="md">
        A receipt for your records, not a tax invoice. If there is an invoice, it is linked beside the purchase.
      </Text>
    </SectionCard>
  );
}
