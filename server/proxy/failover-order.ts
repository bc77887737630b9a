import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import type { ProviderKey } from '../providers/key-ring.js';
import type { UpstreamTarget } from '../providers/provider-adapter.js';

/** Where the provider does not say how long to wait. */
const rateLimitedMs = 30_000;
/** A key that is refused for what it is, or for its account, is rarely mended sooner. */
const refusedMs = 5 * 60_000;
const cooledMsMax = 5 * 60_000;

/** Whom one call asks next: the targets in their order, and of one with several keys one key after the other, each once. */
export class FailoverOrder {
  #index = 0;
  #key: ProviderKey | null = null;
  readonly #tried = new Set<string>();

  constructor(
    private readonly targets: readonly UpstreamTarget[],
    private readonly clock: Clock,
  ) {}

  /** The target with the key of this attempt; null: all were asked. */
  next(): UpstreamTarget | null {
    for (let target = this.targets[this.#index]; target !== undefined; target = this.targets[this.#index]) {
      if (target.kind !== 'http' || target.keys === undefined) {
        this.#moveOn();
        return target;
      }
      this.#key = target.keys.pick(this.#tried, this.clock.nowMs());
      if (this.#key !== null) {
        this.#tried.add(this.#key.id);
        return { ...target, apiKey: this.#key.secret };
      }
      this.#moveOn();
    }
    return null;
  }

  /** Asks no further key of the target that was given last. */
  skipTarget(): void {
    if (this.#key !== null) this.#moveOn();
  }

  /**
   * Is told how the attempt failed: a key that was refused, or has reached its rate, cools down for a while; anything else ends the turn
   * of this target.
   * @returns whether another key of the same target can be asked.
   */
  noteFailure(error: unknown): boolean {
    const target = this.targets[this.#index];
    if (this.#key === null || target?.kind !== 'http') return false;
    const restMs = findRestMs(error);
    if (restMs === null) {
      this.skipTarget();
      return false;
    }
    const nowMs = this.clock.nowMs();
    target.keys?.cool(this.#key.id, nowMs + restMs);
    return target.keys?.pick(this.#tried, nowMs) != null;
  }

  #moveOn(): void {
    this.#index += 1;
    this.#key = null;
    this.#tried.clear();
  }
}

// null: it was not the key.
function findRestMs(error: unknown): number | null {
  if (!(error instanceof AppError)) return null;
  if (error.code === 'provider_rate_limited') return Math.min(error.retryAfterMs ?? rateLimitedMs, cooledMsMax);
  return error.code === 'provider_unavailable' ? refusedMs : null;
}
