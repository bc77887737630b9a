const storageKey = 'tollgate.account-switched';

/*
 * Every page of a browser has the same session, and so acts for the same account. A page that still shows another one would do
 * things to an account that it does not show.
 */

/** Tells the other pages of this browser that the session acts for another account now. */
export function tellOfSwitch(accountId: string): void {
  try {
    localStorage.setItem(storageKey, `${accountId} ${Date.now()}`);
  } catch {
    // Where nothing may be stored, another page shows the new account with its next answer.
  }
}

/** Listens for a switch in another page. @returns what ends that. */
export function onSwitchElsewhere(listener: () => void): () => void {
  const hear = ({ key }: StorageEvent) => {
    if (key === storageKey) listener();
  };
  window.addEventListener('storage', hear);
  return () => window.removeEventListener('storage', hear);
}
