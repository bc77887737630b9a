import { findLocalStorage } from '../browser-storage';
import { customerView } from './customer-view';

const storageKey = 'tollgate.signed-in-here';

/*
 * Whether somebody was signed in on this browser when it was last used. It only spares a wait: the session itself is a cookie
 * that no script can read, and the server has the last word. A browser that has kept nothing of it, as Safari forgets after a week
 * what scripts have kept, is told by the server, which marks the page where it sees such a cookie (`http/pages/listed-pages.ts`).
 * `public/before-first-paint.js` reads the key, too.
 */

const mark = 'data-known-visitor';

/** As this browser keeps it; else as the page was marked when it began. */
export function isKnownVisitor(): boolean {
  if (customerView) return true;
  const kept = findLocalStorage()?.getItem(storageKey) ?? null;
  return kept === null ? document.documentElement.hasAttribute(mark) : kept === 'yes';
}

/** "No" is kept as well, since the cookie of a session that has ended may still be there. */
export function noteVisitor(isSignedIn: boolean): void {
  // It says nothing of who is signed in on this browser.
  if (customerView) return;
  document.documentElement.toggleAttribute(mark, isSignedIn);
  try {
    findLocalStorage()?.setItem(storageKey, isSignedIn ? 'yes' : 'no');
  } catch {
    // Where nothing may be stored, the cookie alone tells.
  }
}
