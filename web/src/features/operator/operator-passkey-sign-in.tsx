import { useMutation } from '@apollo/client/react';
import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { graphql } from '../../gql';
import { canUsePasskeys, passkeyFault, signWithPasskey } from '../../lib/passkeys';

const StartDocument = graphql(`
  mutation OperatorStartPasskeySignIn {
    operator {
      startPasskeySignIn {
        options
        token
      }
    }
  }
`);

const FinishDocument = graphql(`
  mutation OperatorFinishPasskeySignIn($input: OperatorPasskeySignInInput!) {
    operator {
      finishPasskeySignIn(input: $input)
    }
  }
`);

interface OperatorPasskeySignInProps {
  onFault: (fault: string | null) => void;
  onIn: () => Promise<void>;
}

/** Signs in without password and code, where the browser knows passkeys. */
export function OperatorPasskeySignIn({ onFault, onIn }: OperatorPasskeySignInProps) {
  const [start] = useMutation(StartDocument);
  const [finish] = useMutation(FinishDocument);
  const [isBusy, setIsBusy] = useState(false);
  if (!canUsePasskeys()) return null;

  async function signIn() {
    onFault(null);
    setIsBusy(true);
    try {
      const begun = (await start()).data?.operator.startPasskeySignIn;
      const response = await signWithPasskey(begun?.options ?? '');
      await finish({ variables: { input: { token: begun?.token ?? '', response } } });
      await onIn();
    } catch (error) {
      onFault(passkeyFault(error));
    }
    setIsBusy(false);
  }

  return (
    <Button
      variant="default"
      disabled={isBusy}
      leftSection={<IconKey size={16} aria-hidden />}
      onClick={() => void signIn()}
    >
      Use a passkey
    </Button>
  );
}
