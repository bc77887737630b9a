import { useMutation } from '@apollo/client/react';
import { useState } from 'react';
import { BusyButton } from '../../components/buttons/busy-button';
import { IconKey } from '../../components/icons';
import { graphql } from '../../gql';
import { canUsePasskeys, passkeyFault, signWithPasskey } from '../../lib/session/passkeys';
import { useEnterSession } from './use-enter-session';

const StartPasskeySignInDocument = graphql(`
  mutation StartPasskeySignIn {
    startPasskeySignIn
  }
`);

const FinishPasskeySignInDocument = graphql(`
  mutation FinishPasskeySignIn($input: FinishPasskeySignInInput!) {
    finishPasskeySignIn(input: $input) {
      account {
        id
      }
    }
  }
`);

/** Signs in without e-mail and password, where the browser knows passkeys. */
export function PasskeySignIn({ onFault }: { onFault: (fault: string | null) => void }) {
  const [start] = useMutation(StartPasskeySignInDocument);
  const [finish] = useMutation(FinishPasskeySignInDocument);
  const enterSession = useEnterSession();
  const [isBusy, setIsBusy] = useState(false);
  if (!canUsePasskeys()) return null;

  async function signIn() {
    onFault(null);
    setIsBusy(true);
    try {
      const { data } = await start();
      const response = await signWithPasskey(data?.startPasskeySignIn ?? '');
      await finish({ variables: { input: { response } } });
      await enterSession();
    } catch (error) {
      onFault(passkeyFault(error));
      setIsBusy(false);
    }
  }

  return (
    <BusyButton
      variant="default"
      size="md"
      isBusy={isBusy}
      leftSection={<IconKey size={16} aria-hidden />}
      onClick={() => void signIn()}
    >
      Use a passkey
    </BusyButton>
  );
}
