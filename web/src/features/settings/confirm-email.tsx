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

const ConfirmEmailChangeDocument = graphql(`
  mutation ConfirmEmailChange($token: String!) {
    confirmEmailChange(token: $token)
  }
`);

const whenFailed = {
  refused: 'This link cannot be used',
  whether: 'whether your address is changed',
  remedy: 'Look at your address in the settings.',
};

/** Where the link leads that was mailed to a new address. It takes a press, since programs open every link in a mail. */
export function ConfirmEmail() {
  const token = useLocation().hash.slice(1);
  const { other, look } = useOtherSession();
  const [confirmEmailChange, { loading, data }] = useMutation(ConfirmEmailChangeDocument);
  const [fault, setFault] = useState<unknown>(null);

  async function confirm() {
    setFault(null);
    try {
      await confirmEmailChange({ variables: { token } });
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
  if (data?.confirmEmailChange) {
    return (
      <FullPageMessage title="Your address is changed" action={toSettings}>
        From now on you sign in with it. Whoever reads mail at the address before may take the change back for a week.
      </FullPageMessage>
    );
  }
  if (fault !== null) return <FailedLink fault={fault} whenFailed={whenFailed} action={toSettings} />;
  if (token === '') {
    return (
      <FullPageMessage title="Your address is not changed" action={toSettings}>
        The link is not whole. Open it as it was mailed, or ask for another one in your settings.
      </FullPageMessage>
    );
  }
  return (
    <FullPageMessage
      title="Confirm your new address"
      action={
        <LoadingButton loading={loading} onClick={() => void confirm()}>
          Use this address
        </LoadingButton>
      }
    >
      You asked for this to be the address of your account. If it was not you, close this page.
    </FullPageMessage>
  );
}
