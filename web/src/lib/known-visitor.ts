const storageKey = 'tollgate.signed-in-here';

/*
 * Whether somebody was signed in on this browser when it was last used. It only spares a wait: the session itself is a cookie
 * that no script can read, and the server has the last word.
 */

export function isKnownVisitor(): boolean {
  try {
    return localStorage.getItem(storageKey) !== null;
  } catch {
    return false;
  }
}

export function noteVisitor(isSignedIn: boolean): void {
  try {
    if (isSignedIn) localStorage.setItem(storageKey, 'yes');
    else localStorage.removeItem(storageKey);
  } catch {
    // Where nothing may be stored, each visit waits for the server's word.
  }
}
