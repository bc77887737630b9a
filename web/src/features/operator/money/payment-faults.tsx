import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../../components/error-panel';
import { RelativeTime } from '../../../components/relative-time';
import { SectionCard } from '../../../components/section-card';
import { RecordSkeleton } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import { type Act, ActDialog } from '../act-dialog';
import { say } from '../act-words';
import type { May } from '../operator-console';
import { readAgain } from '../read-again';
import { PaymentFaultTable } from './payment-fault-table';

const PaymentFaultsDocument = graphql(`
  query OperatorPaymentFaults {
    operator {
      watch {
        quarantinedEvents {
          id
          type
          reason
          purchaseId
          receivedAt
        }
      }
      lastReconciliation {
        endedAt
        missedEvents
        waitingPurchases
        paidPurchases
        differences
        failures
      }
    }
  }
`);

const RetryDocument = graphql(`
  mutation OperatorRetryEvent($id: ID!) {
    operator {
      retryQuarantinedEvent(id: $id) {
        fits
        reason
      }
    }
  }
`);

const DismissDocument = graphql(`
  mutation OperatorDismissEvent($id: ID!, $reason: String!) {
    operator {
      dismissQuarantinedEvent(id: $id, reason: $reason)
    }
  }
`);

const ReconcileDocument = graphql(`
  mutation OperatorReconcile {
    operator {
      reconcilePurchases {
        endedAt
      }
    }
  }
`);

/** Payments that do not match, worked through, and the last comparison with the payment service. */
export function PaymentFaults({ may }: { may: May }) {
  const { data, error, refetch } = useQuery(PaymentFaultsDocument);
  const [act, setAct] = useState<Act | null>(null);
  const [retry] = useMutation(RetryDocument);
  const [dismiss] = useMutation(DismissDocument);
  const [reconcile] = useMutation(ReconcileDocument);
  const toRetry = (id: string): Act => ({
    label: 'Look again',
    hasNoReason: true,
    words: 'Asks the payment service about it again.',
    run: async () => {
      const { data: answer } = await retry({ variables: { id } });
      await readAgain(refetch);
      const verdict = answer?.operator.retryQuarantinedEvent;
      return say(
        verdict?.fits ? 'It matches now, and was processed.' : `It still does not match: ${verdict?.reason ?? ''}.`,
      );
    },
  });
  const toDismiss = (id: string): Act => ({
    label: 'Dismiss',
    words: 'Nothing is credited for it, and it is no longer shown.',
    isDangerous: true,
    run: async ({ reason }) => {
      await dismiss({ variables: { id, reason } });
      return readAgain(refetch);
    },
  });
  const toReconcile: Act = {
    label: 'Compare now',
    hasNoReason: true,
    words: 'Checks everything at the payment service since the last comparison, and books what was missed.',
    run: async () => {
      await reconcile();
      return readAgain(refetch);
    },
  };
  if (!data) {
    if (error) return <ErrorPanel title="The payments could not be loaded" error={error} onRetry={refetch} />;
    return <RecordSkeleton rows={2} />;
  }
  const { lastReconciliation: last, watch } = data.operator;
  return (
    <SectionCard title="Payments that do not match" description="Find each at the payment service by its id.">
      <Stack gap="md">
        <PaymentFaultTable
          events={watch.quarantinedEvents}
          changeOf={(id) =>
            may('retryQuarantinedEvent') && (
              <Group gap="xs">
                <Button size="xs" variant="default" onClick={() => setAct(toRetry(id))}>
                  Look again
                </Button>
                <Button size="xs" variant="default" onClick={() => setAct(toDismiss(id))}>
                  Dismiss
                </Button>
              </Group>
            )
          }
        />
        <Text size="sm">
          {last == null ? (
            'Not compared with the payment service since this server started.'
          ) : (
            <>
              Compared <RelativeTime at={last.endedAt} />: {last.missedEvents} missed events, {last.waitingPurchases}{' '}
              waiting purchases, of which {last.paidPurchases} were paid, {last.failures} not looked at.
            </>
          )}
        </Text>
        {last != null && last.differences.length > 0 && (
          <ul>
            {last.differences.map((difference) => (
              <li key={difference}>{difference}</li>
            ))}
          </ul>
        )}
        {may('reconcilePurchases') && (
          <Group>
            <Button size="xs" variant="default" onClick={() => setAct(toReconcile)}>
              Compare now
            </Button>
          </Group>
        )}
      </Stack>
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </SectionCard>
  );
}
