import { useMutation } from '@apollo/client/react';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { LoadingButton } from '../../components/buttons/loading-button';
import { CodeBlock } from '../../components/code-block';
import { SectionCard } from '../../components/section-card';
import { StatusBadge } from '../../components/status-badge';
import { graphql } from '../../gql';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { useTellFailure } from '../../lib/forms/lost-answers';
import { type Endpoint, eventWords, WebhookEndpointsDocument } from './webhooks-document';

const RotateWebhookSecretDocument = graphql(`
  mutation RotateWebhookSecret($id: ID!) {
    rotateWebhookSecret(id: $id) {
      id
      secret
    }
  }
`);

const DeleteWebhookEndpointDocument = graphql(`
  mutation DeleteWebhookEndpoint($id: ID!) {
    deleteWebhookEndpoint(id: $id)
  }
`);

type Asked = 'rotate' | 'delete';

/** One endpoint: where it is, what it is told, its secret, and what can be done with it. */
export function EndpointCard({ endpoint, onChange }: { endpoint: Endpoint; onChange: () => void }) {
  const [isSecretShown, setSecretShown] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const { name, url, events, isOn, secret } = endpoint;
  return (
    <SectionCard
      title={name}
      description={<span style={{ overflowWrap: 'anywhere' }}>{url}</span>}
      action={<StatusBadge color={isOn ? 'pine' : 'gray'}>{isOn ? 'On' : 'Off'}</StatusBadge>}
    >
      <Stack gap="sm">
        <Text size="sm">{events.map((event) => eventWords[event].label).join(', ')}</Text>
        {isSecretShown && secret != null && <CodeBlock code={secret} what={`secret of ${name}`} />}
        <Group gap="xs">
          {secret != null && (
            <Button variant="default" size="xs" onClick={() => setSecretShown(!isSecretShown)}>
              {isSecretShown ? 'Hide secret' : 'Show secret'}
            </Button>
          )}
          <Button variant="default" size="xs" aria-label={`Change ${name}`} onClick={onChange}>
            Change
          </Button>
          <Button variant="default" size="xs" aria-label={`New secret for ${name}`} onClick={() => setAsked('rotate')}>
            New secret
          </Button>
          <Button variant="default" size="xs" aria-label={`Delete ${name}`} onClick={() => setAsked('delete')}>
            Delete
          </Button>
        </Group>
      </Stack>
      {asked !== null && <Question endpoint={endpoint} asked={asked} onClose={() => setAsked(null)} />}
    </SectionCard>
  );
}

const questions: Readonly<Record<Asked, { readonly title: string; readonly words: string; readonly button: string }>> =
  {
    rotate: {
      title: 'Create a new secret?',
      words: 'New messages are signed with the new secret at once. Update your receiver right away.',
      button: 'Create a new secret',
    },
    delete: {
      title: 'Delete this endpoint?',
      words: 'It gets no more messages, and its delivery history is deleted. This cannot be undone.',
      button: 'Delete endpoint',
    },
  };

const done: Readonly<Record<Asked, { readonly title: string; readonly words: string }>> = {
  rotate: { title: 'New secret made', words: 'signs with it from now on.' },
  delete: { title: 'Endpoint deleted', words: 'gets no more messages.' },
};

const whenUnclear: Readonly<Record<Asked, { readonly whether: string; readonly remedy: string }>> = {
  rotate: {
    whether: 'whether there is a new secret',
    remedy: 'Reload this page and compare the secret with the one in your receiver.',
  },
  delete: {
    whether: 'whether the endpoint was deleted',
    remedy: 'Reload this page to see the endpoints that are left.',
  },
};

function Question({ endpoint, asked, onClose }: { endpoint: Endpoint; asked: Asked; onClose: () => void }) {
  const { id, name } = endpoint;
  const { title, words, button } = questions[asked];
  const tellFailure = useTellFailure();
  const [rotate, rotating] = useMutation(RotateWebhookSecretDocument);
  const [remove, removing] = useMutation(DeleteWebhookEndpointDocument, {
    refetchQueries: [WebhookEndpointsDocument, 'WebhookDeliveries'],
    awaitRefetchQueries: true,
  });
  async function act() {
    try {
      await (asked === 'rotate' ? rotate({ variables: { id } }) : remove({ variables: { id } }));
      notifications.show({ title: done[asked].title, message: `${nameInSentence(name)} ${done[asked].words}` });
      onClose();
    } catch (error) {
      tellFailure(error, { refused: 'Nothing has changed', ...whenUnclear[asked] });
    }
  }
  return (
    <Modal opened onClose={onClose} title={title}>
      <Stack gap="md">
        <Text>
          <strong>{name}</strong>: {words}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <LoadingButton color="red.8" loading={rotating.loading || removing.loading} onClick={() => void act()}>
            {button}
          </LoadingButton>
        </Group>
      </Stack>
    </Modal>
  );
}
