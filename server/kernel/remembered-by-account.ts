import type { Stopwatch } from './clock.js';

/** What this instance hears of changes of accounts. */
export interface AccountChangeWatch {
  /** Whether it would have heard of every change that was answered. */
  readonly isTold: boolean;
  /** Calls with the account, or with what several accounts share, that was changed; null: anything may have been. */
  onChange(listener: (changed: { readonly accountId: string } | null) => void): void;
}

export interface RememberedByAccountParts<Value> {
  /** A rejection is told to whoever asks, and remembered by nobody. */
  readonly read: (accountId: string) => Promise<Value>;
  readonly watch: AccountChangeWatch;
  readonly clock: Stopwatch;
  /** For so long a value is remembered while this instance is told of changes. */
  readonly toldForMs: number;
  /** What several accounts share: whether this is the id of such a thing, and whether a value came of it. Left out: nothing. */
  readonly shared?: {
    readonly isId: (changedId: string) => boolean;
    readonly isOf: (value: Value, changedId: string) => boolean;
  };
}

interface Remembered<Value> {
  readonly value: Value;
  readonly readElapsedMs: number;
}

/** For so long a value is remembered of which nothing would be heard. */
const freshMs = 5_000;
const rememberedMax = 50_000;

/** Something of each account, remembered while it is known to stand; of 50,000 accounts at most. */
export class RememberedByAccount<Value> {
  // A Map keeps the order of insertion, so its first entry is the oldest.
  readonly #remembered = new Map<string, Remembered<Value>>();
  #changes = 0;

  constructor(private readonly parts: RememberedByAccountParts<Value>) {
    parts.watch.onChange((changed) => this.#applyChange(changed?.accountId ?? null));
  }

  /** At once where it is remembered, so that a call waits for nothing. @throws what `read` is rejected with. */
  find(accountId: string): Value | Promise<Value> {
    const remembered = this.#remembered.get(accountId);
    return remembered && this.#isFresh(remembered) ? remembered.value : this.#read(accountId);
  }

  #isFresh({ readElapsedMs }: Remembered<Value>): boolean {
    const ageMs = this.parts.clock.elapsedMs() - readElapsedMs;
    return ageMs < freshMs || (ageMs < this.parts.toldForMs && this.parts.watch.isTold);
  }

  async #read(accountId: string): Promise<Value> {
    const changes = this.#changes;
    const readElapsedMs = this.parts.clock.elapsedMs();
    const value = await this.parts.read(accountId);
    // What was changed meanwhile may not be in it: good for this call, and read again for the next.
    if (changes === this.#changes) this.#remember(accountId, { value, readElapsedMs });
    return value;
  }

  #remember(accountId: string, remembered: Remembered<Value>): void {
    this.#remembered.delete(accountId);
    const oldest = this.#remembered.size >= rememberedMax ? this.#remembered.keys().next().value : undefined;
    if (oldest !== undefined) this.#remembered.delete(oldest);
    this.#remembered.set(accountId, remembered);
  }

  #applyChange(changedId: string | null): void {
    this.#changes += 1;
    const { shared } = this.parts;
    if (changedId === null) this.#remembered.clear();
    else if (shared?.isId(changedId)) {
      for (const [accountId, { value }] of this.#remembered)
        if (shared.isOf(value, changedId)) this.#remembered.delete(accountId);
    } else this.#remembered.delete(changedId);
  }
}
