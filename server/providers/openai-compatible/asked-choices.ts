/**
 * Which choices of one answer were asked for, and their numbers from 0. A number of the provider's that fits is kept; another one, as
 * of a provider that counts from 1, becomes the lowest that is free. What comes once all have been given away was never asked
 * for: nobody pays for it and no output cap holds it, so it is left out.
 */
export class AskedChoices {
  /** The provider's number -> ours. Never more than were asked for. */
  readonly #numbers = new Map<unknown, number>();

  /** @param count How many were asked for. */
  constructor(private readonly count: number) {}

  /** @returns the number of the choice from 0; null for one too many. */
  find(theirs: unknown): number | null {
    const known = this.#numbers.get(theirs);
    if (known !== undefined) return known;
    const taken = new Set(this.#numbers.values());
    if (taken.size >= this.count) return null;
    const free = Array.from({ length: this.count }, (_, index) => index).filter((index) => !taken.has(index));
    const number = free.find((index) => index === theirs) ?? free[0];
    if (number === undefined) return null;
    this.#numbers.set(theirs, number);
    return number;
  }
}
