import type { HttpExchange } from '../http-exchange.js';
import { WaitBehindWhole } from './wait-behind-whole.js';

interface PieceOptions {
  /** What was read already; null: there is nothing, and nothing follows. */
  readonly first: Buffer | null;
  /** Whether what was given so far is a whole answer, which nothing but blanks can follow. Asked where the next piece has to be waited for. */
  readonly isWhole: () => boolean;
  /** The caller's wish to stop; null: nobody can. */
  readonly signal: AbortSignal | null;
}

/**
 * Gives the bytes of an answer as they come, to its end. What is whole has its end a second later, and where reading fails behind it: a
 * connection that is never closed, or is reset, neither takes an answer from its caller, which its provider bills, nor keeps it back.
 * @throws what reading throws, unless the answer was whole.
 */
export async function* readPieces(
  exchange: Pick<HttpExchange, 'read'>,
  { first, isWhole, signal }: PieceOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const wait = new WaitBehindWhole();
  try {
    for (let piece = first; piece !== null; ) {
      yield piece;
      const next = exchange.read();
      piece = await (next instanceof Promise && isWhole() ? wait.next(next) : next);
    }
  } catch (error) {
    if (signal?.aborted || !isWhole()) throw error;
  } finally {
    wait.end();
  }
}
