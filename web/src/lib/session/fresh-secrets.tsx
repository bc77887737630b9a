import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { findTabStorage } from '../browser-storage';
import { readKeptSecrets, writeKeptSecrets } from './kept-secrets';
import { currentSession, onSessionEnd } from './session-end';

interface FreshSecrets {
  /** The secret of a key made in this tab within the last half hour, else null. */
  readonly findSecret: (keyId: string) => string | null;
  readonly rememberSecret: (keyId: string, secret: string) => void;
}

const FreshSecretsContext = createContext<FreshSecrets>({
  findSecret: () => null,
  rememberSecret: () => undefined,
});

/**
 * Keeps fresh secrets for this tab alone, so that the snippets still hold the key after the way through the checkout, which
 * loads the page anew. They go with the tab, at sign-out, and after half an hour.
 */
export function FreshSecretsProvider({ children }: { children: ReactNode }) {
  const [{ session, secrets }, setKept] = useState(() => ({
    session: currentSession(),
    secrets: readKeptSecrets(findTabStorage(), Date.now()),
  }));
  useEffect(() => onSessionEnd(() => setKept({ session: currentSession(), secrets: {} })), []);
  const findSecret = useCallback((keyId: string) => secrets[keyId]?.secret ?? null, [secrets]);
  const rememberSecret = useCallback(
    (keyId: string, secret: string) => {
      // Asked for before the sign-out, it is nobody's who sits there now.
      if (session !== currentSession()) return;
      const kept = { ...secrets, [keyId]: { secret, madeAtMs: Date.now() } };
      writeKeptSecrets(findTabStorage(), kept);
      setKept({ session, secrets: kept });
    },
    [session, secrets],
  );
  const value = useMemo(() => ({ findSecret, rememberSecret }), [findSecret, rememberSecret]);
  return <FreshSecretsContext value={value}>{children}</FreshSecretsContext>;
}

/** Access to the secrets that were made in this tab. */
export function useFreshSecrets(): FreshSecrets {
  return useContext(FreshSecretsContext);
}
