import { playgroundKeyId } from '../../kernel/ids.js';

/**
 * Tells whether a key stands as it was read, so that a call can be let in without a look at the database.
 *
 * `true` is a promise: no change of this key that has been answered, on any instance, is missing from that revision. Whoever
 * does not know says `false`; then the database is asked.
 */
export interface KeyWatch {
  isCurrent(keyId: string, revision: number | undefined): boolean;
}

/**
 * The same, and the playground's, which is no key: its owner's session vouches for each call. Beside a server of the release before,
 * which knows no leases, nothing is current.
 * @param keys `isUpToDate`: it learns of every change, since no server runs that announces none of its own.
 */
export function watchKeys(keys: KeyWatch & { readonly isUpToDate: boolean }): KeyWatch {
  return {
    isCurrent: (keyId, revision) => (keyId === playgroundKeyId ? keys.isUpToDate : keys.isCurrent(keyId, revision)),
  };
}
