import { useMutation } from '@apollo/client/react';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { paths } from '../../app/paths';
import { LoadingButton } from '../../components/buttons/loading-button';
import { FullPageMessage } from '../../components/full-page-message';
import { LinkButton } from '../../components/link-button';
import { SignedInAs } from '../../components/signed-in-as';
import { graphql } from '../../gql';
import { useOtherSession } from '../../lib/session/use-other-session';
import { FailedLink } from './failed-link';

const VerifyEmailDocument = graphql(`
  mutation VerifyEmail($token: String!) {
    verifyEmail(token: $token)
  }
`);

const whenFailed = {
  refused: 'This link cannot be used',
  whether: 'whether your address is verified',
  remedy: 'If your settings do not ask you to verify it, it is.',
};

/**
 * Where the link of a verification mail leads. It takes a press of the button, since programs that look into mails for danger
 * open every link in them.
 */
export function VerifyEmail() {
  const token = useLocation().hash.slice(1);
  const { other, look } = useOtherSession();
  const [verifyEmail, { loading, data }] = useMutation(VerifyEmailDocument);
  const [fault, setFault] = useState<unknown>(null);

  async function verify() {
    setFault(null);
    try {
      await verifyEmail({ variables: { token } });
      await look();
    } catch (error) {
      setFault(error);
    }
  }

  const toSettings =
    other === null ? (
      <LinkButton to={paths.settings()}>Go to the settings</LinkButton>
    ) : (
      <SignedInAs email={other} to={paths.signIn(paths.settings())} />
    );
  if (data?.verifyEmail) {
    return (
      <FullPageMessage title="Your address is verified" action={toSettings}>
        From now on you are told by mail what you have asked for.
      </FullPageMessage>
    );
  }
  if (fault !== null) return <FailedLink fault={fault} whenFailed={whenFailed} action={toSettings} />;
  if (token === '') {
    return (
      <FullPageMessage title="Your address is not verified" action={toSettings}>
        The link is not whole. Open it as it was mailed, or ask for another one in your settings.
      </FullPageMessage>
    );
  }
  return (
    <FullPageMessage
      title="Verify your address"
      action={
        <LoadingButton loading={loading} onClick={() => void verify()}>
          Verify my address
        </LoadingButton>
      }
    >
      You made an account with this address, or somebody did in your name. If it was not you, close this page.
    </FullPageMessage>
  );
}
