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
 * Hands on the bytes of an answer as they come, to its end. What is whole has its end a second later, and where reading fails behind it: a
 * connection that is never closed, or is reset, neither takes an answer from its caller, which its provider bills, nor keeps it back.
 * @throws what reading throws, unless the answer was whole; what `take` throws.
 */
export async function readPieces(
  exchange: Pick<HttpExchange, 'read'>,
  { first, isWhole, signal }: PieceOptions,
  take: (piece: Buffer) => void,
): Promise<void> {
  const wait = new WaitBehindWhole(exchange, { isWhole, hasAll: isWhole, signal });
  try {
    for (let piece = first; piece !== null; ) {
      take(piece);
      const next = wait.read();
      piece = next instanceof Promise ? await next : next;
    }
  } finally {
    wait.end();
  }
}
