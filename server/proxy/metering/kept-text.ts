const blockCharacters = 4_096;

/**
 * A text that comes in pieces, kept whole up to a bound so that its tokens can be counted later. What goes beyond the bound is
 * measured only, and counts as a token a byte.
 */
export class KeptText {
  // Joined block by block: thousands of little pieces would weigh many times what they say.
  readonly #blocks: string[] = [];
  #tail = '';
  #keptCharacters = 0;
  #bytes = 0;
  #bytesBeyond = 0;

  /** @param charactersMax How much of it is kept. */
  constructor(private readonly charactersMax: number) {}

  add(piece: string): void {
    const bytes = Buffer.byteLength(piece);
    this.#bytes += bytes;
    if (this.#keptCharacters + piece.length > this.charactersMax) {
      this.#bytesBeyond += bytes;
      return;
    }
    this.#keptCharacters += piece.length;
    this.#tail += piece;
    if (this.#tail.length < blockCharacters) return;
    this.#blocks.push(Buffer.from(this.#tail).toString());
    this.#tail = '';
  }

  /** What is kept, in order. */
  get texts(): readonly string[] {
    return this.#tail === '' ? this.#blocks : [...this.#blocks, this.#tail];
  }

  /** Of the whole, in UTF-8. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Of what is not kept. */
  get bytesBeyond(): number {
    return this.#bytesBeyond;
  }
}
