/** So long more is waited for behind what is whole, in all. */
const waitBehindWholeMs = 1_000;

/** The wait for the end of an answer that is whole, whose connection may never be closed. */
export class WaitBehindWhole {
  #timer: NodeJS.Timeout | undefined;
  #over: Promise<null> | null = null;

  /** What comes next, or null once a second has passed since this was first asked. @throws what reading throws. */
  next(next: Promise<Buffer | null>): Promise<Buffer | null> {
    this.#over ??= new Promise((resolve) => {
      this.#timer = setTimeout(() => resolve(null), waitBehindWholeMs);
    });
    return Promise.race([next, this.#over]);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
