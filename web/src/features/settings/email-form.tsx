import { useMutation } from '@apollo/client/react';
import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { FormFault } from '../../components/form-fault';
import { LinkByOperator } from '../../components/link-by-operator';
import { graphql } from '../../gql';
import { failureSentences } from '../../lib/forms/lost-answers';
import { graphqlErrorField } from '../../lib/graphql-error-message';
import { emailFault } from '../../lib/session/validate-credentials';

const ChangeEmailDocument = graphql(`
  mutation ChangeEmail($input: ChangeEmailInput!) {
    changeEmail(input: $input)
  }
`);

const whenUnclear = { whether: 'whether you have asked for it', remedy: 'Press again: the newest link counts.' };

/** Asks for another address. It changes once somebody who reads mail there confirms it. */
export function EmailForm({ isMailSent }: { isMailSent: boolean }) {
  const [changeEmail, { loading }] = useMutation(ChangeEmailDocument);
  const [fault, setFault] = useState<string | null>(null);
  const [askedFor, setAskedFor] = useState<string | null>(null);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { newEmail: '', password: '' },
    validate: { newEmail: emailFault, password: (password) => (password ? null : 'Enter your password.') },
  });

  async function submit({ newEmail, password }: { newEmail: string; password: string }) {
    setFault(null);
    setAskedFor(null);
    try {
      await changeEmail({ variables: { input: { newEmail: newEmail.trim(), password } } });
      form.reset();
      setAskedFor(newEmail.trim());
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
        {askedFor !== null && <Asked email={askedFor} isMailSent={isMailSent} />}
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
          <Button type="submit" variant="default" disabled={loading}>
            {loading ? 'Asking …' : 'Change address'}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function Asked({ email, isMailSent }: { email: string; isMailSent: boolean }) {
  return (
    <Alert color="pine" title="Confirm it at the new address" role="status">
      {isMailSent ? (
        `Unless ${email} has an account already, a link is on its way there. It works for 24 hours.`
      ) : (
        <LinkByOperator command="email-change-link" email={email} />
      )}
    </Alert>
  );
}
