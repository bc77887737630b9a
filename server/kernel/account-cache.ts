import type { Stopwatch } from './clock.js';

/** The changes of accounts, as this instance learns of them. */
export interface AccountChangeWatch {
  /** Whether it has learned of every change that was answered, on whichever instance. */
  readonly isUpToDate: boolean;
  /** Calls with the account, or with what several accounts share, that was changed; null: anything may have been. */
  onChange(listener: (changed: { readonly accountId: string } | null) => void): void;
}

export interface AccountCacheParts<Value> {
  /** A rejection is passed on to whoever asks, and not cached. */
  readonly read: (accountId: string) => Promise<Value>;
  readonly watch: AccountChangeWatch;
  readonly clock: Stopwatch;
  /** For how long a value may be used while `watch` is up to date. */
  readonly watchedMsMax: number;
  /** What several accounts share: whether this is the id of such a thing, and whether a value came of it. Left out: nothing. */
  readonly shared?: {
    readonly isId: (changedId: string) => boolean;
    readonly isOf: (value: Value, changedId: string) => boolean;
  };
}

interface Entry<Value> {
  readonly value: Value;
  readonly readElapsedMs: number;
}

/** For how long a value may be used while changes of it might be missed. */
const unwatchedMsMax = 5_000;
const entriesMax = 50_000;

/** A cache of one value for each account, dropped when the account changes; of 50,000 accounts at most. */
export class AccountCache<Value> {
  // A Map keeps the order of insertion, so its first entry is the oldest.
  readonly #entries = new Map<string, Entry<Value>>();
  #changes = 0;

  constructor(private readonly parts: AccountCacheParts<Value>) {
    parts.watch.onChange((changed) => this.#applyChange(changed?.accountId ?? null));
  }

  /** At once where it is cached, so that a call waits for nothing. @throws what `read` is rejected with. */
  find(accountId: string): Value | Promise<Value> {
    const entry = this.#entries.get(accountId);
    return entry && this.#isValid(entry) ? entry.value : this.#read(accountId);
  }

  #isValid({ readElapsedMs }: Entry<Value>): boolean {
    const ageMs = this.parts.clock.elapsedMs() - readElapsedMs;
    return ageMs < unwatchedMsMax || (ageMs < this.parts.watchedMsMax && this.parts.watch.isUpToDate);
  }

  async #read(accountId: string): Promise<Value> {
    const changes = this.#changes;
    const readElapsedMs = this.parts.clock.elapsedMs();
    const value = await this.parts.read(accountId);
    // What was changed meanwhile may not be in it: good for this call, and read again for the next.
    if (changes === this.#changes) this.#add(accountId, { value, readElapsedMs });
    return value;
  }

  #add(accountId: string, entry: Entry<Value>): void {
    this.#entries.delete(accountId);
    const oldest = this.#entries.size >= entriesMax ? this.#entries.keys().next().value : undefined;
    if (oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(accountId, entry);
  }

  #applyChange(changedId: string | null): void {
    this.#changes += 1;
    const { shared } = this.parts;
    if (changedId === null) this.#entries.clear();
    else if (shared?.isId(changedId)) {
      for (const [accountId, { value }] of this.#entries)
        if (shared.isOf(value, changedId)) this.#entries.delete(accountId);
    } else this.#entries.delete(changedId);
  }
}
