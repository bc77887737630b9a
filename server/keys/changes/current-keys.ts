import type { Clock } from '../../kernel/clock.js';

/** Tells without asking the database whether a key still stands. */
export interface KeyWatch {
  /**
   * @param revision As the caller has read it; undefined: the caller does not know it.
   * @returns true only if the key is known to stand unchanged at this revision: a change of it is not answered to whoever made
   *   it while this says true on any instance. false says nothing about the key; ask the database.
   */
  isCurrent(keyId: string, revision: number | undefined): boolean;
}

/** What was changed. */
export interface ChangedKey {
  readonly accountId: string;
  /** null: all keys of the account, or the account itself. */
  readonly keyId: string | null;
}

/** A key as it was read from the database. */
export interface ReadKey {
  readonly keyId: string;
  readonly accountId: string;
  readonly revision: number;
  /** When it ends by itself, by the server's clock; null: never. */
  readonly expiresAtMs: number | null;
}

/** A key that is watched, and what has become of it. */
export interface KnownKey extends ReadKey {
  /** `forgotten`: nothing was heard of it, and nothing will be. */
  readonly standing: 'unchanged' | 'changed' | 'forgotten';
}

type MutableKnownKey = { -readonly [Name in keyof KnownKey]: KnownKey[Name] } & { readElapsedMs: number };

const knownMax = 50_000;

/** The keys that this instance has read, and of which it would have heard had they been changed. Bounded: the oldest are forgotten. */
export class CurrentKeys implements KeyWatch {
  readonly #known = new Map<string, MutableKnownKey>();
  readonly #keysOfAccounts = new Map<string, Set<string>>();
  readonly #listeners: ((changed: ChangedKey | null) => void)[] = [];
  #position = 0;

  /**
   * @param hasRight Whether this instance would have heard of every change that was answered. Asked each time.
   * @param goodForMs For so long a key is current after it was read; left out: until something is heard of it.
   */
  constructor(
    private readonly clock: Clock,
    private readonly hasRight: () => boolean,
    private readonly goodForMs = Number.POSITIVE_INFINITY,
  ) {}

  /** Taken before a key is read, for `know`. */
  get position(): number {
    return this.#position;
  }

  /**
   * Watches a key from the moment at which it was read.
   * @param position As it was before the key was read.
   * @returns null when something was changed since: what was read may be old, and must not be remembered.
   */
  know(position: number, { keyId, accountId, revision, expiresAtMs }: ReadKey): KnownKey | null {
    if (position !== this.#position) return null;
    const earlier = this.#known.get(keyId);
    const readElapsedMs = this.clock.elapsedMs();
    if (earlier?.revision === revision && earlier.expiresAtMs === expiresAtMs)
      return Object.assign(earlier, { readElapsedMs });
    // Changed by somebody who has told nobody, as the release before does.
    if (earlier) this.#end(earlier, 'changed');
    const oldest = this.#known.size >= knownMax ? this.#known.values().next().value : undefined;
    if (oldest) this.#end(oldest, 'forgotten');
    const known: MutableKnownKey = { keyId, accountId, revision, expiresAtMs, readElapsedMs, standing: 'unchanged' };
    this.#known.set(keyId, known);
    const ofAccount = this.#keysOfAccounts.get(accountId) ?? new Set();
    this.#keysOfAccounts.set(accountId, ofAccount.add(keyId));
    return known;
  }

  /** Whether this instance would have heard of every change that was answered, on whichever server it was made. */
  get isUpToDate(): boolean {
    return this.hasRight();
  }

  isCurrent(keyId: string, revision: number | undefined): boolean {
    const known = this.#known.get(keyId);
    if (known === undefined || known.revision !== revision) return false;
    if (this.clock.elapsedMs() - known.readElapsedMs >= this.goodForMs) return false;
    if (this.clock.nowMs() >= (known.expiresAtMs ?? Number.POSITIVE_INFINITY)) return false;
    return this.hasRight();
  }

  /** Calls `listener` with each change that this instance takes over, once nothing here takes the key for current; null: of all keys. */
  onChange(listener: (changed: ChangedKey | null) => void): void {
    this.#listeners.push(listener);
  }

  /** Takes over a change. */
  drop(changed: ChangedKey): void {
    this.#position += 1;
    const keyIds = changed.keyId === null ? (this.#keysOfAccounts.get(changed.accountId) ?? []) : [changed.keyId];
    for (const keyId of [...keyIds]) {
      const known = this.#known.get(keyId);
      if (known) this.#end(known, 'changed');
    }
    for (const listener of this.#listeners) listener(changed);
  }

  /** Takes over that nobody knows what was changed. */
  dropAll(): void {
    this.#position += 1;
    for (const known of [...this.#known.values()]) this.#end(known, 'changed');
    for (const listener of this.#listeners) listener(null);
  }

  #end(known: MutableKnownKey, standing: 'changed' | 'forgotten'): void {
    known.standing = standing;
    this.#known.delete(known.keyId);
    const ofAccount = this.#keysOfAccounts.get(known.accountId);
    ofAccount?.delete(known.keyId);
    if (ofAccount?.size === 0) this.#keysOfAccounts.delete(known.accountId);
  }
}
