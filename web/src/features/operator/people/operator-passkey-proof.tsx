import { useMutation } from '@apollo/client/react';
import { graphql } from '../../../gql';
import { graphqlErrorReason } from '../../../lib/graphql-error-message';
import { passkeyFault, signWithPasskey } from '../../../lib/session/passkeys';
import { PasskeyButton } from './passkey-button';

const StartDocument = graphql(`
  mutation OperatorStartPasskeyProof {
    operator {
      startPasskeyProof
    }
  }
`);

const ProveDocument = graphql(`
  mutation OperatorProvePasskey($input: OperatorPasskeyProofInput!) {
    operator {
      provePasskey(input: $input)
    }
  }
`);

interface OperatorPasskeyProofProps {
  onFault: (fault: string | null) => void;
  onProved: () => Promise<void>;
}

/** Proves anew who is there by a passkey, in the place of a code. */
export function OperatorPasskeyProof({ onFault, onProved }: OperatorPasskeyProofProps) {
  const [start] = useMutation(StartDocument);
  const [prove] = useMutation(ProveDocument);

  async function sign() {
    const options = (await start()).data?.operator.startPasskeyProof ?? '';
    const response = await signWithPasskey(options);
    await prove({ variables: { input: { response } } });
    await onProved();
  }

  function describeFault(error: unknown) {
    const hasNone = graphqlErrorReason(error) === 'not_found';
    return hasNone ? 'You have no passkey yet. Add one on the page “Operators”.' : passkeyFault(error);
  }

  return (
    <PasskeyButton sign={sign} onFault={onFault} describeFault={describeFault}>
      Use a passkey instead
    </PasskeyButton>
  );
}
