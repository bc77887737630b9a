import { playgroundKeyId } from '../kernel/ids.js';

/**
 * Tells whether a key stands as it was read, so that a call can be let in without a look at the database.
 *
 * `true` is a promise: no change of this key that has been answered, on any instance, is missing from that revision. Whoever
 * does not know says `false`; then the database is asked.
 */
export interface KeyWatch {
  isCurrent(keyId: string, revision: number | undefined): boolean;
}

/** The same, and the playground's, which is no key: its owner's session vouches for each call. */
export function watchKeys(keys: KeyWatch): KeyWatch {
  return { isCurrent: (keyId, revision) => keyId === playgroundKeyId || keys.isCurrent(keyId, revision) };
}
