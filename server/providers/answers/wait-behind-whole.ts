import type { HttpExchange } from '../http-exchange.js';

/** So long more is waited for behind what is whole, in all. */
const waitBehindWholeMs = 1_000;

interface WholeAnswerMarks {
  /** Whether what was read so far is a whole answer, which loses nothing when reading fails behind it. Asked where that matters. */
  readonly isWhole: () => boolean;
  /** Whether nothing is missing that is worth a longer wait. */
  readonly hasAll: () => boolean;
  /** The caller's wish to stop; null: nobody can. */
  readonly signal: AbortSignal | null;
}

/** Reads an answer to its end, which may never come behind one that is whole: its connection may stay open, or be reset. */
export class WaitBehindWhole {
  #timer: NodeJS.Timeout | undefined;
  #over: Promise<null> | null = null;

  constructor(
    private readonly exchange: Pick<HttpExchange, 'read'>,
    private readonly marks: WholeAnswerMarks,
  ) {}

  /**
   * The next bytes, at once where some have come; null at the end: of the answer, of a second behind all of it, or where reading fails behind a whole one.
   * @throws what reading throws before that, and after an abort.
   */
  read(): ReturnType<HttpExchange['read']> {
    try {
      const next = this.exchange.read();
      return next instanceof Promise ? (this.marks.hasAll() ? this.#soon(next) : next).catch(this.#orEnd) : next;
    } catch (error) {
      return this.#orEnd(error);
    }
  }

  readonly #orEnd = (error: unknown): null => {
    if (this.marks.signal?.aborted || !this.marks.isWhole()) throw error;
    return null;
  };

  end(): void {
    clearTimeout(this.#timer);
  }

  #soon(next: Promise<Buffer | null>): Promise<Buffer | null> {
    this.#over ??= new Promise((resolve) => {
      this.#timer = setTimeout(() => resolve(null), waitBehindWholeMs);
    });
    return Promise.race([next, this.#over]);
  }
}
