import type { IncomingMessage } from 'node:http';

/** About how much of all large bodies is taken in before other work has its turn: a millisecond of it. */
const bytesPerTurn = 512 * 1024;

/**
 * Keeps large bodies from holding the event loop while they come in. Left alone, it reads two megabytes from each connection
 * before it turns to anything else, and what is done with them takes longer than the reading.
 */
export class ReadingPace {
  readonly #waiting = new Set<IncomingMessage>();
  #bytesInTurn = 0;

  /** Notes that so many bytes of a large body have just been taken in; it is read on at once, or in the loop's next turn. */
  note(request: IncomingMessage, bytes: number): void {
    if (this.#bytesInTurn === 0) setImmediate(() => this.#beginTurn());
    this.#bytesInTurn += bytes;
    if (this.#bytesInTurn < bytesPerTurn) return;
    request.pause();
    this.#waiting.add(request);
  }

  #beginTurn(): void {
    this.#bytesInTurn = 0;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const request of waiting) request.resume();
  }
}
