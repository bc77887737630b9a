import { findLocalStorage } from '../browser-storage';
import { forgetOwnerOfBrowser } from './session-owner';

const switchedKey = 'tollgate.account-switched';
const signedOutKey = 'tollgate.signed-out';

/*
 * Every page of a browser has the same session, and so acts for the same account. A page that still shows another one would do
 * things to an account that it does not show, and one that is still open after the sign-out would show what nobody should see.
 */

/** Tells the other pages of this browser that the session acts for another account now. */
export function tellOfSwitch(accountId: string): void {
  tell(switchedKey, accountId);
}

/** How a session was ended in another page: by a sign-out, or with the account. */
export type EndElsewhere = 'signed-out' | 'deleted';

/** Tells the other pages of this browser that somebody has signed out, or that their account is gone. */
export function tellOfSignOut(how: EndElsewhere = 'signed-out'): void {
  tell(signedOutKey, how);
}

/** Another text after each sign-out or switch in this browser; null where nothing may be stored. */
export function changesSoFar(): string | null {
  const storage = findLocalStorage();
  return storage && [signedOutKey, switchedKey].map((key) => storage.getItem(key) ?? '').join('; ');
}

/** Listens for a switch in another page. @returns what ends that. */
export function onSwitchElsewhere(listener: () => void): () => void {
  return listen(switchedKey, listener);
}

/** Listens for a sign-out in another page. @returns what ends that. */
export function onSignOutElsewhere(listener: (how: EndElsewhere) => void): () => void {
  return listen(signedOutKey, (told) => listener(told?.startsWith('deleted') ? 'deleted' : 'signed-out'));
}

function tell(key: string, what: string): void {
  try {
    forgetOwnerOfBrowser();
    findLocalStorage()?.setItem(key, `${what} ${Date.now()}`);
  } catch {
    // Where nothing may be stored, another page learns of it with its next answer.
  }
}

function listen(wantedKey: string, listener: (told: string | null) => void): () => void {
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if (key === wantedKey) listener(newValue);
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
