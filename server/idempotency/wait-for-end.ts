import { setTimeout as sleep } from 'node:timers/promises';
import { idempotencyErrors } from './idempotency-errors.js';
import type { ClaimIdentity, HandedAnswer, RunningClaims } from './running-claims.js';

/** How long who asks again waits for the first attempt. */
export interface JoinPatience {
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  /** While the first attempt runs in this process, whose end is heard at once. */
  readonly hereMs: number;
  /** While it runs elsewhere, which is asked for again and again. */
  readonly elsewhereMs: number;
}

const firstPollMs = 100;
const pollMsMax = 2_000;

/**
 * Makes what waits for the end of a claim: until it is heard where its call runs in this process, and a little longer each time
 * where it runs elsewhere. It answers with what the call has handed over, or null: look again.
 * It throws AppError `idempotency_key_in_use` when patience has ended, and what `signal` was aborted with.
 */
export function createWait(
  running: RunningClaims,
  identity: ClaimIdentity,
  { signal, hereMs, elsewhereMs }: JoinPatience,
): () => Promise<HandedAnswer | null> {
  const startedMs = performance.now();
  let pollMs = firstPollMs;
  return async () => {
    const ended = running.findEnd(identity);
    const leftMs = startedMs + (ended ? hereMs : elsewhereMs) - performance.now();
    if (leftMs <= 0) throw idempotencyErrors.inUse();
    const over = new AbortController();
    const timer = sleep(ended ? leftMs : Math.min(pollMs, leftMs), null, {
      signal: AbortSignal.any([signal, over.signal]),
    }).catch(() => null);
    const handed = await Promise.race([timer, ended ?? timer]);
    over.abort();
    signal.throwIfAborted();
    pollMs = Math.min(pollMs * 1.5, pollMsMax);
    return handed;
  };
}
