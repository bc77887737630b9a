import { useApolloClient } from '@apollo/client/react';
import { useNavigate, useSearchParams } from 'react-router';
import { safeReturnPath } from '../../lib/session/safe-return-path';

/** Forgets what an earlier session had loaded, then opens the page that the visitor wanted. */
export function useEnterSession(): () => Promise<void> {
  const client = useApolloClient();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  return async () => {
    await client.clearStore();
    await navigate(safeReturnPath(search.get('next')), { replace: true });
  };
}
