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
    'Your app, your passkeys and your recovery codes are removed in 72 hours, and your password alone signs you in again. If it was not you who asked, close this page and change your password.',
  button: 'Remove them in 72 hours',
};
const notWhole = {
  title: 'Nothing was begun',
  words: 'The link is not whole. Open it as it was mailed, or sign in and ask for another one.',
};
const whenFailed = {
  refused: 'This link cannot be used',
  whether: 'whether the wait has begun',
  remedy: 'Open the link of the mail again. If it is refused then, the wait has begun.',
};
const wordsUntil = (at: string) =>
  `From ${formatAbsoluteTime(at)} on your password alone signs you in. Until then every session of yours can cancel it in the settings.`;

/** Where the link of the mail leads that whoever has lost all factors was sent. */
export function RecoverFactors() {
  const [start, { loading, data }] = useMutation(StartFactorRecoveryDocument);
  return (
    <MailedLink
      {...{ question, notWhole, whenFailed }}
      done={data ? { title: 'The wait has begun', words: wordsUntil(data.startFactorRecovery) } : null}
      isBusy={loading}
      open={(token) => start({ variables: { token } })}
      action={<LinkButton to={paths.signIn()}>Go to the sign-in</LinkButton>}
    />
  );
}
