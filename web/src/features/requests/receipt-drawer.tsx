import { useQuery } from '@apollo/client/react';
import { Drawer } from '@mantine/core';
import { ErrorPanel } from '../../components/error-panel';
import { RecordSkeleton } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import { Receipt } from './receipt';
import { RefusedRequest } from './refused-request';

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
      priceMultiplier
      held
      charged
      absorbed
      firstByteMs
      totalMs
      balanceAfter
      tag
      endUser
      cachedTokens
      reasoningTokens
      attempts {
        provider
        upstreamModel
        status
        errorCode
        startMs
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

interface ReceiptDrawerProps {
  /** The request to show; null closes the drawer. */
  requestId: string | null;
  onClose: () => void;
}

/** One request, at the side of the list: its receipt, or why it was refused. */
export function ReceiptDrawer({ requestId, onClose }: ReceiptDrawerProps) {
  return (
    <Drawer opened={requestId !== null} onClose={onClose} title="Receipt" size={520} padding="lg" className="printable">
      {/* Another request is another receipt: nothing that was made for the one before may stand there. */}
      {requestId !== null && <Found key={requestId} requestId={requestId} />}
    </Drawer>
  );
}

function Found({ requestId }: { requestId: string }) {
  const { data, error, refetch } = useQuery(CallReceiptDocument, {
    variables: { id: requestId },
  });
  if (data?.call) return <Receipt call={data.call} />;
  if (data) return <RefusedRequest id={requestId} />;
  if (error) return <ErrorPanel title="The receipt could not be loaded" error={error} onRetry={refetch} />;
  return <RecordSkeleton rows={9} />;
}
