import type { AppError } from '../kernel/app-error.js';
import type { HttpExchange, ResponseHead } from './http-exchange.js';
import type { HttpTarget, UpstreamRefusal } from './provider-adapter.js';

const refusalBytesMax = 64 * 1024;

/**
 * Reads a provider's words to a status that is no success, 64 KiB of them at most, and makes the caller's error of it.
 * @throws the reason of the signal, if it was aborted meanwhile.
 */
export async function readRefusal(
  exchange: HttpExchange,
  head: ResponseHead,
  { target, signal }: { readonly target: HttpTarget; readonly signal: AbortSignal | null },
): Promise<AppError> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for (let piece = await exchange.read(); piece !== null && bytes < refusalBytesMax; piece = await exchange.read()) {
      pieces.push(piece);
      bytes += piece.length;
    }
    exchange.release();
  } catch (error) {
    // The status says enough, even when the words to it were cut off.
    if (signal?.aborted) throw error;
  }
  const body = Buffer.concat(pieces).toString('utf8', 0, refusalBytesMax);
  const refusal: UpstreamRefusal = { status: head.status, retryAfterMs: findRetryAfterMs(head), body };
  return target.adapter.parseError(refusal, target);
}

// A date instead of seconds is left alone: providers of models send seconds, and the clocks may differ.
function findRetryAfterMs({ headers }: ResponseHead): number | null {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  const waitMs = Number.isFinite(ms) ? ms : seconds * 1_000;
  return Number.isFinite(waitMs) && waitMs >= 0 ? Math.ceil(waitMs) : null;
}
