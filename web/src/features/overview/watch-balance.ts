import { createClient } from 'graphql-sse';
import { serverPaths } from '../../app/paths';

export interface LiveBalance {
  readonly available: number;
  readonly held: number;
}

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

/**
 * Tells the balance of whoever is signed in, now and at every change, over server-sent events, while the page is seen: a browser
 * opens six connections to a server without HTTP/2, for all of its tabs together. A connection that breaks is made anew by itself,
 * and so is one that the server ends, as before it restarts, after a wait that grows to half a minute. When the server refuses,
 * nothing is told until the page is seen anew, and its own asking has to do.
 *
 * @returns ends the watching.
 */
export function watchBalance(tell: (balance: LiveBalance) => void): () => void {
  const client = createClient({ url: serverPaths.graphqlStream(), credentials: 'same-origin', retryAttempts: 20 });
  let leave: () => void = () => {};
  let waitMs = firstWaitMs;

  function begin(): void {
    let isLeft = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = client.subscribe<{ balance: LiveBalance }>(
      { query: 'subscription LiveBalance { balance { available held } }' },
      {
        next: ({ data }) => {
          if (data) tell(data.balance);
        },
        error: () => undefined,
        complete: () => {
          if (isLeft) return;
          // All pages of a server that restarts come back, and not at the same moment.
          timer = setTimeout(begin, waitMs * (0.5 + Math.random() / 2));
          waitMs = Math.min(2 * waitMs, longestWaitMs);
        },
      },
    );
    leave = () => {
      isLeft = true;
      clearTimeout(timer);
      end();
    };
  }

  function followSight(): void {
    leave();
    leave = () => {};
    waitMs = firstWaitMs;
    if (document.visibilityState === 'visible') begin();
  }

  followSight();
  document.addEventListener('visibilitychange', followSight);
  return () => {
    document.removeEventListener('visibilitychange', followSight);
    leave();
    client.dispose();
  };
}
