import { useMutation } from '@apollo/client/react';
import { Alert, Anchor, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'react-router';
import { paths } from '../../app/paths';
import { BusyButton } from '../../components/buttons/busy-button';
import { FormFault } from '../../components/form-fault';
import { graphql } from '../../gql';
import { failureSentences } from '../../lib/forms/lost-answers';
import { graphqlErrorCode, graphqlErrorField } from '../../lib/graphql-error-message';
import { forgetSignUpInvitation, keepSignUpInvitation } from '../../lib/session/kept-invitation';
import { emailFault, passwordFault } from '../../lib/session/validate-credentials';
import { ProviderButtons } from './provider-buttons';
import { useEnterSession } from './use-enter-session';

const SignUpDocument = graphql(`
  mutation SignUp($input: SignUpInput!) {
    signUp(input: $input) {
      account {
        id
      }
    }
  }
`);

const whenUnclear = {
  whether: 'whether your account was made',
  remedy: 'Sign in with this address and password. If they are refused, press again.',
};

interface SignUpValues {
  email: string;
  password: string;
}

/** The field for an error of signing up; a conflict without a field can only be the address. */
function faultyField(error: unknown): keyof SignUpValues | null {
  const field = graphqlErrorField(error, ['email', 'password']);
  return field ?? (graphqlErrorCode(error) === 'CONFLICT' ? 'email' : null);
}

/** Makes an account at once and opens the dashboard: no approval, no mail to wait for. */
export function SignUpForm() {
  const [signUp] = useMutation(SignUpDocument);
  const enterSession = useEnterSession();
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [search] = useSearchParams();
  const { hash } = useLocation();
  const [invitation] = useState(() => keepSignUpInvitation(hash));
  const form = useForm<SignUpValues>({
    mode: 'uncontrolled',
    initialValues: { email: '', password: '' },
    validate: { email: emailFault, password: passwordFault },
  });

  async function submit({ email, password }: SignUpValues) {
    setFault(null);
    setIsBusy(true);
    try {
      const invited = invitation === '' ? {} : { invitation };
      await signUp({ variables: { input: { email: email.trim(), password, ...invited } } });
      forgetSignUpInvitation();
      await enterSession();
    } catch (error) {
      const field = faultyField(error);
      const words = failureSentences(error, whenUnclear);
      if (field !== null) form.setFieldError(field, words);
      else setFault(words);
      setIsBusy(false);
    }
  }

  return (
    <form onSubmit={form.onSubmit(submit)} noValidate aria-label="Create your account">
      <Stack gap="md">
        {invitation !== '' && (
          <Alert color="pine">You are invited. Sign up with the address that received the invitation.</Alert>
        )}
        <FormFault fault={fault} />
        <TextInput
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          required
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label="Password"
          description="8 to 128 characters."
          name="new-password"
          autoComplete="new-password"
          required
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <BusyButton type="submit" size="md" isBusy={isBusy}>
          {isBusy ? 'Creating your account …' : 'Create account'}
        </BusyButton>
        <ProviderButtons />
        <Text size="sm" c="dimmed">
          Already have an account?{' '}
          <Anchor component={Link} to={paths.signIn(search.get('next') ?? undefined)} underline="always">
            Sign in
          </Anchor>
        </Text>
      </Stack>
    </form>
  );
}
