import { useApolloClient } from '@apollo/client/react';
import { useEffect } from 'react';
import { customerView } from '../../lib/session/customer-view';

/** Keeps the shown balance of an account as it is this very moment. The code for it comes after the page. */
export function useLiveBalance(accountId: string): void {
  const client = useApolloClient();
  useEffect(() => {
    // What the customer has now is told to the customer alone.
    if (customerView) return;
    let end: (() => void) | null = null;
    let isOver = false;
    void import('./watch-balance').then(({ watchBalance }) => {
      if (isOver) return;
      end = watchBalance((balance) => {
        client.cache.modify({
          id: `Account:${accountId}`,
          fields: { balance: (known) => ({ ...known, ...balance }) },
        });
      });
    });
    return () => {
      isOver = true;
      end?.();
    };
  }, [client, accountId]);
}
