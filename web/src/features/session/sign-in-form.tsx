import { useMutation } from '@apollo/client/react';
import { Anchor, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'react-router';
import { paths } from '../../app/paths';
import { BusyButton } from '../../components/buttons/busy-button';
import { FormFault } from '../../components/form-fault';
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
import { SessionEndNotice } from './session-end-notice';
import { type Credentials, SignInDocument } from './sign-in-document';
import { useEnterSession } from './use-enter-session';
import { useProviderReturn } from './use-provider-return';

const wrongCredentials = 'E-mail or password is wrong. Check both, or create an account.';

/** Signs in, by one step or two, and returns to the page from which the visitor came. */
export function SignInForm() {
  const [begun, setBegun] = useState<BegunBy | null>(null);
  if (!begun) return <FirstStepForm onSecondStep={(by) => setBegun({ by })} />;
  return <SecondStepForm begunBy={begun.by} onBack={() => setBegun(null)} />;
}

interface BegunBy {
  /** null: by another provider, which has to be asked again for another second step. */
  readonly by: Credentials | null;
}

function FirstStepForm({ onSecondStep }: { onSecondStep: (by: Credentials | null) => void }) {
  const [signIn] = useMutation(SignInDocument);
  const enterSession = useEnterSession();
  const [search] = useSearchParams();
  const [fault, setFault] = useState<string | null>(providerFaultWords(search.get('fault')));
  const [isSubmitting, setIsBusy] = useState(false);
  const isBusy = useProviderReturn({ onFault: setFault, onSecondStep: () => onSecondStep(null) }) || isSubmitting;
  const location = useLocation();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', password: '' },
    validate: { email: emailFault, password: (password) => (password ? null : 'Enter your password.') },
  });

  async function submit(values: Credentials) {
    setFault(null);
    setIsBusy(true);
    const input = { email: values.email.trim(), password: values.password };
    try {
      await signIn({ variables: { input } });
      await enterSession();
    } catch (error) {
      if (graphqlErrorReason(error) === 'second_factor_required') {
        onSecondStep(input);
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
        {location.state?.sessionEnd && fault === null && <SessionEndNotice end={location.state.sessionEnd} />}
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
        <BusyButton type="submit" size="md" isBusy={isBusy}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </BusyButton>
        <Anchor component={Link} to={paths.forgotPassword()} size="sm" underline="always" className="lone-link">
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
