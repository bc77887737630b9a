import { useMutation, useQuery } from '@apollo/client/react';
import { ErrorPanel } from '../../../components/error-panel';
import { RecordSkeleton } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import { formatSignedCredits } from '../../../lib/format/format-credits';
import type { May } from '../operator-console';
import { readAgain } from '../read-again';
import { WaitingRequests } from './waiting-requests';

const CreditRequestsDocument = graphql(`
  query OperatorCreditRequests {
    operator {
      creditRequests {
        id
        accountId
        credits
        reason
        askedBy
        askedAt
      }
    }
  }
`);

const ApproveDocument = graphql(`
  mutation OperatorApproveCredits($id: ID!) {
    operator {
      approveCredits(id: $id)
    }
  }
`);

const RefuseDocument = graphql(`
  mutation OperatorRefuseCredits($id: ID!, $reason: String!) {
    operator {
      refuseCredits(id: $id, reason: $reason)
    }
  }
`);

/** What waits for a second operator; nothing is shown where nothing waits. */
export function CreditRequests({ may }: { may: May }) {
  const { data, error, refetch } = useQuery(CreditRequestsDocument);
  const [approve] = useMutation(ApproveDocument);
  const [refuse] = useMutation(RefuseDocument);
  if (!data) {
    if (error) return <ErrorPanel title="The waiting credits could not be loaded" error={error} onRetry={refetch} />;
    return <RecordSkeleton rows={0} />;
  }
  return (
    <WaitingRequests
      title="Credits waiting for a second operator"
      label="Waiting credits"
      requests={data.operator.creditRequests}
      amount={{ header: 'Credits', of: ({ credits }) => formatSignedCredits(credits) }}
      decision={{ header: 'Decide', instead: () => (may('approveCredits') ? null : '') }}
      approve={{
        words: ({ credits }) => `${formatSignedCredits(credits)} credits are moved at once.`,
        run: async ({ id }) => {
          await approve({ variables: { id } });
          return readAgain(refetch);
        },
      }}
      refuse={{
        words: 'Nothing is moved.',
        run: async (id, reason) => {
          await refuse({ variables: { id, reason } });
          await readAgain(refetch);
        },
      }}
    />
  );
}
