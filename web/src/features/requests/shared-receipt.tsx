import { useQuery } from '@apollo/client/react';
import { Button, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useLocation } from 'react-router';
import { paths } from '../../app/paths';
import { ErrorPanel } from '../../components/error-panel';
import { FullPageMessage } from '../../components/full-page-message';
import { IconPrinter } from '../../components/icons';
import { LinkButton } from '../../components/link-button';
import { Logo } from '../../components/logo';
import { OutcomeBadge } from '../../components/outcome-badge';
import { RecordSkeleton } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { SharedReceiptQuery } from '../../gql/graphql';
import { formatDuration, formatUtcMinute, formatUtcTime } from '../../lib/format/format-time';
import { Fact } from './fact';
import { PriceBreakdown } from './price-breakdown';
import classes from './receipt.module.css';

const SharedReceiptDocument = graphql(`
  query SharedReceipt($token: String!) {
    sharedReceipt(token: $token) {
      callId
      startedAt
      outcome
      model
      provider
      tier
      streamed
      isEstimated
      promptTokens
      completionTokens
      creditsPerThousandTokens
      priceMultiplier
      charged
      absorbed
      firstByteMs
      totalMs
      expiresAt
    }
  }
`);

/** A receipt that its owner shares by a link; whoever opens it need not be signed in. */
export function SharedReceipt() {
  const token = useLocation().hash.slice(1);
  const { data, error, refetch } = useQuery(SharedReceiptDocument, {
    variables: { token },
    skip: token === '',
    fetchPolicy: 'no-cache',
  });
  useDocumentTitle('Receipt · Tollgate');
  if (token === '' || data?.sharedReceipt === null) {
    return (
      <FullPageMessage title="Receipt not found" action={<LinkButton to={paths.overview()}>To Tollgate</LinkButton>}>
        The link has expired or is incomplete. Ask the person who sent it for a new one.
      </FullPageMessage>
    );
  }
  return (
    <main className={classes.sheet}>
      <Logo />
      <Title order={1} mt="lg" mb="sm">
        Receipt
      </Title>
      {error && <ErrorPanel title="The receipt could not be loaded" error={error} onRetry={refetch} />}
      {!data && !error && <RecordSkeleton rows={8} />}
      {data?.sharedReceipt && <Facts receipt={data.sharedReceipt} />}
    </main>
  );
}

function describeSource(receipt: NonNullable<SharedReceiptQuery['sharedReceipt']>): string {
  if (receipt.promptTokens + receipt.completionTokens === 0) return 'None, the call is free';
  return receipt.isEstimated ? 'Estimated' : 'Reported by the provider';
}

function Facts({ receipt }: { receipt: NonNullable<SharedReceiptQuery['sharedReceipt']> }) {
  return (
    <div className={classes.receipt}>
      <OutcomeBadge outcome={receipt.outcome} />
      <PriceBreakdown call={receipt} />
      <dl className={classes.facts}>
        <Fact name="Call">
          <code>{receipt.callId}</code>
        </Fact>
        <Fact name="Started">{formatUtcTime(receipt.startedAt)}</Fact>
        <Fact name="Model">{receipt.model}</Fact>
        <Fact name="Provider">{receipt.provider}</Fact>
        <Fact name="Token counts">{describeSource(receipt)}</Fact>
        <Fact name="Answer">{receipt.streamed ? 'Streamed' : 'Not streamed'}</Fact>
        {typeof receipt.firstByteMs === 'number' && <Fact name="TTFT">{formatDuration(receipt.firstByteMs)}</Fact>}
        <Fact name="Duration">{formatDuration(receipt.totalMs)}</Fact>
      </dl>
      <Text size="sm" c="dimmed" mt="md">
        1,000 credits are 1 dollar. Shown until {formatUtcMinute(receipt.expiresAt)}.
      </Text>
      <Button
        mt="md"
        variant="default"
        className="not-printed"
        leftSection={<IconPrinter size={16} aria-hidden />}
        onClick={() => window.print()}
      >
        Print
      </Button>
    </div>
  );
}
