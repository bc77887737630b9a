import { useQuery } from '@apollo/client/react';
import { graphql } from '../../gql';
import type { StandingQuery } from '../../gql/graphql';

const StandingDocument = graphql(`
  query Standing {
    viewer {
      id
      debt
      isFrozen
      frozenFor
    }
  }
`);

/** What keeps an account from making calls. */
export type Standing = NonNullable<StandingQuery['viewer']>;

/**
 * Whether the account may make calls and buy; null until the server has said so. The session gate's answer has it, and what the overview
 * and the notifications ask again and again has it, too: nothing is asked for it alone.
 */
export function useStanding(): Standing | null {
  const { data } = useQuery(StandingDocument, { fetchPolicy: 'cache-first' });
  return data?.viewer ?? null;
}

/** Whether the account is known to be frozen: it can make no calls and buy nothing. */
export function useIsFrozen(): boolean {
  return useStanding()?.isFrozen ?? false;
}
