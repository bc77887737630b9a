import { findTabStorage } from '../browser-storage';

const memberKey = 'tollgate.invitation';
const signUpKey = 'tollgate.sign-up-invitation';

/** Where they are kept. */
export const invitationKeys: readonly string[] = [memberKey, signUpKey];

/*
 * The token of an invitation, from the opening of its link until it is used: whoever opens it may have to sign up, or go to another
 * provider, first. It lives as long as the tab, and stands in no address that a server sees.
 */

/** Takes the token of an invitation to an account out of the address, or what was kept of it before; empty: there is none. */
export function keepInvitation(hash: string): string {
  return keep(memberKey, hash.replace(/^#/, ''));
}

export function forgetInvitation(): void {
  forget(memberKey);
}

/** The same of an invitation to sign up. */
export function keepSignUpInvitation(hash = ''): string {
  return keep(signUpKey, /^#(tgs_.+)$/.exec(hash)?.[1] ?? '');
}

export function forgetSignUpInvitation(): void {
  forget(signUpKey);
}

function keep(storageKey: string, token: string): string {
  const tab = findTabStorage();
  try {
    if (token !== '') tab?.setItem(storageKey, token);
  } catch {
    return token;
  }
  return token || (tab?.getItem(storageKey) ?? '');
}

function forget(storageKey: string): void {
  findTabStorage()?.removeItem(storageKey);
}
