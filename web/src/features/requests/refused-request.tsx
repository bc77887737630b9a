import { useQuery } from '@apollo/client/react';
import { Text } from '@mantine/core';
import { paths } from '../../app/paths';
import { CopyableId } from '../../components/copyable-id';
import { ErrorPanel } from '../../components/error-panel';
import { LinkButton } from '../../components/link-button';
import { StatusBadge } from '../../components/status-badge';
import { RecordSkeleton } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import { groupThousands } from '../../lib/format/format-credits';
import { formatAbsoluteTime, formatUtcTime } from '../../lib/format/format-time';
import { refusalWords } from '../../lib/requests/refusal-words';
import { Fact } from './fact';
import classes from './receipt.module.css';

const RefusalsDocument = graphql(`
  query Refusals {
    refusals(first: 100) {
      edges {
        cursor
        node {
          id
          at
          times
          status
          code
          model
          param
          apiKey {
            id
            name
          }
        }
      }
    }
  }
`);

/** Why a request was refused, and one press to what mends it. An account keeps few of them, so all are asked for. */
export function RefusedRequest({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(RefusalsDocument);
  const refusal = data?.refusals.edges.find(({ node }) => node.id === id)?.node;
  if (!refusal) {
    if (error) return <ErrorPanel title="The request could not be loaded" error={error} onRetry={refetch} />;
    if (!data) return <RecordSkeleton rows={5} />;
    return (
      <Text>
        Your account has no such request. Check the id in the address. A running call gets its receipt when it ends, and
        refused requests are kept for 30 days.
      </Text>
    );
  }
  const { cause, fix } = refusalWords(refusal.code, refusal.status);
  return (
    <div className={classes.receipt}>
      <StatusBadge color="red">Refused</StatusBadge>
      <Text mt="xs">{cause}. It was free and never reached a model.</Text>
      <LinkButton to={paths[fix.place]()}>{fix.words}</LinkButton>
      <dl className={classes.facts}>
        <Fact name="Request">
          <CopyableId id={refusal.id} what="request id" />
        </Fact>
        <Fact name="When">
          {formatAbsoluteTime(refusal.at)}
          <br />
          <span className={classes.quiet}>{formatUtcTime(refusal.at)}</span>
        </Fact>
        <Fact name="Status">{refusal.status}</Fact>
        <Fact name="Error">{refusal.code}</Fact>
        {refusal.param && <Fact name="Field">{refusal.param}</Fact>}
        <Fact name="Model">{refusal.model ?? 'Not read'}</Fact>
        <Fact name="Key">{refusal.apiKey?.name ?? 'Playground'}</Fact>
        <Fact name="Requests alike">{groupThousands(refusal.times)}</Fact>
      </dl>
    </div>
  );
}
