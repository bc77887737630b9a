import { useMutation } from '@apollo/client/react';
import { graphql } from '../../gql';
import { EmailLink } from './mailed-link';

const VerifyEmailDocument = graphql(`
  mutation VerifyEmail($token: String!) {
    verifyEmail(token: $token)
  }
`);

const question = {
  title: 'Verify your address',
  words: 'An account was created with this address. If it was not you, close this page.',
  button: 'Verify my address',
};
const verified = {
  title: 'Your address is verified',
  words: 'You can now get alerts by e-mail.',
};
const whenFailed = {
  refused: 'This link cannot be used',
  whether: 'whether your address is verified',
  remedy: 'If the settings do not ask you to verify it, it is verified.',
};

/** Where the link of a verification mail leads. */
export function VerifyEmail() {
  const [verify, { loading, data }] = useMutation(VerifyEmailDocument);
  return (
    <EmailLink
      {...{ question, whenFailed }}
      notWholeTitle="Your address is not verified"
      done={data?.verifyEmail ? verified : null}
      isBusy={loading}
      open={(token) => verify({ variables: { token } })}
    />
  );
}
