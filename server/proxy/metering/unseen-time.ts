/** The time in which nothing of one choice was to be seen. */
export interface UnseenWait {
  readonly ms: number;
  /** Of the visible text that was made in this time: it came at its end, in one piece or in many at once. */
  readonly textBytes: number;
  /** Of the images among it. */
  readonly imageTokens: number;
}

/** What came of a choice that a caller can see. */
export interface VisiblePiece {
  readonly textBytes: number;
  readonly imageTokens: number;
}

interface FirstWords {
  readonly atMs: number;
  textBytes: number;
  imageTokens: number;
}

// A gateway that has waited for the whole answer writes it in as many pieces as it likes, but all at once.
const atOnceShare = 1 / 10;

/** Watches how long each choice showed nothing, and how much of what it then showed was made meanwhile. */
export class UnseenTime {
  readonly #firstWords = new Map<number, FirstWords>();
  #sentAtMs: number | null = null;

  /** Notes when the request went out; null: a new attempt, not yet sent. */
  noteSent(atMs: number | null): void {
    this.#sentAtMs = atMs;
  }

  /** When the request went out; null: it did not, or its provider lives in this process. */
  get sentAtMs(): number | null {
    return this.#sentAtMs;
  }

  noteVisible(choice: number, { textBytes, imageTokens }: VisiblePiece, atMs: number): void {
    const first = this.#firstWords.get(choice);
    if (first === undefined) {
      this.#firstWords.set(choice, { atMs, textBytes, imageTokens });
    } else if (this.#sentAtMs !== null && atMs - first.atMs <= (first.atMs - this.#sentAtMs) * atOnceShare) {
      first.textBytes += textBytes;
      first.imageTokens += imageTokens;
    }
  }

  /** One of each choice; none where nothing was sent. */
  findWaits(choices: number, endedAtMs: number): readonly UnseenWait[] {
    const sentAtMs = this.#sentAtMs;
    if (sentAtMs === null) return [];
    return Array.from({ length: choices }, (_, choice) => {
      const { atMs, textBytes, imageTokens } = this.#firstWords.get(choice) ?? {
        atMs: endedAtMs,
        textBytes: 0,
        imageTokens: 0,
      };
      return { ms: Math.max(0, atMs - sentAtMs), textBytes, imageTokens };
    });
  }
}
