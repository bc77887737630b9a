import { AwakeTimer } from '../../kernel/jobs/awake-timer.js';

/** So much text goes to the counting thread at once: about half a second of its time at the very worst. */
const messageCharactersMax = 256 * 1024;
/** Texts of one message; a prompt may be made of very many little ones. */
const messageTextsMax = 4_096;

/** One job of the token counter: texts that are counted piece by piece, so that no piece holds up the others for long. */
export class CountingJob {
  readonly #sums: number[];
  /** The text that comes next, and how much of it was handed out. */
  #text = 0;
  #offset = 0;
  #charactersLeft: number;
  /** Whose pieces were handed out last. */
  #owners: number[] = [];
  #deadline: AwakeTimer | null = null;
  #hasEnded = false;

  constructor(
    private readonly texts: readonly string[],
    private readonly answer: (counts: readonly number[] | null) => void,
  ) {
    this.#sums = texts.map(() => 0);
    this.#charactersLeft = texts.reduce((sum, { length }) => sum + length, 0);
  }

  get charactersLeft(): number {
    return this.#charactersLeft;
  }

  get isCounted(): boolean {
    return this.#text >= this.texts.length;
  }

  /** Whether it was answered, be it because nobody waits any more. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Has this done after so long, unless it has ended by then. */
  endAfter(timeoutMs: number, giveUp: () => void): void {
    this.#deadline = new AwakeTimer(timeoutMs, giveUp);
  }

  /** Hands out the next pieces. */
  next(): string[] {
    const pieces: string[] = [];
    this.#owners = [];
    let room = messageCharactersMax;
    while (!this.isCounted && room > 0 && pieces.length < messageTextsMax) {
      const text = this.texts[this.#text] ?? '';
      const piece = text.slice(this.#offset, this.#offset + room);
      pieces.push(piece);
      this.#owners.push(this.#text);
      room -= piece.length;
      this.#offset += piece.length;
      this.#charactersLeft -= piece.length;
      if (this.#offset >= text.length) {
        this.#text += 1;
        this.#offset = 0;
      }
    }
    return pieces;
  }

  /** Takes the counts of the pieces that were handed out last. */
  add(counts: readonly number[]): void {
    this.#owners.forEach((owner, index) => {
      this.#sums[owner] = (this.#sums[owner] ?? 0) + (counts[index] ?? 0);
    });
  }

  /** Answers, once: with the counts, one for each text, or with null. */
  end(isCounted: boolean): void {
    this.#deadline?.stop();
    this.#hasEnded = true;
    this.answer(isCounted ? this.#sums : null);
  }
}

/** How many pieces a text of this length goes to the thread in. */
export function countMessages(characters: number): number {
  return Math.max(1, Math.ceil(characters / messageCharactersMax));
}
