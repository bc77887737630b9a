import { graphql } from '../../gql';

/** What the account has beside its password. */
export const FactorsDocument = graphql(`
  query Factors {
    factors {
      authenticatorAppSince
      recoveryCodesLeft
      recoveryDueAt
      passkeys {
        id
        name
        createdAt
        lastUsedAt
      }
    }
  }
`);
