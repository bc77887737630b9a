import { findTabStorage } from '../browser-storage';
import { changesSoFar } from './account-switch';
import { customerView } from './customer-view';
import { invitationKeys } from './kept-invitation';
import { hasOwnerChangedElsewhere, takeOwnerOfBrowser } from './session-owner';

const seenKey = 'tollgate.session-changes-seen';

const listeners = new Set<() => void>();
let session = 0;

/**
 * Which session this page is in: a number that is another one after each end. What was begun in an earlier one (a request, an
 * answer that still arrives) must keep nothing of it for whoever sits there next.
 */
export function currentSession(): number {
  return session;
}

/** Ends what this tab has of the session: drafts and secrets that it keeps, and whatever still runs. An invitation belongs to none, and stays. */
export function endSessionOfTab(): void {
  session += 1;
  forgetKept();
  for (const listener of [...listeners]) listener();
}

/** Listens for the end of the session in this tab. @returns what ends that. */
export function onSessionEnd(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Forgets what an earlier page of this tab has kept, where somebody has signed out since, switched to another account, or signed in
 * in the place of another, and this tab could not hear of it: it was at a checkout, or asleep. To be called before anything kept is
 * read.
 */
export function forgetEndedSession(): void {
  if (customerView) return;
  const [tab, changes] = [findTabStorage(), changesSoFar()];
  if (tab !== null && changes !== null) {
    if (changes !== tab.getItem(seenKey) || hasOwnerChangedElsewhere()) forgetKept();
    try {
      tab.setItem(seenKey, changes);
    } catch {
      // Full: the next page forgets once more.
    }
  }
  takeOwnerOfBrowser();
}

function forgetKept(): void {
  const tab = findTabStorage();
  for (const key of Object.keys(tab ?? {})) if (!invitationKeys.includes(key)) tab?.removeItem(key);
}
