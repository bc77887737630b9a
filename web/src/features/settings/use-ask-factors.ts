import { useApolloClient } from '@apollo/client/react';
import type { FactorsQuery } from '../../gql/graphql';
import { FactorsDocument } from './factors-document';

type Factors = FactorsQuery['factors'];

/** What the page knows of the account's factors, and what the server says of them now; null where that cannot be learnt. */
export function useAskFactors() {
  const client = useApolloClient();
  return {
    findKnown: (): Factors | null => client.readQuery({ query: FactorsDocument })?.factors ?? null,
    askNow: async (): Promise<Factors | null> => {
      try {
        return (await client.query({ query: FactorsDocument, fetchPolicy: 'network-only' })).data?.factors ?? null;
      } catch {
        return null;
      }
    },
  };
}
