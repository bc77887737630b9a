import { useMutation } from '@apollo/client/react';
import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { BusyButton } from '../../components/buttons/busy-button';
import { graphql } from '../../gql';
import { graphqlErrorMessage } from '../../lib/graphql-error-message';
import type { ProofWanted } from '../../lib/session/fresh-proof';
import { canUsePasskeys, passkeyFault, signWithPasskey } from '../../lib/session/passkeys';

const ProveFactorDocument = graphql(`
  mutation ProveFactor($input: ProveFactorInput!) {
    proveFactor(input: $input)
  }
`);

const StartPasskeyProofDocument = graphql(`
  mutation StartPasskeyProof {
    startPasskeyProof
  }
`);

const ProvePasskeyDocument = graphql(`
  mutation ProvePasskey($input: ProvePasskeyInput!) {
    provePasskey(input: $input)
  }
`);

interface FreshProofDialogProps {
  wanted: ProofWanted;
  onAnswer: (isProved: boolean) => void;
}

/** One question: is it still you? */
export default function FreshProofDialog({ wanted, onAnswer }: FreshProofDialogProps) {
  return (
    <Modal opened onClose={() => onAnswer(false)} title="Confirm it is you" zIndex={400}>
      {/* A password that was being typed must not appear as a code. */}
      <ProofForm key={wanted} wanted={wanted} onAnswer={onAnswer} />
    </Modal>
  );
}

function ProofForm({ wanted, onAnswer }: FreshProofDialogProps) {
  const [prove, { loading }] = useMutation(ProveFactorDocument);
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const isCode = wanted === 'factor';

  async function submit(event: FormEvent) {
    event.preventDefault();
    // A dialog inside a form of the page must not send that form.
    event.stopPropagation();
    setFault(null);
    try {
      await prove({ variables: { input: isCode ? { code: text } : { password: text } } });
      onAnswer(true);
    } catch (error) {
      setFault(graphqlErrorMessage(error));
    }
  }

  const field = { required: true, 'data-autofocus': true, value: text, error: fault } as const;
  return (
    <form onSubmit={(event) => void submit(event)} aria-label="Confirm it is you">
      <Stack gap="md">
        <Text size="sm">Confirm your identity to continue. You will not be asked again for ten minutes.</Text>
        {isCode ? (
          <TextInput
            name="one-time-code"
            {...field}
            label="Code"
            description="From your authenticator app, or a recovery code."
            autoComplete="one-time-code"
            onChange={(event) => setText(event.currentTarget.value)}
          />
        ) : (
          <PasswordInput
            name="current-password"
            {...field}
            label="Your password"
            autoComplete="current-password"
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        <Group justify="flex-end">
          {isCode && canUsePasskeys() && <PasskeyProof onProved={() => onAnswer(true)} onFault={setFault} />}
          <Button variant="default" onClick={() => onAnswer(false)}>
            Cancel
          </Button>
          <BusyButton type="submit" isBusy={loading} disabled={text === ''}>
            {loading ? 'Checking …' : 'Go on'}
          </BusyButton>
        </Group>
      </Stack>
    </form>
  );
}

function PasskeyProof({ onProved, onFault }: { onProved: () => void; onFault: (fault: string | null) => void }) {
  const [start] = useMutation(StartPasskeyProofDocument);
  const [prove] = useMutation(ProvePasskeyDocument);
  const [isBusy, setIsBusy] = useState(false);

  async function proveByPasskey() {
    onFault(null);
    setIsBusy(true);
    try {
      const { data } = await start();
      const response = await signWithPasskey(data?.startPasskeyProof ?? '');
      await prove({ variables: { input: { response } } });
      onProved();
    } catch (error) {
      onFault(passkeyFault(error));
      setIsBusy(false);
    }
  }

  return (
    <BusyButton variant="default" isBusy={isBusy} onClick={() => void proveByPasskey()}>
      Use a passkey
    </BusyButton>
  );
}
