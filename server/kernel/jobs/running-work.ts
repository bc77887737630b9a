/** Knows how much of some work is under way. */
export class RunningWork {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#count -= 1;
    }
  }
}
