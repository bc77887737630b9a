import { useMutation } from '@apollo/client/react';
import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { FormFault } from '../../components/form-fault';
import { graphql } from '../../gql';
import { graphqlErrorField, graphqlErrorMessage, graphqlErrorSentence } from '../../lib/graphql-error-message';
import { useEnterSession } from './use-enter-session';

const FinishSignInDocument = graphql(`
  mutation FinishSignIn($input: FinishSignInInput!) {
    finishSignIn(input: $input) {
      account {
        id
      }
    }
  }
`);

const RequestFactorRecoveryDocument = graphql(`
  mutation RequestFactorRecovery {
    requestFactorRecovery
  }
`);

/** The second half of a sign-in whose first one was right. */
export function SecondStepForm({ onBack }: { onBack: () => void }) {
  const [finishSignIn] = useMutation(FinishSignInDocument);
  const enterSession = useEnterSession();
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { code: '' },
    validate: { code: (code) => (code.trim() === '' ? 'Enter a code.' : null) },
  });

  async function submit(input: { code: string }) {
    setFault(null);
    setIsBusy(true);
    try {
      await finishSignIn({ variables: { input } });
      await enterSession();
    } catch (error) {
      if (graphqlErrorField(error, ['code']) !== null) form.setFieldError('code', graphqlErrorMessage(error));
      else setFault(graphqlErrorSentence(error));
      setIsBusy(false);
    }
  }

  return (
    <form onSubmit={form.onSubmit(submit)} noValidate aria-label="Second step">
      <Stack gap="md">
        <FormFault fault={fault} />
        <Text size="sm">Your account asks for a second factor.</Text>
        <TextInput
          name="one-time-code"
          label="Code"
          description="Of your authenticator app, or one of your recovery codes."
          autoComplete="one-time-code"
          required
          // The field is what the step is about, and the form that had the focus is gone.
          autoFocus
          key={form.key('code')}
          {...form.getInputProps('code')}
        />
        <Button type="submit" size="md" disabled={isBusy}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </Button>
        <LostFactors onFault={setFault} />
        <Button variant="subtle" onClick={onBack}>
          Begin again
        </Button>
      </Stack>
    </form>
  );
}

function LostFactors({ onFault }: { onFault: (fault: string | null) => void }) {
  const [request, { loading, data }] = useMutation(RequestFactorRecoveryDocument);

  async function askForMail() {
    onFault(null);
    try {
      await request();
    } catch (error) {
      onFault(graphqlErrorSentence(error));
    }
  }

  if (data) return <Alert color="pine">A link is on its way to your verified address. Open it within 24 hours.</Alert>;
  return (
    <Button variant="subtle" disabled={loading} onClick={() => void askForMail()}>
      I have lost app and codes
    </Button>
  );
}
