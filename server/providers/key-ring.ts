import type { Secret } from '../kernel/secret.js';

/** One of several keys of a provider. */
export interface ProviderKey {
  readonly id: string;
  readonly secret: Secret;
  /** How many calls it takes beside the others; 1 to 1,000. */
  readonly weight: number;
}

/** Until when keys cool down. Outlives the rings, which are made anew with every change of the operator's. */
export class KeyCooling {
  readonly #untilMs = new Map<string, number>();

  cool(keyId: string, untilMs: number): void {
    this.#untilMs.set(keyId, untilMs);
  }

  /** In milliseconds since 1970; null: it may be used now. */
  findUntilMs(keyId: string, nowMs: number): number | null {
    const untilMs = this.#untilMs.get(keyId);
    return untilMs === undefined || untilMs <= nowMs ? null : untilMs;
  }

  /** Forgets keys that are there no more. */
  keepOnly(keyIds: ReadonlySet<string>): void {
    for (const id of this.#untilMs.keys()) if (!keyIds.has(id)) this.#untilMs.delete(id);
  }
}

/** The keys of one provider that the operator has set in the database; never empty. */
export class KeyRing {
  readonly first: ProviderKey;

  /** @param random From 0 to below 1. @throws where there is no key. */
  constructor(
    readonly keys: readonly ProviderKey[],
    private readonly cooling: KeyCooling,
    private readonly random: () => number = Math.random,
  ) {
    const [first] = keys;
    if (first === undefined) throw new Error('A ring has one key or more.');
    this.first = first;
  }

  /**
   * The key for the next attempt of a call, by weight, among those that it has not tried and that are not cooling down. Where all are,
   * the first attempt gets the one that is soonest free: whether the provider is asked at all, its breaker says.
   * null: none is left to try.
   */
  pick(tried: ReadonlySet<string>, nowMs: number): ProviderKey | null {
    const free = this.keys.filter(({ id }) => !tried.has(id) && this.cooling.findUntilMs(id, nowMs) === null);
    if (free.length > 0) return this.#draw(free);
    return tried.size === 0 ? this.#findSoonestFree(nowMs) : null;
  }

  /** Leaves a key alone until then. */
  cool(keyId: string, untilMs: number): void {
    this.cooling.cool(keyId, untilMs);
  }

  #draw(keys: readonly ProviderKey[]): ProviderKey {
    let left = this.random() * keys.reduce((sum, { weight }) => sum + weight, 0);
    for (const key of keys) {
      left -= key.weight;
      if (left < 0) return key;
    }
    return keys.at(-1) ?? this.first;
  }

  #findSoonestFree(nowMs: number): ProviderKey {
    const untilMs = ({ id }: ProviderKey) => this.cooling.findUntilMs(id, nowMs) ?? nowMs;
    return this.keys.reduce((soonest, key) => (untilMs(key) < untilMs(soonest) ? key : soonest));
  }
}
