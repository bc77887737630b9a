import { AppError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import type { UpstreamTarget } from '../provider-adapter.js';
import { findRouteFault, type RouteFault } from './route-fault.js';

export interface BreakerSettings {
  /** After so many failures in a row a route's circuit opens; 0: never. */
  readonly failuresMax: number;
  /** For how long, the first time; each failed probe doubles it, up to five minutes. So long others wait for a probe, and twice as long for each one beside it. */
  readonly openMs: number;
}

/** How a route does: answers; failed last time, is just being tried again or is shut for one account; its circuit is open for all. */
export type RouteState = 'healthy' | 'degraded' | 'down';

/** How far an attempt came, and what its failure was of. */
export interface AttemptFacts {
  /** It failed by the key, and another key of the same provider is asked next: no fault of the route. */
  readonly isOfKey: boolean;
  /** Something of an answer came. */
  readonly hasOutput: boolean;
}

/** Hears how one attempt goes. */
export interface AttemptWatch {
  /** The provider has begun to answer. */
  answered(): void;
  /** The attempt is over; `error` says how it failed, null that it did not. */
  ended(error: unknown, facts?: Partial<AttemptFacts>): void;
}

/** The circuit of one account alone. */
interface AccountCircuit {
  readonly accountId: string;
  readonly retryElapsedMs: number;
  /** How often it has opened in a row. */
  readonly openings: number;
  /** Whether the provider said how long to wait. */
  readonly isWaitAsked: boolean;
  /** How many of its calls probe it. */
  probes: number;
  /** Until when the others wait for them. */
  probeEndsElapsedMs: number;
}

interface Attempt {
  readonly accountId: string;
  /** Which opening of the circuit of all it probes; null: none. */
  probedRound: number | null;
  /** As it was when the attempt began. */
  readonly shut: AccountCircuit | null;
}

const openMsMax = 5 * 60_000;

// For want of something of our own: it says nothing of the provider.
const wasUnsent = (error: unknown): boolean => error instanceof AppError && error.code === 'service_unavailable';

/**
 * The circuit breaker of one provider and upstream model. It opens after some failures in a row, or at once when the
 * provider says how long to wait, which it then does. When the time is over, one call is let through as a probe: an answer
 * closes the breaker, another failure opens it for longer. One that says nothing for a while, as
 * when a model thinks, does not hold the others up: the next call probes beside it, the one after that twice as long later. A probe that fails by its caller or its request closes it too:
 * the provider was there to say so. After one that could not be sent for want of something of our own, the next call probes.
 *
 * No account can shut the route for others: failures that requests may have brought about open it for all only where they come from two
 * accounts or more. Where they are all of one, it opens for that account alone, the others go on, and the first answer that one of them
 * gets ends that; a wait that the provider asked for stands. Keeps one account in memory.
 */
export class RouteBreaker {
  #circuit: 'closed' | 'open' | 'probing' = 'closed';
  #failuresInARow = 0;
  /** Whose requests may have brought all of these failures about; null: no single account's. */
  #suspect: string | null = null;
  /** How often it has opened for all since it last closed. */
  #openings = 0;
  /** Until when it is open; while it is probed, until when others wait for the probe. */
  #retryElapsedMs = 0;
  #probes = 0;
  /** How often it has opened or closed: a probe of an earlier opening is an attempt like any other. */
  #round = 0;
  #shut: AccountCircuit | null = null;

  constructor(
    private readonly target: Pick<UpstreamTarget, 'providerId' | 'upstreamModel'>,
    private readonly settings: BreakerSettings,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  /** For everybody: `down` is open for all. */
  get state(): RouteState {
    if (this.#circuit === 'open') return 'down';
    return this.#circuit === 'probing' || this.#failuresInARow > 0 || this.#shut !== null ? 'degraded' : 'healthy';
  }

  /**
   * When the next probe is let through, in milliseconds since 1970; null: calls pass.
   * @param accountId Whose call; null: anybody's.
   */
  findRetryAtMs(accountId: string | null): number | null {
    const own = accountId === null ? null : this.#findOwn(accountId);
    if (this.#circuit === 'closed' && own === null) return null;
    const openLeftMs = this.#circuit === 'closed' ? Number.NEGATIVE_INFINITY : this.#leftMs(this.#retryElapsedMs);
    const ownLeftMs = own === null ? Number.NEGATIVE_INFINITY : this.#leftMsOf(own);
    return Math.round(this.clock.nowMs() + Math.max(openLeftMs, ownLeftMs));
  }

  /** Whether a call of this account may go out now: no circuit is open for it, or its time is over, and that of its probe. */
  isCallable(accountId: string): boolean {
    if (this.#circuit !== 'closed' && this.#leftMs(this.#retryElapsedMs) > 0) return false;
    const own = this.#findOwn(accountId);
    return own === null || this.#leftMsOf(own) <= 0;
  }

  /** Lets one attempt of this account through, as the probe where one is due; null: it may not go out. `ended` must follow. */
  begin(accountId: string): AttemptWatch | null {
    if (!this.isCallable(accountId)) return null;
    const isProbe = this.#circuit !== 'closed';
    const attempt: Attempt = { accountId, probedRound: isProbe ? this.#round : null, shut: this.#shut };
    if (isProbe) this.#noteProbe();
    const own = this.#findOwn(accountId);
    if (own !== null) this.#noteProbeOf(own);
    return {
      answered: () => {
        // Others wait for the probe's result, and the rest of its answer may take minutes.
        if (this.#isProbe(attempt) || this.#isProbeOfOwn(attempt)) this.#close();
      },
      ended: (error, { isOfKey = false, hasOutput = false } = {}) => {
        const fault = isOfKey ? null : findRouteFault(error, { hasOutput });
        if (fault !== null) this.#noteFailure(fault, attempt);
        else if (wasUnsent(error)) this.#letNextProbe(attempt);
        else if (this.#isProbe(attempt) || this.#isProbeOfOwn(attempt)) this.#close();
        else if (error === null || isOfKey) this.#noteAnswer(attempt);
      },
    };
  }

  #noteProbe(): void {
    this.#circuit = 'probing';
    this.#retryElapsedMs = this.clock.elapsedMs() + this.#findWaitMs(this.#probes, 0);
    this.#probes += 1;
  }

  #noteProbeOf(own: AccountCircuit): void {
    own.probeEndsElapsedMs = this.clock.elapsedMs() + this.#findWaitMs(own.probes, 0);
    own.probes += 1;
  }

  #leftMs(elapsedMs: number): number {
    return elapsedMs - this.clock.elapsedMs();
  }

  #leftMsOf({ retryElapsedMs, probeEndsElapsedMs }: AccountCircuit): number {
    return this.#leftMs(Math.max(retryElapsedMs, probeEndsElapsedMs));
  }

  #findOwn(accountId: string): AccountCircuit | null {
    return this.#shut?.accountId === accountId ? this.#shut : null;
  }

  /** Whether the circuit of all waits for it. */
  #isProbe({ probedRound }: Attempt): boolean {
    return this.#circuit !== 'closed' && probedRound === this.#round;
  }

  /** Whether the circuit of its account waits for it. */
  #isProbeOfOwn({ accountId, shut }: Attempt): boolean {
    return shut !== null && shut === this.#findOwn(accountId);
  }

  #noteAnswer({ shut }: Attempt): void {
    if (this.#circuit !== 'closed') return;
    this.#failuresInARow = 0;
    // Of an attempt that was under way when it was shut, the end says nothing.
    const isProof = this.#shut !== null && this.#shut === shut;
    if (isProof && this.#findLastingShut() === null) this.#close();
  }

  #letNextProbe(attempt: Attempt): void {
    if (this.#isProbe(attempt)) this.#openNow();
    if (this.#shut !== null && this.#isProbeOfOwn(attempt)) this.#shut.probeEndsElapsedMs = Number.NEGATIVE_INFINITY;
  }

  #noteFailure({ scope, error }: RouteFault, attempt: Attempt): void {
    const { accountId } = attempt;
    const isProbe = this.#isProbe(attempt);
    const isProbeOfOwn = this.#isProbeOfOwn(attempt);
    // Of attempts that were under way when it opened, none opens it again.
    if (this.#circuit !== 'closed' && !isProbe) return;
    if (scope === 'account' && this.#findOwn(accountId) !== null && !isProbeOfOwn) return;
    const suspect = scope === 'account' ? accountId : null;
    this.#suspect = this.#failuresInARow === 0 || this.#suspect === suspect ? suspect : null;
    this.#failuresInARow += 1;
    const askedMs = error.retryAfterMs ?? 0;
    const isProbing = isProbe || isProbeOfOwn;
    if (!isProbing && this.#failuresInARow < this.settings.failuresMax && askedMs === 0) return;
    if (this.#suspect === null) this.#openForAll(error, askedMs);
    else this.#openFor(attempt, error, askedMs);
  }

  #openForAll(error: AppError, askedMs: number): void {
    const waitMs = this.#findWaitMs(this.#openings, askedMs);
    this.#circuit = 'open';
    this.#retryElapsedMs = this.clock.elapsedMs() + waitMs;
    this.#openings += 1;
    this.#round += 1;
    this.#probes = 0;
    // Whether it opens again is for the next failures to say, from two accounts as before.
    this.#failuresInARow = 0;
    this.#shut = null;
    if (this.#openings === 1) this.logger.error('provider_left_alone', this.#describe(error, waitMs));
  }

  #openFor(attempt: Attempt, error: AppError, askedMs: number): void {
    const { accountId } = attempt;
    const openings = this.#isProbeOfOwn(attempt) ? (attempt.shut?.openings ?? 0) : this.#openings;
    const waitMs = this.#findWaitMs(openings, askedMs);
    const retryElapsedMs = this.clock.elapsedMs() + waitMs;
    const isWaitAsked = askedMs > 0;
    // The next call of another account probes.
    if (this.#isProbe(attempt)) this.#openNow();
    const unprobed = { probes: 0, probeEndsElapsedMs: Number.NEGATIVE_INFINITY };
    this.#shut = { accountId, retryElapsedMs, openings: openings + 1, isWaitAsked, ...unprobed };
    if (openings === 0) this.logger.warn('provider_left_alone', { ...this.#describe(error, waitMs), accountId });
  }

  /** For a probe of whoever comes next. */
  #openNow(): void {
    this.#circuit = 'open';
    this.#retryElapsedMs = this.clock.elapsedMs();
    this.#probes = 0;
  }

  #findWaitMs(openings: number, askedMs: number): number {
    return Math.min(Math.max(this.settings.openMs * 2 ** openings, askedMs), openMsMax);
  }

  #close(): void {
    this.#circuit = 'closed';
    this.#round += 1;
    this.#probes = 0;
    this.#failuresInARow = 0;
    this.#openings = 0;
    this.#shut = this.#findLastingShut();
    const { providerId: provider, upstreamModel } = this.target;
    this.logger.warn('provider_answers_again', { provider, upstreamModel });
  }

  /** The account whose wait the provider asked for, and is not over. */
  #findLastingShut(): AccountCircuit | null {
    const shut = this.#shut;
    return shut?.isWaitAsked && this.#leftMs(shut.retryElapsedMs) > 0 ? shut : null;
  }

  #describe({ code: errorCode, innerReason }: AppError, retryInMs: number) {
    const { providerId: provider, upstreamModel } = this.target;
    return { provider, upstreamModel, errorCode, innerReason, retryInMs };
  }
}
