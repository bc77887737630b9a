import { graphql } from '../../gql';
import type { MembersQuery } from '../../gql/graphql';
import { nameInSentence } from '../../lib/format/name-in-sentence';

export const MembersDocument = graphql(`
  query Members {
    viewer {
      id
      role
      isMailSent
    }
    person {
      id
      email
      emailVerifiedAt
    }
    members {
      personId
      name
      email
      role
      since
      isYou
      isFounder
      monthlyBudget
      spentThisMonth
      budgetResetsAt
    }
  }
`);

export type Member = MembersQuery['members'][number];

/** Names a member beyond doubt: names are what their owners choose, and two may choose the same. */
export function nameAndEmail({ name, email }: Pick<Member, 'name' | 'email'>): string {
  return `${nameInSentence(name)} (${email})`;
}
