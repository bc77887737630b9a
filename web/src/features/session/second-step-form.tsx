import { useApolloClient, useMutation } from '@apollo/client/react';
import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { BusyButton } from '../../components/buttons/busy-button';
import { FormFault } from '../../components/form-fault';
import { graphql } from '../../gql';
import { failureSentences } from '../../lib/forms/lost-answers';
import {
  graphqlErrorCode,
  graphqlErrorField,
  graphqlErrorMessage,
  graphqlErrorReason,
  graphqlErrorSentence,
  isRefusal,
} from '../../lib/graphql-error-message';
import { askViewer } from '../../lib/session/ask-viewer';
import { type Credentials, SignInDocument } from './sign-in-document';
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

const whenUnclear = {
  whether: 'whether you were signed in',
  remedy: 'Enter the next code and press “Sign in”. The last one may have been used.',
};

interface SecondStepFormProps {
  /** Kept for as long as this form is shown, since a second step that is over wants another first one; null: another provider's. */
  begunBy: Credentials | null;
  onBack: () => void;
}

/** The second half of a sign-in whose first one was right. */
export function SecondStepForm({ begunBy, onBack }: SecondStepFormProps) {
  const finish = useFinish(begunBy);
  const client = useApolloClient();
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
      await finish(input);
      await enterSession();
    } catch (error) {
      if (await isIn(error)) return enterSession();
      if (graphqlErrorField(error, ['code']) !== null) form.setFieldError('code', graphqlErrorMessage(error));
      else setFault(isRefusal(error) ? graphqlErrorSentence(error) : failureSentences(error, whenUnclear));
      setIsBusy(false);
    }
  }

  /** Whether a try without a clear answer has begun a session. */
  async function isIn(error: unknown) {
    return !isRefusal(error) && Boolean((await askViewer(client))?.accountId);
  }

  return (
    <form onSubmit={form.onSubmit(submit)} noValidate aria-label="Second step">
      <Stack gap="md">
        <FormFault fault={fault} />
        <Text size="sm">Your account is protected by a second factor.</Text>
        <TextInput
          name="one-time-code"
          label="Code"
          description="From your authenticator app, or one of your recovery codes."
          autoComplete="one-time-code"
          required
          // The field is what the step is about, and the form that had the focus is gone.
          autoFocus
          key={form.key('code')}
          {...form.getInputProps('code')}
        />
        <BusyButton type="submit" size="md" isBusy={isBusy}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </BusyButton>
        <LostFactors onFault={setFault} />
        <Button variant="subtle" onClick={onBack}>
          Start again
        </Button>
      </Stack>
    </form>
  );
}

/**
 * Finishes the sign-in. A second step that is over, since a try whose answer was lost has finished it or it took too long, is begun
 * anew once, by what the first one was begun by: each code is taken once all the same.
 */
function useFinish(begunBy: Credentials | null): (input: { code: string }) => Promise<unknown> {
  const [finishSignIn] = useMutation(FinishSignInDocument);
  const [signIn] = useMutation(SignInDocument);
  return async (input) => {
    try {
      return await finishSignIn({ variables: { input } });
    } catch (error) {
      if (begunBy === null || graphqlErrorCode(error) !== 'UNAUTHENTICATED') throw error;
      try {
        // The account may ask for no second step any more.
        return await signIn({ variables: { input: begunBy } });
      } catch (refusal) {
        if (graphqlErrorReason(refusal) !== 'second_factor_required') throw error;
      }
      return await finishSignIn({ variables: { input } });
    }
  };
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

  if (data)
    return (
      <Alert color="pine" role="status">
        A link is on its way to your verified address. Open it within 24 hours.
      </Alert>
    );
  return (
    <BusyButton variant="subtle" isBusy={loading} onClick={() => void askForMail()}>
      I lost my app and codes
    </BusyButton>
  );
}
