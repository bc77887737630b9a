import type { ApolloClient } from '@apollo/client';
import { graphql } from '../../gql';

const PersonNowDocument = graphql(`
  query PersonNow {
    person {
      id
      email
      emailVerifiedAt
    }
  }
`);

/** Who is signed in in this browser. */
export interface PersonNow {
  readonly id: string;
  readonly email: string;
  readonly emailVerifiedAt: string | null;
}

/** Asks the server who is signed in in this browser now; the page is told nothing of it. @returns null: nobody, or it cannot be asked. */
export async function askPerson(client: ApolloClient): Promise<PersonNow | null> {
  try {
    const { data } = await client.query({ query: PersonNowDocument, fetchPolicy: 'no-cache' });
    return data?.person ?? null;
  } catch {
    return null;
  }
}
