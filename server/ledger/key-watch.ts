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

/** Where several processes change keys: nothing is known here but that the playground has no key. */
export const blindKeyWatch: KeyWatch = { isCurrent: (keyId) => keyId === playgroundKeyId };

const changesRememberedMax = 100_000;
/** Longer than any request takes from the look at its key to its first token. */
const rememberedMs = 3_600_000;

/** For the one process of a SQLite file: whoever changes a key tells it, after the commit and before the answer. */
export class LocalKeyWatch implements KeyWatch {
  // The oldest first.
  readonly #changes = new Map<string, { readonly revision: number; readonly atMs: number }>();

  isCurrent(keyId: string, revision: number | undefined): boolean {
    if (keyId === playgroundKeyId) return true;
    if (revision === undefined || this.#changes.size >= changesRememberedMax) return false;
    return revision >= (this.#changes.get(keyId)?.revision ?? 0);
  }

  /** A key has this revision by now. */
  noteChange(keyId: string, revision: number): void {
    const earlier = this.#changes.get(keyId)?.revision ?? 0;
    this.#changes.delete(keyId);
    const atMs = performance.now();
    this.#changes.set(keyId, { revision: Math.max(revision, earlier), atMs });
    for (const [oldest, change] of this.#changes) {
      if (atMs - change.atMs < rememberedMs) break;
      this.#changes.delete(oldest);
    }
  }
}
