import type { HttpExchange } from '../http-exchange.js';

/** So long more is waited for behind what is whole, in all. */
const waitBehindWholeMs = 1_000;

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
  let wait: Wait | null = null;
  try {
    for (let piece = first; piece !== null; ) {
      yield piece;
      const next = exchange.read();
      if (next instanceof Promise && isWhole()) {
        wait ??= startWait();
        piece = await Promise.race([next, wait.over]);
      } else piece = await next;
    }
  } catch (error) {
    if (signal?.aborted || !isWhole()) throw error;
  } finally {
    clearTimeout(wait?.timer);
  }
}

interface Wait {
  readonly timer: NodeJS.Timeout;
  readonly over: Promise<null>;
}

function startWait(): Wait {
  let end: (end: null) => void = () => {};
  const over = new Promise<null>((resolve) => {
    end = resolve;
  });
  return { over, timer: setTimeout(() => end(null), waitBehindWholeMs) };
}
