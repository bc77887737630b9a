import { useMutation } from '@apollo/client/react';
import { Alert, Anchor, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { BusyButton } from '../../components/buttons/busy-button';
import { FormFault } from '../../components/form-fault';
import { MailboxLink } from '../../components/link-by-operator';
import { graphql } from '../../gql';
import { graphqlErrorField, graphqlErrorMessage } from '../../lib/graphql-error-message';
import { useMailbox } from '../../lib/session/mails';
import { emailFault } from '../../lib/session/validate-credentials';

const RequestPasswordResetDocument = graphql(`
  mutation RequestPasswordReset($input: RequestPasswordResetInput!) {
    requestPasswordReset(input: $input)
  }
`);

/** Asks for the mail by which a forgotten password is replaced. The answer is the same for every address. */
export function ForgotPasswordForm() {
  const [requestReset, { loading, data }] = useMutation(RequestPasswordResetDocument);
  const [fault, setFault] = useState<string | null>(null);
  const mailbox = useMailbox();
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '' }, validate: { email: emailFault } });

  async function submit({ email }: { email: string }) {
    setFault(null);
    try {
      await requestReset({ variables: { input: { email: email.trim() } } });
    } catch (error) {
      const field = graphqlErrorField(error, ['email']);
      if (field === null) setFault(graphqlErrorMessage(error));
      else form.setFieldError(field, graphqlErrorMessage(error));
    }
  }

  return (
    <form onSubmit={form.onSubmit(submit)} noValidate aria-label="Forgot your password?">
      <Stack gap="md">
        <FormFault fault={fault} />
        {data?.requestPasswordReset && fault === null && (
          <Alert color="pine" title="Check your inbox" role="status">
            If an account has this address, we have sent it a link. It works for 30 minutes.{' '}
            {mailbox === null ? (
              'If it does not arrive, check your spam folder, or ask the operator of this server for a link.'
            ) : (
              <MailboxLink path={mailbox} />
            )}
          </Alert>
        )}
        <TextInput
          name="email"
          label="E-mail"
          description="The address that you sign in with. We will e-mail you a link to choose a new password."
          type="email"
          autoComplete="email"
          required
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <BusyButton type="submit" size="md" isBusy={loading}>
          {loading ? 'Sending …' : 'Send me a link'}
        </BusyButton>
        <Text size="sm" c="dimmed">
          Remembered it?{' '}
          <Anchor component={Link} to={paths.signIn()} underline="always">
            Sign in
          </Anchor>
        </Text>
      </Stack>
    </form>
  );
}
