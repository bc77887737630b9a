import { useMutation } from '@apollo/client/react';
import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'react-router';
import { paths } from '../../app/paths';
import { FormFault } from '../../components/form-fault';
import { graphql } from '../../gql';
import {
  graphqlErrorCode,
  graphqlErrorField,
  graphqlErrorMessage,
  graphqlErrorReason,
} from '../../lib/graphql-error-message';
import { providerFaultWords } from '../../lib/provider-fault-words';
import { emailFault } from '../../lib/session/validate-credentials';
import { PasskeySignIn } from './passkey-sign-in';
import { ProviderButtons } from './provider-buttons';
import { SecondStepForm } from './second-step-form';
import { useEnterSession } from './use-enter-session';
import { useProviderReturn } from './use-provider-return';

const SignInDocument = graphql(`
  mutation SignIn($input: SignInInput!) {
    signIn(input: $input) {
      account {
        id
      }
    }
  }
`);

const wrongCredentials = 'E-mail or password is wrong. Check both, or create an account.';

/** Signs in, by one step or two, and returns to the page from which the visitor came. */
export function SignInForm() {
  const [isSecondStep, setIsSecondStep] = useState(false);
  if (!isSecondStep) return <FirstStepForm onSecondStep={() => setIsSecondStep(true)} />;
  return <SecondStepForm onBack={() => setIsSecondStep(false)} />;
}

function FirstStepForm({ onSecondStep }: { onSecondStep: () => void }) {
  const [signIn] = useMutation(SignInDocument);
  const enterSession = useEnterSession();
  const [search] = useSearchParams();
  const [fault, setFault] = useState<string | null>(providerFaultWords(search.get('fault')));
  const [isSubmitting, setIsBusy] = useState(false);
  const isBusy = useProviderReturn({ onFault: setFault, onSecondStep }) || isSubmitting;
  const location = useLocation();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', password: '' },
    validate: { email: emailFault, password: (password) => (password ? null : 'Enter your password.') },
  });

  async function submit(values: { email: string; password: string }) {
    setFault(null);
    setIsBusy(true);
    try {
      await signIn({ variables: { input: { email: values.email.trim(), password: values.password } } });
      await enterSession();
    } catch (error) {
      if (graphqlErrorReason(error) === 'second_factor_required') {
        onSecondStep();
        return;
      }
      const field = graphqlErrorField(error, ['email', 'password']);
      if (field !== null) form.setFieldError(field, graphqlErrorMessage(error));
      else setFault(graphqlErrorCode(error) === 'UNAUTHENTICATED' ? wrongCredentials : graphqlErrorMessage(error));
      setIsBusy(false);
    }
  }

  return (
    <form onSubmit={form.onSubmit(submit)} noValidate aria-label="Sign in">
      <Stack gap="md">
        {location.state?.hasSessionEnded === true && fault === null && (
          <Alert color="amber" title="Your session has ended">
            Sign in again; you return to the page where you were.
          </Alert>
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
          name="password"
          autoComplete="current-password"
          required
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" size="md" disabled={isBusy}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </Button>
        <Anchor component={Link} to={paths.forgotPassword()} size="sm" underline="always">
          Forgot your password?
        </Anchor>
        <PasskeySignIn onFault={setFault} />
        <ProviderButtons />
        <Text size="sm" c="dimmed">
          No account yet?{' '}
          <Anchor component={Link} to={paths.signUp(search.get('next') ?? undefined)} underline="always">
            Create one
          </Anchor>
        </Text>
      </Stack>
    </form>
  );
}
