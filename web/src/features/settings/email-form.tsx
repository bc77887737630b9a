import { useMutation, useQuery } from '@apollo/client/react';
import { Alert, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { BusyButton } from '../../components/buttons/busy-button';
import { LoadingButton } from '../../components/buttons/loading-button';
import { ErrorPanel } from '../../components/error-panel';
import { FormFault } from '../../components/form-fault';
import { LinkByOperator } from '../../components/link-by-operator';
import { RelativeTime } from '../../components/relative-time';
import { graphql } from '../../gql';
import { failureSentences, useTellFailure } from '../../lib/forms/lost-answers';
import { graphqlErrorField } from '../../lib/graphql-error-message';
import { useWhenSeenAgain } from '../../lib/session/use-when-seen-again';
import { emailFault } from '../../lib/session/validate-credentials';

const ChangeEmailDocument = graphql(`
  mutation ChangeEmail($input: ChangeEmailInput!) {
    changeEmail(input: $input)
  }
`);

const PendingEmailDocument = graphql(`
  query PendingEmail {
    pendingEmailChange {
      email
      askedAt
    }
  }
`);

const CancelEmailChangeDocument = graphql(`
  mutation CancelEmailChange {
    cancelEmailChange
  }
`);

const whenUnclear = { whether: 'whether you have asked for it', remedy: 'Press again. Only the newest link works.' };

/** Asks for another address. It changes once somebody who reads mail there confirms it. */
export function EmailForm({ isMailSent }: { isMailSent: boolean }) {
  const [changeEmail, { loading }] = useMutation(ChangeEmailDocument, { refetchQueries: ['PendingEmail'] });
  const [fault, setFault] = useState<string | null>(null);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { newEmail: '', password: '' },
    validate: { newEmail: emailFault, password: (password) => (password ? null : 'Enter your password.') },
  });

  async function submit({ newEmail, password }: { newEmail: string; password: string }) {
    setFault(null);
    try {
      await changeEmail({ variables: { input: { newEmail: newEmail.trim(), password } } });
      form.reset();
    } catch (error) {
      const field = graphqlErrorField(error, ['newEmail', 'password']);
      const words = failureSentences(error, whenUnclear);
      if (field === null) setFault(words);
      else form.setFieldError(field, words);
    }
  }

  return (
    <form onSubmit={form.onSubmit(submit)} noValidate aria-label="E-mail address">
      <Stack gap="md" maw={420}>
        <FormFault fault={fault} />
        <PendingEmail isMailSent={isMailSent} />
        <TextInput
          name="email"
          label="New e-mail address"
          type="email"
          autoComplete="email"
          required
          key={form.key('newEmail')}
          {...form.getInputProps('newEmail')}
        />
        <PasswordInput
          name="current-password"
          label="Password of your account"
          autoComplete="current-password"
          required
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <div>
          <BusyButton type="submit" variant="default" isBusy={loading}>
            {loading ? 'Asking …' : 'Change address'}
          </BusyButton>
        </div>
      </Stack>
    </form>
  );
}

/** The address that waits to be confirmed, if any, and the way to give it up: whoever knows the password may have asked for it. */
function PendingEmail({ isMailSent }: { isMailSent: boolean }) {
  const { data, error: readError, refetch } = useQuery(PendingEmailDocument);
  const tellFailure = useTellFailure();
  const [cancelChange, { loading }] = useMutation(CancelEmailChangeDocument, { refetchQueries: ['PendingEmail'] });
  useWhenSeenAgain(refetch);
  const pending = data?.pendingEmailChange;
  if (readError && !data) {
    return <ErrorPanel title="A pending change of address could not be loaded" error={readError} onRetry={refetch} />;
  }
  if (!pending) return null;

  async function cancel() {
    try {
      await cancelChange();
      notifications.show({ title: 'Change cancelled', message: 'Your address stays as it is.' });
    } catch (error) {
      tellFailure(error, { refused: 'The change was not cancelled', whether: 'whether the change is cancelled' });
    }
  }

  const { email, askedAt } = pending;
  return (
    <Alert color="pine" title="Confirm it at the new address" role="status">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          A change to {email} was requested <RelativeTime at={askedAt} />.{' '}
          {isMailSent ? (
            'Unless it already has an account, we have sent it a link that works for 24 hours. If it was not you, cancel the change and change your password.'
          ) : (
            <LinkByOperator command="email-change-link" email={email} />
          )}
        </Text>
        <LoadingButton size="xs" variant="default" loading={loading} onClick={() => void cancel()}>
          Cancel the change
        </LoadingButton>
      </Stack>
    </Alert>
  );
}
