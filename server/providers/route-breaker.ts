import {
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  type IBackoff,
  type IHalfOpenAfterBackoffContext,
} from 'cockatiel';
import { AppError, type ErrorCode } from '../kernel/app-error.js';
import { systemClock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import type { UpstreamTarget } from './provider-adapter.js';

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

const isProviderFault = (error: unknown): boolean => error instanceof AppError && providerFaults.has(error.code);

/**
 * The circuit breaker of one provider and upstream model. It opens after some failures in a row, or at once when the
 * provider says how long to wait, which it then does. When the time is over, one call is let through as a probe: an answer
 * closes the breaker, another failure opens it for longer. Runs on the system's clock, as the library under it does.
 */
export class RouteBreaker {
  readonly #failures: ConsecutiveBreaker;
  readonly #policy: CircuitBreakerPolicy;
  #retryAtMs: number | null = null;
  /** What the provider has asked for since the breaker last opened. */
  #askedWaitMs = 0;
  #backoffMs = 0;

  constructor(
    private readonly target: Pick<UpstreamTarget, 'providerId' | 'upstreamModel'>,
    private readonly settings: BreakerSettings,
    private readonly logger: Logger,
  ) {
    this.#failures = new ConsecutiveBreaker(settings.failuresMax);
    this.#policy = circuitBreaker(handleWhen(isProviderFault), {
      breaker: {
        state: null,
        success: () => this.#failures.success(),
        failure: () => this.#failures.failure() || this.#askedWaitMs > 0,
      },
      halfOpenAfter: { next: (context) => this.#nextBackoff(context) },
    });
    this.#policy.onBreak((reason) => this.#noteOpening('error' in reason ? reason.error : null));
    this.#policy.onReset(() => this.#noteClosing());
  }

  get state(): RouteState {
    if (this.#policy.state === CircuitState.Open) return 'down';
    return this.#policy.state === CircuitState.HalfOpen || this.#failures.state > 0 ? 'degraded' : 'healthy';
  }

  /** When the next probe is let through, in milliseconds since 1970; null: calls pass. */
  get retryAtMs(): number | null {
    return this.#policy.state === CircuitState.Closed ? null : this.#retryAtMs;
  }

  /** Whether a call may go out now: the breaker is closed, or its time is over and nobody probes yet. */
  get isCallable(): boolean {
    if (this.#policy.state === CircuitState.Closed) return true;
    return this.#policy.state === CircuitState.Open && systemClock.nowMs() >= (this.#retryAtMs ?? 0);
  }

  /** Lets one attempt through, as the probe where one is due; null: it may not go out. `ended` must follow. */
  begin(): AttemptWatch | null {
    if (!this.isCallable) return null;
    const isProbe = this.#policy.state === CircuitState.Open;
    let end: (error: unknown) => void = () => {};
    let isReported = false;
    this.#run(
      new Promise<void>((resolve, reject) => {
        end = (error) => (error === null ? resolve() : reject(error));
      }),
    );
    return {
      answered: () => {
        if (!isProbe) return;
        // Others wait for the probe's result, and the rest of its answer may take minutes.
        isReported = true;
        end(null);
      },
      ended: (failure, isOfKey = false) => {
        const error = isOfKey ? null : failure;
        if (!isReported) end(error);
        else if (error !== null) this.#run(Promise.reject(error));
        isReported = true;
      },
    };
  }

  #run(outcome: Promise<void>): void {
    const noted = outcome.catch((error: unknown) => {
      const waitMs = isProviderFault(error) && error instanceof AppError ? (error.retryAfterMs ?? 0) : 0;
      this.#askedWaitMs = Math.max(this.#askedWaitMs, waitMs);
      throw error;
    });
    // The attempt's own failure has been told to whoever made it.
    this.#policy.execute(() => noted).catch(() => {});
    noted.catch(() => {});
  }

  #nextBackoff(context: IHalfOpenAfterBackoffContext): IBackoff<IHalfOpenAfterBackoffContext> {
    const doubledMs = Math.min(this.settings.openMs * 2 ** (context.attempt - 1), openMsMax);
    this.#backoffMs = Math.max(doubledMs, Math.min(this.#askedWaitMs, openMsMax));
    return { duration: this.#backoffMs, next: (again) => this.#nextBackoff(again) };
  }

  #noteOpening(error: unknown): void {
    const isFirst = this.#retryAtMs === null;
    this.#retryAtMs = systemClock.nowMs() + this.#backoffMs;
    this.#askedWaitMs = 0;
    if (!isFirst) return;
    const errorCode = error instanceof AppError ? error.code : null;
    const { providerId: provider, upstreamModel } = this.target;
    this.logger.error('provider_left_alone', { provider, upstreamModel, errorCode, retryInMs: this.#backoffMs });
  }

  #noteClosing(): void {
    this.#retryAtMs = null;
    const { providerId: provider, upstreamModel } = this.target;
    this.logger.warn('provider_answers_again', { provider, upstreamModel });
  }
}
