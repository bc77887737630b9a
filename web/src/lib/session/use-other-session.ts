import type { ApolloClient } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useCallback, useEffect, useRef, useState } from 'react';
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
interface PersonNow {
  readonly id: string;
  readonly email: string;
  readonly emailVerifiedAt: string | null;
}

interface OtherSession {
  /** The address of whoever else is signed in in this browser; null: nobody, or whoever the link was about. */
  readonly other: string | null;
  /** To be called once the link has done what it is for. */
  look(): Promise<void>;
}

/**
 * Finds whether a mailed link was about another person than the one who is signed in: it changes the address of its own person, or ends
 * their session, and nothing of anybody else.
 */
export function useOtherSession(): OtherSession {
  const client = useApolloClient();
  const before = useRef<Promise<PersonNow | null> | null>(null);
  const [other, setOther] = useState<string | null>(null);
  useEffect(() => {
    before.current ??= askPerson(client);
  }, [client]);
  const look = useCallback(async () => {
    const [then, now] = [await before.current, await askPerson(client)];
    const isTheirs = then !== null && now !== null && then.id === now.id && isChanged(then, now);
    setOther(isTheirs ? null : (now?.email ?? null));
  }, [client]);
  return { other, look };
}

function isChanged(then: PersonNow, now: PersonNow): boolean {
  return then.email !== now.email || then.emailVerifiedAt !== now.emailVerifiedAt;
}

/** Asks the server who is signed in in this browser now; the page is told nothing of it. @returns null: nobody, or it cannot be asked. */
async function askPerson(client: ApolloClient): Promise<PersonNow | null> {
  try {
    const { data } = await client.query({ query: PersonNowDocument, fetchPolicy: 'no-cache' });
    return data?.person ?? null;
  } catch {
    return null;
  }
}
