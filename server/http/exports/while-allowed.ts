import { AppError } from '../../kernel/app-error.js';

/** For so long nobody asks again whether somebody may still have what is read for them. */
const usualTrustMs = 2_000;

/**
 * The same pieces, no longer than their reader may have them: asked again before the next one once two seconds have passed.
 * @param trustMs How long an answer holds, in milliseconds; 0: for one piece.
 * @throws AppError `unauthenticated` once they may not; what `isStillAllowed` throws.
 */
export async function* whileAllowed<Piece>(
  pieces: AsyncIterable<Piece>,
  isStillAllowed: () => Promise<boolean>,
  trustMs = usualTrustMs,
): AsyncGenerator<Piece, void, undefined> {
  let askedAtMs = performance.now();
  for await (const piece of pieces) {
    const nowMs = performance.now();
    if (nowMs - askedAtMs >= trustMs) {
      if (!(await isStillAllowed())) throw new AppError('unauthenticated', 'Whoever reads this may not any more.');
      askedAtMs = nowMs;
    }
    yield piece;
  }
}
