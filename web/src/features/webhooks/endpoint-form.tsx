import { useMutation } from '@apollo/client/react';
import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { LoadingButton } from '../../components/buttons/loading-button';
import { FormFault } from '../../components/form-fault';
import { KeptNote } from '../../components/forms/kept-note';
import { graphql } from '../../gql';
import type { WebhookEvent } from '../../gql/graphql';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { changedFields } from '../../lib/forms/changed-fields';
import { failureSentences, useMadeOnce } from '../../lib/forms/lost-answers';
import { useKeptForm } from '../../lib/forms/use-kept-form';
import { graphqlErrorField } from '../../lib/graphql-error-message';
import { type Endpoint, eventWords, WebhookEndpointsDocument } from './webhooks-document';

const CreateWebhookEndpointDocument = graphql(`
  mutation CreateWebhookEndpoint($input: WebhookEndpointInput!, $idempotencyKey: String!) {
    createWebhookEndpoint(input: $input, idempotencyKey: $idempotencyKey) {
      id
    }
  }
`);

const UpdateWebhookEndpointDocument = graphql(`
  mutation UpdateWebhookEndpoint($id: ID!, $input: WebhookEndpointInput!) {
    updateWebhookEndpoint(id: $id, input: $input) {
      id
      name
      url
      events
      isOn
    }
  }
`);

const fields = ['name', 'url', 'events'] as const;
const usualEvents: WebhookEvent[] = ['BALANCE_LOW', 'BUDGET_USED', 'CALL_FAILED'];

const whenUnclear = {
  whether: 'whether the endpoint was saved',
  remedy: 'Press the button again. It is not created twice.',
};

interface EndpointValues {
  name: string;
  url: string;
  events: WebhookEvent[];
  isOn: boolean;
}

interface EndpointFormProps {
  /** null: a new one. */
  endpoint: Endpoint | null;
  onClose: () => void;
}

/** A new endpoint, or another address, name or choice of events for one. */
export function EndpointForm({ endpoint, onClose }: EndpointFormProps) {
  const [fault, setFault] = useState<string | null>(null);
  // The page may read the endpoint again meanwhile; what was shown first stays.
  const [shown] = useState(() => toValues(endpoint));
  const { save, isSaving } = useSave(endpoint, shown);
  const kept = useKeptForm(`webhook ${endpoint?.id ?? ''}`, shown);
  const form = useForm<EndpointValues>({
    mode: 'uncontrolled',
    initialValues: kept.start,
    onValuesChange: kept.keep,
  });

  function discard() {
    form.setValues(shown);
    kept.forget();
  }

  function cancel() {
    kept.forget();
    onClose();
  }

  async function submit(values: EndpointValues) {
    setFault(null);
    kept.send();
    try {
      const isSent = await save(values);
      if (isSent) {
        const message = `Your changes to ${nameInSentence(values.name.trim())} are saved.`;
        notifications.show({ title: 'Saved', message });
      }
      onClose();
    } catch (error) {
      kept.fail(error);
      const field = graphqlErrorField(error, fields);
      const words = failureSentences(error, whenUnclear);
      if (field === null) setFault(words);
      else {
        form.setFieldError(field, words);
        // The button that was pressed took no focus while it was busy.
        form.getInputNode(field)?.focus();
      }
    }
  }

  return (
    <Modal opened onClose={cancel} closeOnClickOutside={false} title={titleOf(endpoint)} size="lg">
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="md">
          <FormFault fault={fault} />
          <KeptNote isShown={kept.isRestored} onDiscard={discard} />
          <TextInput
            name="endpoint-name"
            label="Name"
            maxLength={60}
            data-autofocus
            key={form.key('name')}
            {...form.getInputProps('name')}
          />
          <TextInput
            name="endpoint-address"
            label="URL"
            description="https on the public internet."
            placeholder="https://example.com/hooks/tollgate"
            type="url"
            key={form.key('url')}
            {...form.getInputProps('url')}
          />
          <Checkbox.Group
            label="Events"
            description="Calls are sent in batches, about every ten seconds, without prompts or answers."
            key={form.key('events')}
            {...form.getInputProps('events')}
          >
            <Stack gap="xs" mt="xs">
              {Object.entries(eventWords).map(([event, { label, type }]) => (
                <Checkbox key={event} value={event} label={label} description={type} />
              ))}
            </Stack>
          </Checkbox.Group>
          {endpoint !== null && (
            <Checkbox
              label="On"
              description="An endpoint that is off gets no messages."
              key={form.key('isOn')}
              {...form.getInputProps('isOn', { type: 'checkbox' })}
            />
          )}
          <Text size="sm" c="dimmed">
            Each message carries tollgate-signature: t=seconds,v1=HMAC-SHA256 of “t.body” by the endpoint’s own secret.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
            <LoadingButton type="submit" loading={isSaving}>
              {endpoint === null ? 'Create endpoint' : 'Save changes'}
            </LoadingButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function titleOf(endpoint: Endpoint | null): string {
  return endpoint === null ? 'New endpoint' : 'Change the endpoint';
}

function toValues(endpoint: Endpoint | null): EndpointValues {
  const { name, url, events, isOn } = endpoint ?? { name: '', url: '', events: usualEvents, isOn: true };
  return { name, url, events: [...events], isOn };
}

/** Sends a new endpoint whole, and of another what was changed. `save` answers whether there was anything to send. */
function useSave(endpoint: Endpoint | null, shown: EndpointValues) {
  const refetch = { refetchQueries: [WebhookEndpointsDocument], awaitRefetchQueries: true };
  const [create, creating] = useMutation(CreateWebhookEndpointDocument, refetch);
  const makeOnce = useMadeOnce();
  const [update, updating] = useMutation(UpdateWebhookEndpointDocument);
  return {
    save: async (values: EndpointValues): Promise<boolean> => {
      const trimmed = { ...values, url: values.url.trim() };
      if (endpoint === null) {
        await makeOnce(trimmed, (idempotencyKey) => create({ variables: { input: trimmed, idempotencyKey } }));
        return true;
      }
      const input = changedFields(shown, trimmed);
      if (Object.keys(input).length === 0) return false;
      await update({ variables: { id: endpoint.id, input } });
      return true;
    },
    isSaving: creating.loading || updating.loading,
  };
}
