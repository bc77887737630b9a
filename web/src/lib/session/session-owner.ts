import { findLocalStorage, findTabStorage } from '../browser-storage';
import { customerView, customerViewHeaders } from './customer-view';

const storageKey = 'tollgate.session-of';

/*
 * Of whom the things are that a tab keeps, and of whom the session of this browser was when a page last learned of it. A session
 * may end without a word to its tab, which keeps the drafts for the person who signs in again; for anybody else they must be gone.
 */

let shownOwner: string | null = null;
const listeners = new Set<() => void>();

/** Notes whose things this page shows; null: nobody's. */
export function noteShownOwner(owner: string | null): void {
  shownOwner = owner;
}

/** What tells the server whose things this page shows. It changes nothing for another session, which may have begun a moment ago. */
export function shownOwnerHeaders(): Readonly<Record<string, string>> {
  if (customerView || shownOwner === null) return customerViewHeaders;
  return { 'tollgate-session-of': shownOwner };
}

/** Tells this page that the server refuses it, since the session is another's than what it shows. */
export function tellOfOwnerElsewhere(): void {
  for (const listener of [...listeners]) listener();
}

/** Names whose session it is: a person, and the account that it acts for. */
export function ownerOf(personId: string, accountId: string): string {
  return `${personId} ${accountId}`;
}

/** Whether what this tab keeps is of another person or account. A tab that knows no owner has nothing of anybody. */
export function isTabOfAnother(owner: string): boolean {
  if (customerView) return false;
  const ofTab = read(findTabStorage());
  return ofTab !== null && ofTab !== owner;
}

/** Whether another page of this browser has learned since that the session is another's than this tab's. */
export function hasOwnerChangedElsewhere(): boolean {
  const ofBrowser = read(findLocalStorage());
  return ofBrowser !== null && isTabOfAnother(ofBrowser);
}

/** Notes whose session it is, for this tab, and for the browser's others, which learn of it where that is another's than before. */
export function noteOwner(owner: string): void {
  if (customerView) return;
  write(findTabStorage(), owner);
  write(findLocalStorage(), owner);
}

/** Has a tab that knows no owner be of whoever was last known in this browser: it shows their pages before the server has answered. */
export function takeOwnerOfBrowser(): void {
  const ofBrowser = read(findLocalStorage());
  if (ofBrowser !== null && read(findTabStorage()) === null) write(findTabStorage(), ofBrowser);
}

/** Of whom the session of this browser was when a page last learned of it; null: not known, or signed out since. */
export function findOwnerOfBrowser(): string | null {
  return read(findLocalStorage());
}

/** Nobody is known in this browser any more. */
export function forgetOwnerOfBrowser(): void {
  findLocalStorage()?.removeItem(storageKey);
}

/** Listens for a session of another, of which another page or the server has told; a tab that slept meanwhile is told when it is seen again. @returns what ends that. */
export function onOwnerElsewhere(listener: () => void): () => void {
  const check = () => {
    if (document.visibilityState === 'visible' && hasOwnerChangedElsewhere()) listener();
  };
  const onStorage = ({ key }: StorageEvent) => {
    if (key === storageKey && hasOwnerChangedElsewhere()) listener();
  };
  listeners.add(listener);
  window.addEventListener('storage', onStorage);
  document.addEventListener('visibilitychange', check);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', onStorage);
    document.removeEventListener('visibilitychange', check);
  };
}

function read(storage: Storage | null): string | null {
  return storage?.getItem(storageKey) ?? null;
}

function write(storage: Storage | null, owner: string): void {
  try {
    storage?.setItem(storageKey, owner);
  } catch {
    // Full. An owner of before would be told to each page as another's.
    storage?.removeItem(storageKey);
  }
}
