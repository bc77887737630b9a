import { useMutation } from '@apollo/client/react';
import { PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { BusyButton } from '../../../components/buttons/busy-button';
import { FormFault } from '../../../components/form-fault';
import { graphql } from '../../../gql';
import { graphqlErrorSentence } from '../../../lib/graphql-error-message';
import { OperatorCodeField, OperatorEmailField, useTextFields } from './operator-fields';
import { OperatorPasskeySignIn } from './operator-passkey-sign-in';

const OperatorSignInDocument = graphql(`
  mutation OperatorSignIn($input: OperatorSignInInput!) {
    operator {
      signIn(input: $input)
    }
  }
`);

/** Password and code, always both, or a passkey. */
export function OperatorSignIn({ onIn }: { onIn: () => Promise<void> }) {
  const [signIn] = useMutation(OperatorSignInDocument);
  const { input, propsOf } = useTextFields({ email: '', password: '', code: '' });
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setFault(null);
    setIsBusy(true);
    try {
      await signIn({ variables: { input } });
      await onIn();
    } catch (error) {
      setFault(graphqlErrorSentence(error));
    }
    setIsBusy(false);
  }

  return (
    <form onSubmit={(event) => void submit(event)} aria-label="Sign in">
      <Stack gap="md">
        <FormFault fault={fault} />
        <OperatorEmailField {...propsOf('email')} />
        <PasswordInput
          name="password"
          label="Password"
          autoComplete="current-password"
          required
          {...propsOf('password')}
        />
        <OperatorCodeField {...propsOf('code')} />
        <BusyButton type="submit" isBusy={isBusy}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </BusyButton>
        <OperatorPasskeySignIn onFault={setFault} onIn={onIn} />
      </Stack>
    </form>
  );
}
