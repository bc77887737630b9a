import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';

interface FreshSecrets {
  /** The secret of a key made since this page was loaded, else null. */
  readonly findSecret: (keyId: string) => string | null;
  readonly rememberSecret: (keyId: string, secret: string) => void;
}

const FreshSecretsContext = createContext<FreshSecrets>({ findSecret: () => null, rememberSecret: () => undefined });

/** Keeps fresh secrets in the memory of this page only: nothing is stored, a reload forgets them. */
export function FreshSecretsProvider({ children }: { children: ReactNode }) {
  const [secrets, setSecrets] = useState<ReadonlyMap<string, string>>(new Map());
  const findSecret = useCallback((keyId: string) => secrets.get(keyId) ?? null, [secrets]);
  const rememberSecret = useCallback(
    (keyId: string, secret: string) => setSecrets((known) => new Map(known).set(keyId, secret)),
    [],
  );
  const value = useMemo(() => ({ findSecret, rememberSecret }), [findSecret, rememberSecret]);
  return <FreshSecretsContext value={value}>{children}</FreshSecretsContext>;
}

/** Access to the secrets that were made since this page was loaded. */
export function useFreshSecrets(): FreshSecrets {
  return useContext(FreshSecretsContext);
}
