import { useMutation } from '@apollo/client/react';
import { paths } from '../../app/paths';
import { LinkButton } from '../../components/link-button';
import { graphql } from '../../gql';
import { formatAbsoluteTime } from '../../lib/format/format-time';
import { MailedLink } from './mailed-link';

const StartFactorRecoveryDocument = graphql(`
  mutation StartFactorRecovery($token: String!) {
    startFactorRecovery(token: $token)
  }
`);

const question = {
  title: 'Lost all factors?',
  words:
    'Your app, passkeys and recovery codes are removed in 72 hours. After that you sign in with your password alone. If it was not you who asked, close this page and change your password.',
  button: 'Remove them in 72 hours',
};
const notWhole = {
  title: 'Nothing was started',
  words: 'The link is incomplete. Open it from the e-mail, or sign in and ask for another one.',
};
const whenFailed = {
  refused: 'This link cannot be used',
  whether: 'whether the 72 hours have started',
  remedy: 'Open the link in the e-mail again. If it is refused, the 72 hours have started.',
};
const wordsUntil = (at: string) =>
  `From ${formatAbsoluteTime(at)} on your password alone signs you in. Until then every session of yours can cancel it in the settings.`;

/** Where the link of the mail leads that whoever has lost all factors was sent. */
export function RecoverFactors() {
  const [start, { loading, data }] = useMutation(StartFactorRecoveryDocument);
  return (
    <MailedLink
      {...{ question, notWhole, whenFailed }}
      done={data ? { title: 'The 72 hours have started', words: wordsUntil(data.startFactorRecovery) } : null}
      isBusy={loading}
      open={(token) => start({ variables: { token } })}
      action={<LinkButton to={paths.signIn()}>Go to sign-in</LinkButton>}
    />
  );
}
