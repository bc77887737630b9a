import { useMutation } from '@apollo/client/react';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { paths } from '../../app/paths';
import { LoadingButton } from '../../components/buttons/loading-button';
import { FullPageMessage } from '../../components/full-page-message';
import { LinkButton } from '../../components/link-button';
import { graphql } from '../../gql';
import { formatAbsoluteTime } from '../../lib/format/format-time';
import { FailedLink } from './failed-link';

const StartFactorRecoveryDocument = graphql(`
  mutation StartFactorRecovery($token: String!) {
    startFactorRecovery(token: $token)
  }
`);

const whenFailed = {
  refused: 'This link cannot be used',
  whether: 'whether the wait has begun',
  remedy: 'Open the link of the mail again. If it is refused then, the wait has begun.',
};

/** Where the link of the mail leads that whoever has lost all factors was sent. It takes a press, as that of a verification does. */
export function RecoverFactors() {
  const token = useLocation().hash.slice(1);
  const [start, { loading, data }] = useMutation(StartFactorRecoveryDocument);
  const [fault, setFault] = useState<unknown>(null);

  async function begin() {
    setFault(null);
    try {
      await start({ variables: { token } });
    } catch (error) {
      setFault(error);
    }
  }

  const toSignIn = <LinkButton to={paths.signIn()}>Go to the sign-in</LinkButton>;
  if (data) {
    return (
      <FullPageMessage title="The wait has begun" action={toSignIn}>
        From {formatAbsoluteTime(data.startFactorRecovery)} on your password alone signs you in. Until then every
        session of yours can cancel it in the settings.
      </FullPageMessage>
    );
  }
  if (fault !== null) return <FailedLink fault={fault} whenFailed={whenFailed} action={toSignIn} />;
  if (token === '') {
    return (
      <FullPageMessage title="Nothing was begun" action={toSignIn}>
        The link is not whole. Open it as it was mailed, or sign in and ask for another one.
      </FullPageMessage>
    );
  }
  return (
    <FullPageMessage
      title="Lost all factors?"
      action={
        <LoadingButton loading={loading} onClick={() => void begin()}>
          Remove them in 72 hours
        </LoadingButton>
      }
    >
      Your app, your passkeys and your recovery codes are removed in 72 hours, and your password alone signs you in
      again. If it was not you who asked, close this page and change your password.
    </FullPageMessage>
  );
}
