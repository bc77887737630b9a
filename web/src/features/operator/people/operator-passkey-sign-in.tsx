import { useMutation } from '@apollo/client/react';
import { graphql } from '../../../gql';
import { signWithPasskey } from '../../../lib/session/passkeys';
import { PasskeyButton } from './passkey-button';

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

  async function signIn() {
    const begun = (await start()).data?.operator.startPasskeySignIn;
    const response = await signWithPasskey(begun?.options ?? '');
    await finish({ variables: { input: { token: begun?.token ?? '', response } } });
    await onIn();
  }

  return (
    <PasskeyButton sign={signIn} onFault={onFault}>
      Use a passkey
    </PasskeyButton>
  );
}
