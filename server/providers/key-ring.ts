import type { Secret } from '../kernel/secret.js';
import type { KeyCooling, KeyUse } from './health/key-cooling.js';

/** One of several keys of a provider. */
export interface ProviderKey {
  readonly id: string;
  readonly secret: Secret;
  /** How many calls it takes beside the others; 1 to 1,000. */
  readonly weight: number;
}

type Caller = Omit<KeyUse, 'keyId'>;

/** The keys of one provider that the operator has set in the database; never empty. */
export class KeyRing {
  readonly first: ProviderKey;

  /** @param random From 0 to below 1. @throws where there is no key. */
  constructor(
    readonly keys: readonly ProviderKey[],
    readonly cooling: KeyCooling,
    private readonly random: () => number = Math.random,
  ) {
    const [first] = keys;
    if (first === undefined) throw new Error('A ring has one key or more.');
    this.first = first;
  }

  /**
   * The key for the next attempt of a call, by weight, among those that it has not tried and that do not rest from it. Where all do,
   * the first attempt gets the one that is soonest free: whether the provider is asked at all, its breaker says.
   * null: none is left to try.
   */
  pick(tried: ReadonlySet<string>, call: Caller, elapsedMs: number): ProviderKey | null {
    const untilMs = ({ id }: ProviderKey) => this.cooling.findUntilMs({ ...call, keyId: id }, elapsedMs);
    const free = this.keys.filter((key) => !tried.has(key.id) && untilMs(key) === null);
    if (free.length > 0) return this.#draw(free);
    if (tried.size > 0) return null;
    const freeAtMs = (key: ProviderKey) => untilMs(key) ?? elapsedMs;
    return this.keys.reduce((soonest, key) => (freeAtMs(key) < freeAtMs(soonest) ? key : soonest));
  }

  #draw(keys: readonly ProviderKey[]): ProviderKey {
    let left = this.random() * keys.reduce((sum, { weight }) => sum + weight, 0);
    for (const key of keys) {
      left -= key.weight;
      if (left < 0) return key;
    }
    return keys.at(-1) ?? this.first;
  }
}
