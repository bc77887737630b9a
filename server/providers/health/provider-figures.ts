import type { AttemptWatch } from './route-breaker.js';
import { findRouteFault } from './route-fault.js';

/** What the last attempts at one provider came to, in this process. */
export interface ProviderFigures {
  /** At most 256. */
  readonly attempts: number;
  readonly errors: number;
  /** The code of the last failure; null: none of them failed. */
  readonly lastErrorCode: string | null;
  /** Until the first byte of the answer, in whole milliseconds; null: none was answered. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

interface Attempt {
  readonly errorCode: string | null;
  readonly firstByteMs: number | null;
}

const keptMax = 256;

/** The last attempts at each provider of this process, as far as they say something of the provider. */
export class AttemptFigures {
  // One for each provider that was ever called; the operator's own words, so few.
  readonly #attempts = new Map<string, Attempt[]>();

  constructor(private readonly monotonicMs: () => number = () => performance.now()) {}

  /** The same watch, whose attempt is kept when it has ended. */
  watch(providerId: string, watch: AttemptWatch): AttemptWatch {
    const beganMs = this.monotonicMs();
    let firstByteMs: number | null = null;
    return {
      answered: () => {
        firstByteMs ??= Math.round(this.monotonicMs() - beganMs);
        watch.answered();
      },
      ended: (error, facts) => {
        // A refusal of the caller's request, and a caller who left, say nothing of the provider.
        const errorCode = findRouteFault(error, { hasOutput: facts?.hasOutput ?? false })?.error.code ?? null;
        this.#keep(providerId, { errorCode, firstByteMs });
        watch.ended(error, facts);
      },
    };
  }

  summarise(providerId: string): ProviderFigures {
    const attempts = this.#attempts.get(providerId) ?? [];
    const failed = attempts.filter(({ errorCode }) => errorCode !== null);
    const waits = attempts.flatMap(({ firstByteMs }) => firstByteMs ?? []).sort((one, other) => one - other);
    const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? null;
    return {
      attempts: attempts.length,
      errors: failed.length,
      lastErrorCode: failed.at(-1)?.errorCode ?? null,
      p50Ms: at(0.5),
      p95Ms: at(0.95),
    };
  }

  #keep(providerId: string, attempt: Attempt): void {
    const attempts = this.#attempts.get(providerId) ?? [];
    if (attempts.length === 0) this.#attempts.set(providerId, attempts);
    attempts.push(attempt);
    if (attempts.length > keptMax) attempts.shift();
  }
}
