import { useMutation } from '@apollo/client/react';
import { graphql } from '../../gql';
import { NewPasswordForm } from './new-password-form';

const ResetPasswordDocument = graphql(`
  mutation ResetPassword($input: ResetPasswordInput!) {
    resetPassword(input: $input)
  }
`);

const whenUnclear = {
  whether: 'whether your password was changed',
  remedy: 'Sign in with the new one. If it is refused, press again.',
};

/** Where the link of a mail leads that was asked for because a password was forgotten. */
export function ResetPassword() {
  const [resetPassword] = useMutation(ResetPasswordDocument);
  return (
    <NewPasswordForm
      label="Choose a new password"
      action="Change password"
      done="Your password was changed and you were signed out everywhere. Sign in with the new one."
      whenUnclear={whenUnclear}
      submitPassword={(input) => resetPassword({ variables: { input } })}
    />
  );
}
