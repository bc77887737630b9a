import { useQuery } from '@apollo/client/react';
import { Anchor, Button, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { IconWebhook } from '../../components/icons';
import { SectionCard } from '../../components/section-card';
import { EndpointCard } from './endpoint-card';
import { EndpointForm } from './endpoint-form';
import { WebhookDeliveries } from './webhook-deliveries';
import { type Endpoint, endpointsMax, WebhookEndpointsDocument } from './webhooks-document';

/** Where events are posted, what each endpoint is told, and what became of the messages. */
export function WebhooksPage() {
  const { data, error, refetch } = useQuery(WebhookEndpointsDocument);
  const [shown, setShown] = useState<Endpoint | 'new' | null>(null);
  if (!data)
    return error ? (
      <ErrorPanel title="The endpoints could not be loaded" error={error} onRetry={refetch} />
    ) : (
      <Skeleton height={280} radius="lg" />
    );
  const { webhookEndpoints: endpoints, balanceAlert } = data;
  const isEmpty = endpoints.length === 0;
  const alertUrl = balanceAlert.webhookUrl ?? null;
  const create = (
    <Button disabled={endpoints.length >= endpointsMax} onClick={() => setShown('new')}>
      New endpoint
    </Button>
  );
  return (
    <Stack gap="lg">
      {isEmpty ? (
        <SectionCard title="Endpoints">
          <EmptyState icon={<IconWebhook size={24} />} title="No endpoint yet" action={create}>
            An endpoint receives signed messages about the events you choose: balance, budgets, spikes, calls.
          </EmptyState>
        </SectionCard>
      ) : (
        endpoints.map((endpoint) => (
          <EndpointCard key={endpoint.id} endpoint={endpoint} onChange={() => setShown(endpoint)} />
        ))
      )}
      {!isEmpty && <div>{create}</div>}
      {alertUrl !== null && <AlertWebhook url={alertUrl} isUseTold={balanceAlert.use} />}
      {(!isEmpty || alertUrl !== null) && <WebhookDeliveries endpoints={endpoints} hasAlert={alertUrl !== null} />}
      {shown !== null && <EndpointForm endpoint={shown === 'new' ? null : shown} onClose={() => setShown(null)} />}
    </Stack>
  );
}

function AlertWebhook({ url, isUseTold }: { url: string; isUseTold: boolean }) {
  return (
    <SectionCard
      title="Webhook of the low-balance alert"
      description={<span style={{ overflowWrap: 'anywhere' }}>{url}</span>}
    >
      <Text size="sm">
        {isUseTold ? 'Low balance, shares of the balance, budgets and spikes' : 'Low balance'}; set on the page{' '}
        <Anchor component={Link} to={paths.credits()} inherit underline="always">
          Credits
        </Anchor>
        .
      </Text>
    </SectionCard>
  );
}
