import { AppError } from '../../kernel/app-error.js';

/** How many each one has of what nobody may have many of. */
export class SeatCounter {
  readonly #taken = new Map<string, number>();

  constructor(private readonly max: number) {}

  /** @returns what gives the seat back; called again, it does nothing. @throws AppError `concurrency_limit_exceeded` when all are taken. */
  take(name: string, words: string): () => void {
    const taken = this.#taken.get(name) ?? 0;
    if (taken >= this.max) throw new AppError('concurrency_limit_exceeded', words, { retryAfterMs: 5_000 });
    this.#taken.set(name, taken + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (this.#taken.get(name) ?? 1) - 1;
      if (left > 0) this.#taken.set(name, left);
      else this.#taken.delete(name);
    };
  }
}
