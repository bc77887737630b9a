/** Random choices, the same for the same seed (a whole number), so that a failed run can be repeated. */
export class SeededChoices {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  oneOf<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  /** A whole number from 0 up to, not including, `limit`; by mulberry32. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }
}
