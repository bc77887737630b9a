import { useMutation } from '@apollo/client/react';
import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { graphql } from '../../gql';
import { graphqlErrorReason } from '../../lib/graphql-error-message';
import { canUsePasskeys, passkeyFault, signWithPasskey } from '../../lib/passkeys';

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
  const [isBusy, setIsBusy] = useState(false);
  if (!canUsePasskeys()) return null;

  async function sign() {
    onFault(null);
    setIsBusy(true);
    try {
      const options = (await start()).data?.operator.startPasskeyProof ?? '';
      const response = await signWithPasskey(options);
      await prove({ variables: { input: { response } } });
      await onProved();
    } catch (error) {
      const hasNone = graphqlErrorReason(error) === 'not_found';
      onFault(hasNone ? 'You have no passkey yet: add one on the page of operators.' : passkeyFault(error));
    }
    setIsBusy(false);
  }

  return (
    <Button
      variant="default"
      disabled={isBusy}
      leftSection={<IconKey size={16} aria-hidden />}
      onClick={() => void sign()}
    >
      Use a passkey instead
    </Button>
  );
}
