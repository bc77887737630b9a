import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { BusyButton } from '../../components/buttons/busy-button';
import { LoadingButton } from '../../components/buttons/loading-button';
import { CodeBlock } from '../../components/code-block';
import { ErrorPanel } from '../../components/error-panel';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { StatusBadge } from '../../components/status-badge';
import { type RecordColumn, RecordSkeleton, RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { NoticeState, WebhookDeliveriesQuery } from '../../gql/graphql';
import { formatMoment } from '../../lib/format/format-moment';
import { formatAbsoluteTime } from '../../lib/format/format-time';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { useTellFailure } from '../../lib/forms/lost-answers';
import type { Endpoint } from './webhooks-document';

const WebhookDeliveriesDocument = graphql(`
  query WebhookDeliveries($endpointId: ID) {
    webhookDeliveries(endpointId: $endpointId) {
      id
      endpointId
      title
      url
      body
      state
      attempts
      fault
      at
      nextAttemptAt
    }
  }
`);

const ResendWebhookDeliveryDocument = graphql(`
  mutation ResendWebhookDelivery($id: ID!) {
    resendWebhookDelivery(id: $id) {
      id
      state
      attempts
      fault
      nextAttemptAt
    }
  }
`);

const SendTestWebhookDocument = graphql(`
  mutation SendTestWebhook($endpointId: ID) {
    sendTestWebhook(endpointId: $endpointId) {
      id
    }
  }
`);

type Delivery = WebhookDeliveriesQuery['webhookDeliveries'][number];

const states: Readonly<
  Record<NoticeState, { readonly words: string; readonly color: 'pine' | 'amber' | 'red' | 'gray' }>
> = {
  SENT: { words: 'Delivered', color: 'pine' },
  WAITING: { words: 'Waiting', color: 'amber' },
  GIVEN_UP: { words: 'Given up', color: 'red' },
  DROPPED: { words: 'Not sent', color: 'gray' },
  LOGGED: { words: 'Not sent', color: 'gray' },
};
/** What is listed, beside the endpoints. */
const [allOfThem, ofTheAlert] = ['all', 'alert'];
const alertName = 'Low-balance alert';
/** Whoever has just pressed a button wants to see what became of it. */
const pollMs = 5_000;

interface WebhookDeliveriesProps {
  endpoints: readonly Pick<Endpoint, 'id' | 'name'>[];
  /** Whether the balance alert has a webhook of its own. */
  hasAlert: boolean;
}

/** What endpoints were sent lately, what became of it, and the way to have it sent again. */
export function WebhookDeliveries({ endpoints, hasAlert }: WebhookDeliveriesProps) {
  const [wanted, setWanted] = useState(allOfThem);
  // What was chosen may have been deleted since.
  const isThere = wanted === ofTheAlert ? hasAlert : endpoints.some(({ id }) => id === wanted);
  const chosen = isThere ? wanted : allOfThem;
  const endpointId = chosen === allOfThem || chosen === ofTheAlert ? null : chosen;
  const { data, error, refetch } = useQuery(WebhookDeliveriesDocument, {
    variables: { endpointId },
    pollInterval: pollMs,
    skipPollAttempt: () => document.hidden,
  });
  const [shown, setShown] = useState<Delivery | null>(null);
  const { resend, sendTest, isSending } = useSending();
  const target = chosen === ofTheAlert ? null : (endpointId ?? endpoints[0]?.id ?? null);
  const rows = data?.webhookDeliveries.filter((one) => chosen !== ofTheAlert || one.endpointId === null);
  const columns: readonly RecordColumn<Delivery>[] = [
    { header: 'Event', card: 'title', cell: ({ title }) => title },
    {
      header: 'Endpoint',
      cell: (delivery) => endpoints.find(({ id }) => id === delivery.endpointId)?.name ?? alertName,
    },
    { header: 'When', cell: ({ at }) => <RelativeTime at={at} format={formatMoment} /> },
    {
      header: 'State',
      card: 'aside',
      cell: ({ state }) => <StatusBadge color={states[state].color}>{states[state].words}</StatusBadge>,
    },
    { header: 'Error', cell: describeFault },
    {
      header: 'Actions',
      align: 'right',
      cell: (delivery) =>
        delivery.body !== '' && (
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            <Button variant="subtle" size="xs" aria-label={`Show ${delivery.title}`} onClick={() => setShown(delivery)}>
              Show
            </Button>
            <BusyButton
              variant="default"
              size="xs"
              aria-label={`Send again: ${delivery.title}`}
              isBusy={isSending}
              onClick={() => void resend(delivery.id)}
            >
              Send again
            </BusyButton>
          </Group>
        ),
    },
  ];
  return (
    <SectionCard
      title="Deliveries"
      description="The last 90 days. For messages about calls, the last hundred of each endpoint."
    >
      <Group align="flex-end" mb="md">
        <NativeSelect
          label="Endpoint"
          value={chosen}
          onChange={({ currentTarget }) => setWanted(currentTarget.value)}
          data={[
            { value: allOfThem, label: 'All' },
            ...(hasAlert ? [{ value: ofTheAlert, label: alertName }] : []),
            ...endpoints.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        {(target !== null || hasAlert) && (
          <LoadingButton
            variant="default"
            h="auto"
            py={7}
            styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere', textAlign: 'start', lineHeight: 1.4 } }}
            loading={isSending}
            onClick={() => void sendTest(target)}
          >
            Send a test to {nameInSentence(endpoints.find(({ id }) => id === target)?.name ?? 'the alert’s webhook')}
          </LoadingButton>
        )}
      </Group>
      {error && !data && <ErrorPanel title="The deliveries could not be loaded" error={error} onRetry={refetch} />}
      {!data && !error && <RecordSkeleton rows={2} />}
      {rows?.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing sent yet. Send a test to see whether your receiver accepts it.
        </Text>
      )}
      {rows && rows.length > 0 && (
        <RecordTable label="Deliveries" columns={columns} rows={rows} keyOf={({ id }) => id} />
      )}
      {shown && <DeliveryBody delivery={shown} onClose={() => setShown(null)} />}
    </SectionCard>
  );
}

function useSending() {
  const refetchQueries = ['WebhookDeliveries'];
  const [resendDelivery, resending] = useMutation(ResendWebhookDeliveryDocument);
  const [testWebhook, testing] = useMutation(SendTestWebhookDocument, { refetchQueries, awaitRefetchQueries: true });
  const tellFailure = useTellFailure();
  const orTell = (work: Promise<unknown>) =>
    work.catch((fault: unknown) => {
      tellFailure(fault, {
        refused: 'Not sent',
        whether: 'whether it was sent',
        remedy: 'Look at the deliveries before you send it again.',
      });
    });
  return {
    resend: (id: string) => orTell(resendDelivery({ variables: { id } })),
    sendTest: (endpointId: string | null) => orTell(testWebhook({ variables: { endpointId } })),
    isSending: resending.loading || testing.loading,
  };
}

/** Why it was not taken, and when it is tried again. */
function describeFault({ fault, attempts, nextAttemptAt }: Delivery): string {
  if (fault == null) return '–';
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  return `${fault} ${times}${nextAttemptAt == null ? '' : `, the next one ${formatAbsoluteTime(nextAttemptAt)}`}`;
}

function DeliveryBody({ delivery: { id, url, body }, onClose }: { delivery: Delivery; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Delivery" size="lg">
      <Stack gap="sm">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          POST {url}
        </Text>
        <Text size="sm" c="dimmed">
          tollgate-notice-id: {id}
        </Text>
        <CodeBlock code={body} what="body" />
      </Stack>
    </Modal>
  );
}
