import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { forgetKeptSecrets, readKeptSecrets, writeKeptSecrets } from './kept-secrets';

interface FreshSecrets {
  /** The secret of a key made in this tab within the last half hour, else null. */
  readonly findSecret: (keyId: string) => string | null;
  readonly rememberSecret: (keyId: string, secret: string) => void;
  /** At sign-out. */
  readonly forgetSecrets: () => void;
}

const FreshSecretsContext = createContext<FreshSecrets>({
  findSecret: () => null,
  rememberSecret: () => undefined,
  forgetSecrets: () => undefined,
});

/**
 * Keeps fresh secrets for this tab alone, so that the snippets still hold the key after the way through the checkout, which
 * loads the page anew. They go with the tab, at sign-out, and after half an hour.
 */
export function FreshSecretsProvider({ children }: { children: ReactNode }) {
  const [secrets, setSecrets] = useState(() => readKeptSecrets(sessionStorage, Date.now()));
  const findSecret = useCallback((keyId: string) => secrets[keyId]?.secret ?? null, [secrets]);
  const rememberSecret = useCallback(
    (keyId: string, secret: string) => {
      const kept = { ...secrets, [keyId]: { secret, madeAtMs: Date.now() } };
      writeKeptSecrets(sessionStorage, kept);
      setSecrets(kept);
    },
    [secrets],
  );
  const forgetSecrets = useCallback(() => {
    forgetKeptSecrets(sessionStorage);
    setSecrets({});
  }, []);
  const value = useMemo(
    () => ({ findSecret, rememberSecret, forgetSecrets }),
    [findSecret, rememberSecret, forgetSecrets],
  );
  return <FreshSecretsContext value={value}>{children}</FreshSecretsContext>;
}

/** Access to the secrets that were made in this tab. */
export function useFreshSecrets(): FreshSecrets {
  return useContext(FreshSecretsContext);
}
