import { useMutation } from '@apollo/client/react';
import { Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { BusyButton } from '../../components/buttons/busy-button';
import { FormFault } from '../../components/form-fault';
import { ShownOnceModal, useHeldDialog } from '../../components/shown-once-modal';
import { graphql } from '../../gql';
import { failureSentences, useMadeOnce, useShowWhatIs } from '../../lib/forms/lost-answers';
import { useFreshSecrets } from '../../lib/session/fresh-secrets';
import type { ApiKey } from './keys-document';
import { SecretStep, type ShownSecret } from './secret-step';

const RotateApiKeyDocument = graphql(`
  mutation RotateApiKey($id: ID!, $graceSeconds: Int!, $idempotencyKey: String!) {
    rotateApiKey(id: $id, graceSeconds: $graceSeconds, idempotencyKey: $idempotencyKey) {
      apiKey {
        id
        maskedSecret
        graceEndsAt
      }
      secret
    }
  }
`);

const graces = [
  { value: '0', label: 'stops working now' },
  { value: '3600', label: 'works for another hour' },
  { value: '86400', label: 'works for another day' },
  { value: '604800', label: 'works for another week' },
];

const whenUnclear = {
  whether: 'whether the key has a new secret',
  remedy: 'Press “Rotate key” again. You will see the new secret, and it is not rotated a second time.',
};

interface RotateKeyModalProps {
  isOpen: boolean;
  apiKey: ApiKey | null;
  onClose: () => void;
}

/** Gives a key a new secret; the old one works on for a while, so that no program has to stop. */
export default function RotateKeyModal({ isOpen, apiKey, onClose }: RotateKeyModalProps) {
  // Its answer may come while the dialog already stands there for another key.
  const [shown, setShown] = useState<ShownSecret | null>(null);
  const isShowingSecret = shown !== null;
  return (
    <ShownOnceModal
      opened={isOpen}
      onExitTransitionEnd={() => setShown(null)}
      onClose={onClose}
      title={isShowingSecret ? 'Save your key now' : 'Rotate this key?'}
      size="lg"
    >
      {isShowingSecret ? (
        <SecretStep {...shown} onSaved={onClose} />
      ) : (
        apiKey !== null && <Question key={apiKey.id} apiKey={apiKey} onRotated={setShown} onClose={onClose} />
      )}
    </ShownOnceModal>
  );
}

interface QuestionProps {
  apiKey: ApiKey;
  onRotated: (secret: ShownSecret) => void;
  onClose: () => void;
}

function Question({ apiKey, onRotated, onClose }: QuestionProps) {
  const [rotateKey, { loading }] = useMutation(RotateApiKeyDocument);
  useHeldDialog({ isHeld: loading });
  const { rememberSecret } = useFreshSecrets();
  const makeOnce = useMadeOnce();
  const showWhatIs = useShowWhatIs();
  const [grace, setGrace] = useState('86400');
  const [fault, setFault] = useState<string | null>(null);

  async function rotate() {
    setFault(null);
    try {
      const rotation = { id: apiKey.id, graceSeconds: Number(grace) };
      const { data } = await makeOnce(rotation, (idempotencyKey) =>
        rotateKey({ variables: { ...rotation, idempotencyKey } }),
      );
      if (!data) return;
      rememberSecret(apiKey.id, data.rotateApiKey.secret);
      onRotated({ keyName: apiKey.name, secret: data.rotateApiKey.secret });
    } catch (error) {
      setFault(failureSentences(error, whenUnclear));
      showWhatIs(error);
    }
  }

  return (
    <Stack gap="md">
      <Text>
        <strong>{apiKey.name}</strong> gets a new secret and keeps its id, its permissions and its history.{' '}
        {grace === '0'
          ? 'Calls with the old secret are refused at once, until your programs have the new one.'
          : 'Put the new one into your programs while the old one still works.'}
      </Text>
      <Select
        label="The old secret"
        description="If it has leaked, choose “stops working now”."
        data={graces}
        value={grace}
        allowDeselect={false}
        onChange={(value) => setGrace(value ?? '86400')}
      />
      <FormFault fault={fault} />
      <Group justify="flex-end">
        <BusyButton variant="default" isBusy={loading} onClick={onClose}>
          Cancel
        </BusyButton>
        <BusyButton onClick={() => void rotate()} isBusy={loading}>
          {loading ? 'Rotating …' : 'Rotate key'}
        </BusyButton>
      </Group>
    </Stack>
  );
}
