import type { ApolloClient } from '@apollo/client';
import { graphql } from '../../gql';
import { graphqlErrorCode } from '../graphql-error-message';

const ViewerNowDocument = graphql(`
  query ViewerNow {
    viewer {
      id
    }
  }
`);

/** The name of what `askViewer` asks. */
export const viewerQueryName = 'ViewerNow';

/**
 * Asks the server for which account this browser's session acts now; the page is told nothing of it.
 * @returns `accountId` is null where nobody is signed in; null: it cannot be asked.
 */
export async function askViewer(client: ApolloClient): Promise<{ readonly accountId: string | null } | null> {
  try {
    const { data } = await client.query({ query: ViewerNowDocument, fetchPolicy: 'no-cache' });
    return data ? { accountId: data.viewer?.id ?? null } : null;
  } catch (error) {
    return graphqlErrorCode(error) === 'UNAUTHENTICATED' ? { accountId: null } : null;
  }
}
