import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { isId } from '../kernel/ids.js';
import { listPriceMultiplier } from '../kernel/token-price.js';
import type { PriceGroup } from './price-groups.js';

/** What this instance hears of changes. */
export interface PriceChangeWatch {
  /** Whether it would have heard of every change that was answered. */
  readonly isTold: boolean;
  /** Calls with the account or the group that was changed; null: anything may have been. */
  onChange(listener: (changed: { readonly accountId: string } | null) => void): void;
}

export interface AccountPricesParts {
  readonly findGroup: (accountId: string) => Promise<Pick<PriceGroup, 'id' | 'multiplier'> | null>;
  readonly watch: PriceChangeWatch;
  readonly clock: Clock;
  /** For so long a price is remembered while this instance is told of changes. */
  readonly toldForMs: number;
}

interface Remembered {
  readonly multiplier: number;
  readonly groupId: string | null;
  readonly readAtMs: number;
}

/** For so long a price is remembered of which nothing would be heard. */
const freshMs = 5_000;
const rememberedMax = 50_000;

/** What each account pays, in per mille of the list price, remembered while it is known to stand. */
export class AccountPrices {
  // A Map keeps the order of insertion, so its first entry is the oldest.
  readonly #remembered = new Map<string, Remembered>();
  #changes = 0;

  constructor(private readonly parts: AccountPricesParts) {
    parts.watch.onChange((changed) => this.#applyChange(changed?.accountId ?? null));
  }

  /**
   * At once where it is remembered, so that a call waits for nothing.
   * @throws AppError `service_unavailable` when the database does not answer: nobody is charged by a guess.
   */
  find(accountId: string): number | Promise<number> {
    const remembered = this.#remembered.get(accountId);
    return remembered && this.#isFresh(remembered) ? remembered.multiplier : this.#read(accountId);
  }

  #isFresh({ readAtMs }: Remembered): boolean {
    const ageMs = this.parts.clock.nowMs() - readAtMs;
    return ageMs < freshMs || (ageMs < this.parts.toldForMs && this.parts.watch.isTold);
  }

  async #read(accountId: string): Promise<number> {
    const changes = this.#changes;
    const readAtMs = this.parts.clock.nowMs();
    const group = await this.parts.findGroup(accountId).catch((cause: unknown) => {
      const message = 'Prices cannot be read right now; nothing was charged. Try again shortly.';
      throw new AppError('service_unavailable', message, { retryAfterMs: 2_000, cause });
    });
    const multiplier = group?.multiplier ?? listPriceMultiplier;
    // What was changed meanwhile may not be in it: good for this call, and read again for the next.
    if (changes === this.#changes) this.#remember(accountId, { multiplier, groupId: group?.id ?? null, readAtMs });
    return multiplier;
  }

  #remember(accountId: string, remembered: Remembered): void {
    this.#remembered.delete(accountId);
    const oldest = this.#remembered.size >= rememberedMax ? this.#remembered.keys().next().value : undefined;
    if (oldest !== undefined) this.#remembered.delete(oldest);
    this.#remembered.set(accountId, remembered);
  }

  #applyChange(changedId: string | null): void {
    this.#changes += 1;
    if (changedId === null) this.#remembered.clear();
    else if (isId('priceGroup', changedId)) this.#forgetGroup(changedId);
    else this.#remembered.delete(changedId);
  }

  #forgetGroup(changedGroupId: string): void {
    for (const [accountId, { groupId }] of this.#remembered)
      if (groupId === changedGroupId) this.#remembered.delete(accountId);
  }
}
