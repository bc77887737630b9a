import { findLocalStorage } from '../browser-storage';
import { customerView } from './customer-view';

const storageKey = 'tollgate.signed-in-here';

/*
 * Whether somebody was signed in on this browser when it was last used. It only spares a wait: the session itself is a cookie
 * that no script can read, and the server has the last word. `public/before-first-paint.js` reads the key, too.
 */

export function isKnownVisitor(): boolean {
  if (customerView) return true;
  return (findLocalStorage()?.getItem(storageKey) ?? null) !== null;
}

export function noteVisitor(isSignedIn: boolean): void {
  // It says nothing of who is signed in on this browser.
  if (customerView) return;
  try {
    if (isSignedIn) findLocalStorage()?.setItem(storageKey, 'yes');
    else findLocalStorage()?.removeItem(storageKey);
  } catch {
    // Where nothing may be stored, each visit waits for the server's word.
  }
}
