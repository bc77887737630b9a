/** How long a fresh secret is kept for its owner's way through the checkout. */
export const keptForMs = 30 * 60_000;

const storageKey = 'tollgate.fresh-secrets';

export type KeptSecrets = Readonly<Record<string, { readonly secret: string; readonly madeAtMs: number }>>;

/** What this needs of the browser's `sessionStorage`: it lives as long as the tab and is shared with nobody. */
export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The secrets made in this tab within the last half hour; anything older or unreadable counts as none. */
export function readKeptSecrets(storage: TabStorage | null, nowMs: number): KeptSecrets {
  try {
    const kept = JSON.parse(storage?.getItem(storageKey) ?? '{}') as KeptSecrets;
    return Object.fromEntries(Object.entries(kept).filter(([, { madeAtMs }]) => nowMs - madeAtMs < keptForMs));
  } catch {
    return {};
  }
}

/** Keeps these; a browser that allows no storage keeps nothing, which is all right. */
export function writeKeptSecrets(storage: TabStorage | null, kept: KeptSecrets): void {
  try {
    storage?.setItem(storageKey, JSON.stringify(kept));
  } catch {
    forgetKeptSecrets(storage);
  }
}

export function forgetKeptSecrets(storage: TabStorage | null): void {
  storage?.removeItem(storageKey);
}
