import { useQuery } from '@apollo/client/react';
import { graphql } from '../../gql';
import type { MemberRole } from '../../gql/graphql';
import { mayDo, type RoleAction, whyNot } from './roles';

const RoleDocument = graphql(`
  query Role {
    viewer {
      id
      role
    }
  }
`);

/** What whoever is signed in is in the account; null until the server has said so. The session gate's answer has it. */
export function useRole(): MemberRole | null {
  const { data } = useQuery(RoleDocument, { fetchPolicy: 'cache-first' });
  return data?.viewer?.role ?? null;
}

/** Why something is not offered to whoever is signed in; null: it is. */
export function useRefusal(action: RoleAction, what: string): string | null {
  const role = useRole();
  return role === null || mayDo(role, action) ? null : whyNot(role, action, what);
}
