import { createClient } from 'graphql-sse';
import { serverPaths } from '../../app/paths';

export interface LiveBalance {
  readonly available: number;
  readonly held: number;
}

/**
 * Tells the balance of whoever is signed in, now and at every change, over server-sent events. A connection that breaks is
 * made anew by itself; when the server refuses, nothing is told any more, and the page's own asking has to do.
 *
 * @returns ends the watching.
 */
export function watchBalance(tell: (balance: LiveBalance) => void): () => void {
  const client = createClient({ url: serverPaths.graphqlStream(), credentials: 'same-origin', retryAttempts: 20 });
  const end = client.subscribe<{ balance: LiveBalance }>(
    { query: 'subscription LiveBalance { balance { available held } }' },
    {
      next: ({ data }) => {
        if (data) tell(data.balance);
      },
      error: () => undefined,
      complete: () => undefined,
    },
  );
  return () => {
    end();
    client.dispose();
  };
}
