import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../../components/error-panel';
import { RelativeTime } from '../../../components/relative-time';
import { SectionCard } from '../../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import { groupThousands } from '../../../lib/format/format-credits';
import { AccountLink } from '../account-link';
import { type Act, ActDialog } from '../act-dialog';
import type { May } from '../operator-console';
import { readAgain } from '../read-again';

const RefusedSettlementsDocument = graphql(`
  query OperatorRefusedSettlements {
    operator {
      quarantinedSettlements {
        callId
        accountId
        promptTokens
        completionTokens
        reason
        refusedAt
      }
    }
  }
`);

const BookDocument = graphql(`
  mutation OperatorBookSettlement($callId: ID!, $reason: String!) {
    operator {
      bookSettlement(callId: $callId, reason: $reason)
    }
  }
`);

const DismissDocument = graphql(`
  mutation OperatorDismissSettlement($callId: ID!, $reason: String!) {
    operator {
      dismissSettlement(callId: $callId, reason: $reason)
    }
  }
`);

/** Ends of calls that the ledger refused, on the machine that answers. Nothing is shown while there are none, which is nearly always. */
export function RefusedSettlements({ may }: { may: May }) {
  const { data, error, refetch } = useQuery(RefusedSettlementsDocument);
  const [book] = useMutation(BookDocument);
  const [dismiss] = useMutation(DismissDocument);
  const [act, setAct] = useState<Act | null>(null);
  const toBook = (callId: string): Act => ({
    label: 'Book',
    words: 'Charges the call now. Fix what stood in its way first: if the ledger refuses it again, it stays here.',
    run: async ({ reason }) => {
      await book({ variables: { callId, reason } });
      return readAgain(refetch);
    },
  });
  const toDismiss = (callId: string): Act => ({
    label: 'Dismiss',
    words: 'Nothing is charged for the call. It stays on record with your reason.',
    isDangerous: true,
    run: async ({ reason }) => {
      await dismiss({ variables: { callId, reason } });
      return readAgain(refetch);
    },
  });
  if (!data) {
    if (error)
      return <ErrorPanel title="The refused settlements could not be loaded" error={error} onRetry={refetch} />;
    return <RecordSkeleton rows={0} />;
  }
  const settlements = data.operator.quarantinedSettlements;
  if (settlements.length === 0 && act === null) return null;
  return (
    <SectionCard
      title="Refused settlements"
      description="Calls that the ledger did not book, on the machine that answered. Each needs a decision."
    >
      <RecordTable
        label="Refused settlements"
        rows={settlements}
        keyOf={({ callId }) => callId}
        columns={[
          { header: 'Call', card: 'title', cell: ({ callId }) => <code>{callId}</code> },
          {
            header: 'Account',
            cell: ({ accountId }) => (
              <AccountLink id={accountId}>
                <code>{accountId}</code>
              </AccountLink>
            ),
          },
          { header: 'Tokens in', align: 'right', cell: ({ promptTokens }) => groupThousands(promptTokens) },
          { header: 'Tokens out', align: 'right', cell: ({ completionTokens }) => groupThousands(completionTokens) },
          { header: 'Why', cell: ({ reason }) => reason.replaceAll('_', ' ') },
          { header: 'Refused', cell: ({ refusedAt }) => <RelativeTime at={refusedAt} /> },
          {
            header: 'Actions',
            cell: ({ callId }) =>
              may('bookSettlement') && (
                <Group gap="xs">
                  <Button size="xs" variant="default" onClick={() => setAct(toBook(callId))}>
                    Book
                  </Button>
                  <Button size="xs" variant="default" onClick={() => setAct(toDismiss(callId))}>
                    Dismiss
                  </Button>
                </Group>
              ),
          },
        ]}
      />
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </SectionCard>
  );
}
