import { useMutation } from '@apollo/client/react';
import { graphql } from '../../gql';
import { NewPasswordForm } from './new-password-form';

const UndoEmailChangeDocument = graphql(`
  mutation UndoEmailChange($input: UndoEmailChangeInput!) {
    undoEmailChange(input: $input)
  }
`);

const whenUnclear = {
  whether: 'whether you have your address back',
  remedy: 'Sign in with it and the new password. If they are refused, press again.',
};

/** Where the link leads that was mailed to the address which an account had before. */
export function UndoEmailChange() {
  const [undoEmailChange] = useMutation(UndoEmailChangeDocument);
  return (
    <NewPasswordForm
      label="Take your address back"
      action="Take my address back"
      done="Your account has its former address again, and the password that you just chose."
      whenUnclear={whenUnclear}
      submitPassword={(input) => undoEmailChange({ variables: { input } })}
    />
  );
}
