import { useMutation } from '@apollo/client/react';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { BusyButton } from '../../components/buttons/busy-button';
import { FormFault } from '../../components/form-fault';
import { graphql } from '../../gql';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { failureSentences, pressAgain, useShowWhatIs } from '../../lib/forms/lost-answers';

const RevokeApiKeyDocument = graphql(`
  mutation RevokeApiKey($id: ID!) {
    revokeApiKey(id: $id) {
      id
      revokedAt
    }
  }
`);

interface ApiKey {
  id: string;
  name: string;
  maskedSecret: string;
}

interface RevokeKeyModalProps {
  isOpen: boolean;
  /** The key to ask about. */
  apiKey: ApiKey | null;
  onClose: () => void;
}

/** Asks before a key stops working for ever. */
export default function RevokeKeyModal({ isOpen, apiKey, onClose }: RevokeKeyModalProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Revoke this key?">
      {apiKey !== null && <Question key={apiKey.id} apiKey={apiKey} onClose={onClose} />}
    </Modal>
  );
}

function Question({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [revokeKey, { loading }] = useMutation(RevokeApiKeyDocument);
  const showWhatIs = useShowWhatIs();
  const [fault, setFault] = useState<string | null>(null);

  async function revoke() {
    setFault(null);
    try {
      await revokeKey({ variables: { id: apiKey.id } });
      notifications.show({
        title: 'Key revoked',
        message: `${nameInSentence(apiKey.name)} no longer works. You can create a new key.`,
      });
      onClose();
    } catch (error) {
      setFault(failureSentences(error, { whether: 'whether the key was revoked', remedy: pressAgain }));
      showWhatIs(error);
    }
  }

  return (
    <Stack gap="md">
      <Text>
        <strong>{apiKey.name}</strong> (<code>{apiKey.maskedSecret}</code>) stops working immediately, everywhere. This
        cannot be undone.
      </Text>
      <FormFault fault={fault} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <BusyButton color="red.8" onClick={() => void revoke()} isBusy={loading}>
          {loading ? 'Revoking …' : 'Revoke key'}
        </BusyButton>
      </Group>
    </Stack>
  );
}
