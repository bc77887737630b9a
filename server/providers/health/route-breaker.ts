import { AppError, type ErrorCode } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import type { UpstreamTarget } from '../provider-adapter.js';

export interface BreakerSettings {
  /** After so many failures in a row a route's circuit opens; 0: never. */
  readonly failuresMax: number;
  /** For how long, the first time; each failed probe doubles it, up to five minutes. */
  readonly openMs: number;
}

/** How a route does: answers; failed last time, or is just being tried again; its circuit is open. */
export type RouteState = 'healthy' | 'degraded' | 'down';

/** Hears how one attempt goes. */
export interface AttemptWatch {
  /** The provider has begun to answer. */
  answered(): void;
  /**
   * The attempt is over; `error` says how it failed, null that it did not.
   * @param isOfKey It failed by the key, and another key of the same provider is asked next: no fault of the route.
   */
  ended(error: unknown, isOfKey?: boolean): void;
}

const openMsMax = 5 * 60_000;

// What the provider, the way to it or our account there is to blame for. A refusal of the caller's request is none of it.
const providerFaults: ReadonlySet<ErrorCode> = new Set([
  'provider_error',
  'provider_timeout',
  'provider_overloaded',
  'provider_rate_limited',
  'provider_unavailable',
]);

// For want of something of our own: it says nothing of the provider.
const wasUnsent = (error: unknown): boolean => error instanceof AppError && error.code === 'service_unavailable';

const isProviderFault = (error: unknown): error is AppError =>
  error instanceof AppError && providerFaults.has(error.code);

/**
 * The circuit breaker of one provider and upstream model. It opens after some failures in a row, or at once when the
 * provider says how long to wait, which it then does. When the time is over, one call is let through as a probe: an answer
 * closes the breaker, another failure opens it for longer. A probe that fails by its caller or its request closes it too:
 * the provider was there to say so. After one that could not be sent for want of something of our own, the next call probes.
 */
export class RouteBreaker {
  #circuit: 'closed' | 'open' | 'probing' = 'closed';
  #failuresInARow = 0;
  /** How often it has opened since it last closed. */
  #openings = 0;
  #retryElapsedMs = 0;

  constructor(
    private readonly target: Pick<UpstreamTarget, 'providerId' | 'upstreamModel'>,
    private readonly settings: BreakerSettings,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  get state(): RouteState {
    if (this.#circuit === 'open') return 'down';
    return this.#circuit === 'probing' || this.#failuresInARow > 0 ? 'degraded' : 'healthy';
  }

  /** When the next probe is let through, in milliseconds since 1970; null: calls pass. */
  get retryAtMs(): number | null {
    return this.#circuit === 'closed' ? null : Math.round(this.clock.nowMs() + this.#leftMs);
  }

  /** Whether a call may go out now: the breaker is closed, or its time is over and nobody probes yet. */
  get isCallable(): boolean {
    if (this.#circuit !== 'open') return this.#circuit === 'closed';
    return this.#leftMs <= 0;
  }

  get #leftMs(): number {
    return this.#retryElapsedMs - this.clock.elapsedMs();
  }

  /** Lets one attempt through, as the probe where one is due; null: it may not go out. `ended` must follow. */
  begin(): AttemptWatch | null {
    if (!this.isCallable) return null;
    let isProbe = this.#circuit === 'open';
    if (isProbe) this.#circuit = 'probing';
    return {
      answered: () => {
        // Others wait for the probe's result, and the rest of its answer may take minutes.
        if (isProbe) this.#close();
        isProbe = false;
      },
      ended: (error, isOfKey = false) => {
        const isFault = !isOfKey && isProviderFault(error);
        if (isFault) this.#noteFailure(error, isProbe);
        else if (isProbe && wasUnsent(error)) this.#circuit = 'open';
        else if (isProbe) this.#close();
        else if (error === null || isOfKey) this.#failuresInARow = 0;
      },
    };
  }

  /** @param error one of `providerFaults` */
  #noteFailure(error: AppError, isProbe: boolean): void {
    this.#failuresInARow += 1;
    const askedMs = error.retryAfterMs ?? 0;
    if (isProbe) this.#open(error, askedMs);
    // Of attempts that were under way when it opened, none opens it again.
    else if (this.#circuit === 'closed' && (this.#failuresInARow >= this.settings.failuresMax || askedMs > 0))
      this.#open(error, askedMs);
  }

  #open({ code: errorCode, innerReason }: AppError, askedMs: number): void {
    const doubledMs = this.settings.openMs * 2 ** this.#openings;
    const waitMs = Math.min(Math.max(doubledMs, askedMs), openMsMax);
    this.#circuit = 'open';
    this.#retryElapsedMs = this.clock.elapsedMs() + waitMs;
    this.#openings += 1;
    if (this.#openings > 1) return;
    const { providerId: provider, upstreamModel } = this.target;
    this.logger.error('provider_left_alone', { provider, upstreamModel, errorCode, innerReason, retryInMs: waitMs });
  }

  #close(): void {
    this.#circuit = 'closed';
    this.#failuresInARow = 0;
    this.#openings = 0;
    const { providerId: provider, upstreamModel } = this.target;
    this.logger.warn('provider_answers_again', { provider, upstreamModel });
  }
}
