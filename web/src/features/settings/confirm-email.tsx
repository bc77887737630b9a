import { useMutation } from '@apollo/client/react';
import { graphql } from '../../gql';
import { EmailLink } from './mailed-link';

const ConfirmEmailChangeDocument = graphql(`
  mutation ConfirmEmailChange($token: String!) {
    confirmEmailChange(token: $token)
  }
`);

const question = {
  title: 'Confirm your new address',
  words: 'You asked to use this address for your account. If it was not you, close this page.',
  button: 'Use this address',
};
const changed = {
  title: 'Your address is changed',
  words: 'Sign in with it from now on. For a week, the change can be undone from the former address.',
};
const whenFailed = {
  refused: 'This link cannot be used',
  whether: 'whether your address is changed',
  remedy: 'Look at your address in the settings.',
};

/** Where the link leads that was mailed to a new address. */
export function ConfirmEmail() {
  const [confirm, { loading, data }] = useMutation(ConfirmEmailChangeDocument);
  return (
    <EmailLink
      {...{ question, whenFailed }}
      notWholeTitle="Your address is not changed"
      done={data?.confirmEmailChange ? changed : null}
      isBusy={loading}
      open={(token) => confirm({ variables: { token } })}
    />
  );
}
