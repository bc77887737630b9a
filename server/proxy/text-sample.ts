/**
 * The beginning of a text that comes in pieces, and the length of the whole: enough to estimate from, however long it gets.
 */
export class TextSample {
  #text = '';
  #bytes = 0;

  /** @param charactersMax How much of the text is kept. */
  constructor(private readonly charactersMax: number) {}

  add(piece: string): void {
    this.#bytes += Buffer.byteLength(piece);
    const room = this.charactersMax - this.#text.length;
    if (room > 0) this.#text += piece.length > room ? piece.slice(0, room) : piece;
  }

  get text(): string {
    return this.#text;
  }

  /** Of the whole, in UTF-8. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many tokens the whole has, if the part that is kept has so many. */
  scale(tokens: number): number {
    const keptBytes = Buffer.byteLength(this.#text);
    return keptBytes === 0 ? 0 : Math.ceil((tokens * this.#bytes) / keptBytes);
  }
}
