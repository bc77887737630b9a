import type { LeftCallRules } from '../config/time-settings.js';

/** The streams of this process whose callers have left and that are read on for their usage. */
export class LeftCalls {
  readonly #readOn = new Set<() => void>();
  #isClosing = false;

  constructor(readonly rules: LeftCallRules) {}

  /** How many there are now. */
  get count(): number {
    return this.#readOn.size;
  }

  /**
   * Notes that one is read on.
   * @param breakOff Ends it where it stands; called at once when the server is closing, at most once in any case.
   * @returns what is to be called when it has ended.
   */
  enter(breakOff: () => void): () => void {
    if (this.#isClosing) {
      breakOff();
      return () => {};
    }
    this.#readOn.add(breakOff);
    return () => this.#readOn.delete(breakOff);
  }

  /** Breaks all of them off, and from now on whoever leaves at once: the server has no more time for them. */
  breakOffAll(): void {
    this.#isClosing = true;
    for (const breakOff of [...this.#readOn]) breakOff();
    this.#readOn.clear();
  }
}
