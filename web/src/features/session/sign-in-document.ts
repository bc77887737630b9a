import { graphql } from '../../gql';

export const SignInDocument = graphql(`
  mutation SignIn($input: SignInInput!) {
    signIn(input: $input) {
      account {
        id
      }
    }
  }
`);

export interface Credentials {
  readonly email: string;
  readonly password: string;
}
