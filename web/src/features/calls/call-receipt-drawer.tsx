import { useQuery } from '@apollo/client/react';
import { Drawer, Text } from '@mantine/core';
import { ErrorPanel } from '../../components/error-panel';
import { RecordSkeleton } from '../../components/record-table';
import { graphql } from '../../gql';
import { CallReceipt } from './call-receipt';

const CallReceiptDocument = graphql(`
  query CallReceipt($id: ID!) {
    call(id: $id) {
      id
      startedAt
      outcome
      errorCode
      finishReason
      model
      provider
      tier
      streamed
      apiKey {
        id
        name
        maskedSecret
      }
      promptTokens
      completionTokens
      usageSource
      creditsPerThousandTokens
      held
      charged
      absorbed
      firstByteMs
      totalMs
      balanceAfter
      tag
      endUser
      attempts {
        provider
        upstreamModel
        status
        errorCode
        durationMs
      }
      estimateParts {
        promptTokens
        imageTokens
        visibleTokens
        reasoningTokens
      }
    }
  }
`);

interface CallReceiptDrawerProps {
  /** The call to show; null closes the drawer. */
  callId: string | null;
  onClose: () => void;
}

/** The receipt of one call, at the side of the list. */
export function CallReceiptDrawer({ callId, onClose }: CallReceiptDrawerProps) {
  return (
    <Drawer opened={callId !== null} onClose={onClose} title="Receipt" size={480} padding="lg" className="printable">
      {callId !== null && <Receipt callId={callId} />}
    </Drawer>
  );
}

function Receipt({ callId }: { callId: string }) {
  const { data, error, refetch } = useQuery(CallReceiptDocument, {
    variables: { id: callId },
    fetchPolicy: 'cache-and-network',
  });
  if (data?.call) return <CallReceipt call={data.call} />;
  if (data) return <Text>There is no such call in your account. Check the id in the address.</Text>;
  if (error) return <ErrorPanel title="The receipt could not be loaded" error={error} onRetry={refetch} />;
  return <RecordSkeleton rows={9} />;
}
