import { useMutation } from '@apollo/client/react';
import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { proxyBaseUrl } from '../../app/paths';
import { CodeBlock } from '../../components/code-block';
import { FormFault } from '../../components/form-fault';
import { graphql } from '../../gql';
import { useFreshSecrets } from '../../lib/fresh-secrets';
import { graphqlErrorField, graphqlErrorMessage } from '../../lib/graphql-error-message';
import { environmentSnippet } from '../../lib/quickstart-snippets';
import { nameFault } from '../../lib/validate-credentials';

const CreateApiKeyDocument = graphql(`
  mutation CreateApiKey($input: ApiKeyInput!) {
    createApiKey(input: $input) {
      apiKey {
        id
      }
      secret
    }
  }
`);

/** Asks for a name, makes the key, and shows its secret until the user says that it is saved. */
export default function CreateKeyModal({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null);

  const isShowingSecret = secret !== null;
  return (
    <Modal
      opened={isOpen}
      onExitTransitionEnd={() => setSecret(null)}
      onClose={onClose}
      title={isShowingSecret ? 'Save your key now' : 'Create a key'}
      size="lg"
      // The secret cannot be shown again, so a stray click or Escape must not lose it.
      closeOnClickOutside={!isShowingSecret}
      closeOnEscape={!isShowingSecret}
      withCloseButton={!isShowingSecret}
    >
      {isShowingSecret ? (
        <SecretStep secret={secret} onSaved={onClose} />
      ) : (
        <NameStep onCreated={setSecret} onCancel={onClose} />
      )}
    </Modal>
  );
}

function NameStep({ onCreated, onCancel }: { onCreated: (secret: string) => void; onCancel: () => void }) {
  const [createKey, { loading }] = useMutation(CreateApiKeyDocument, {
    refetchQueries: ['ApiKeys'],
    awaitRefetchQueries: true,
  });
  const { rememberSecret } = useFreshSecrets();
  const [fault, setFault] = useState<string | null>(null);
  const form = useForm({ mode: 'uncontrolled', initialValues: { name: '' }, validate: { name: nameFault } });

  async function submit({ name }: { name: string }) {
    setFault(null);
    try {
      const { data } = await createKey({ variables: { input: { name: name.trim() } } });
      if (!data) return;
      rememberSecret(data.createApiKey.apiKey.id, data.createApiKey.secret);
      onCreated(data.createApiKey.secret);
    } catch (error) {
      if (graphqlErrorField(error, ['name'])) form.setFieldError('name', graphqlErrorMessage(error));
      else setFault(graphqlErrorMessage(error));
    }
  }

  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <FormFault fault={fault} />
        <TextInput
          label="Name"
          description="So that you know it again, such as the program that uses it."
          placeholder="Laptop"
          required
          data-autofocus
          key={form.key('name')}
          {...form.getInputProps('name')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" disabled={loading}>
            {loading ? 'Creating …' : 'Create key'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function SecretStep({ secret, onSaved }: { secret: string; onSaved: () => void }) {
  return (
    <Stack gap="md">
      <Alert color="amber" title="This is the only time your key is shown">
        We keep only a fingerprint of it. If you lose it, revoke it and make a new one.
      </Alert>
      <div>
        <Text fw={600} size="sm" mb={4}>
          Key
        </Text>
        <CodeBlock code={secret} what="your key" />
      </div>
      <div>
        <Text fw={600} size="sm" mb={4}>
          For a .env file
        </Text>
        <CodeBlock code={environmentSnippet(proxyBaseUrl(), secret)} what=".env snippet" />
      </div>
      <Button onClick={onSaved}>I have saved it</Button>
    </Stack>
  );
}
