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

/** A watch that also says whether it hears of every change: no server runs that tells nobody of its own. */
export interface ToldKeyWatch extends KeyWatch {
  readonly isTold: boolean;
}

/**
 * The same, and the playground's, which is no key: its owner's session vouches for each call. Beside a server of the release before,
 * which knows no leases, nothing is current.
 */
export function watchKeys(keys: ToldKeyWatch): KeyWatch {
  return {
    isCurrent: (keyId, revision) => (keyId === playgroundKeyId ? keys.isTold : keys.isCurrent(keyId, revision)),
  };
}
