import { useMutation, useQuery } from '@apollo/client/react';
import { ErrorPanel } from '../../../components/error-panel';
import { RecordSkeleton } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import { say } from '../act-words';
import type { May } from '../operator-console';
import { readAgain } from '../read-again';
import { WaitingRequests } from './waiting-requests';

const RefundRequestsDocument = graphql(`
  query OperatorRefundRequests {
    operator {
      refundRequests {
        id
        accountId
        cents
        reason
        state
        askedAt
      }
    }
  }
`);

const ApproveRefundDocument = graphql(`
  mutation OperatorApproveRefund($id: ID!) {
    operator {
      approveRefund(id: $id) {
        state
        fault
      }
    }
  }
`);

const RefuseRefundDocument = graphql(`
  mutation OperatorRefuseRefund($id: ID!, $reason: String!) {
    operator {
      refuseRefund(id: $id, reason: $reason)
    }
  }
`);

/** Waiting refunds; nothing is shown where none does. */
export function RefundRequests({ may }: { may: May }) {
  const { data, error, refetch } = useQuery(RefundRequestsDocument);
  const [approve] = useMutation(ApproveRefundDocument);
  const [refuse] = useMutation(RefuseRefundDocument);
  const whoDecides = (state: string) => (state === 'waiting' ? 'a second operator' : 'the payment service');
  if (!data) {
    if (error) return <ErrorPanel title="The waiting refunds could not be loaded" error={error} onRetry={refetch} />;
    return <RecordSkeleton rows={0} />;
  }
  return (
    <WaitingRequests
      title="Waiting refunds"
      label="Waiting refunds"
      requests={data.operator.refundRequests}
      amount={{ header: 'Amount', of: ({ cents }) => `$${(cents / 100).toFixed(2)}` }}
      decision={{
        header: 'Waits for',
        instead: ({ state }) => (state === 'waiting' && may('approveRefund') ? null : whoDecides(state)),
      }}
      approve={{
        words: () => 'The money is refunded and its credits are taken back at once.',
        run: async ({ id }) => {
          const { data: answer } = await approve({ variables: { id } });
          await readAgain(refetch);
          const fault = answer?.operator.approveRefund.fault ?? null;
          return fault === null ? null : say(`The payment service refuses it (${fault}). Nothing was taken.`);
        },
      }}
      refuse={{
        words: 'Nothing is refunded.',
        run: async (id, reason) => {
          await refuse({ variables: { id, reason } });
          await readAgain(refetch);
        },
      }}
    />
  );
}
