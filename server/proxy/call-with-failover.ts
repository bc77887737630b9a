import { AppError } from '../kernel/app-error.js';
import type { CallAttempt } from '../ledger/ledger-types.js';
import type { EventTaker } from '../providers/answers/event-taker.js';
import type { ChatRequest } from '../providers/chat-types.js';
import type { UpstreamEvent, UpstreamTarget } from '../providers/provider-adapter.js';
import { createTimeoutError } from '../providers/upstream-error.js';
import type { AttemptTrace } from '../tracing/call-trace.js';
import { FailoverOrder } from './failover-order.js';
import { createOpenCircuitError } from './find-targets.js';
import type { LeaveWatch } from './leave-watch.js';
import { mayFailOver, type SentSoFar } from './may-fail-over.js';
import type { ProxyCall, ProxyServices } from './proxy-call.js';
import { describeAttempt } from './trace-words.js';

export interface FailoverCall {
  readonly call: Pick<ProxyCall, 'id' | 'begunMs' | 'trace'> & { readonly key: Pick<ProxyCall['key'], 'accountId'> };
  /** Is told how far the call has come, and says when its caller's leaving ends it. */
  readonly watch: Pick<LeaveWatch, 'signal' | 'hasLeft' | 'hasBrokenOff' | 'isWanted' | 'noteAttempt' | 'noteSent'>;
  /** First choice first. */
  readonly targets: readonly UpstreamTarget[];
  /** With the output cap that was paid for. */
  readonly request: ChatRequest;
  /** Each attempt is added to it as soon as it is over. */
  readonly attempts: CallAttempt[];
  /** Takes what is answered. */
  readonly taker: EventTaker;
}

type Services = Pick<ProxyServices, 'upstream' | 'health' | 'clock' | 'callMsMax' | 'logger'>;

/**
 * Asks one target after the other until one answers, and of a target with several keys one key after the other while it is the key
 * that is refused. The next one is asked only when the one before has provably done
 * nothing, or has refused in so many words, and nothing of it was passed on; all within the time that one call may take.
 * @throws AppError of the last target that failed as a provider; where none did, of the first that could not be asked.
 */
export async function callWithFailover(turn: FailoverCall, services: Services): Promise<void> {
  const { watch } = turn;
  const { accountId } = turn.call.key;
  let failure: unknown = null;
  const turns = new FailoverOrder(turn.targets, accountId, services.clock);
  for (let target = turns.next(); target !== null; target = turns.next()) {
    const totalMsMax = turn.call.begunMs + services.callMsMax - performance.now();
    if (totalMsMax <= 0) throw failure ?? createTimeoutError(target.providerId);
    const health = services.health.begin(target, accountId);
    if (health === null) {
      turns.skipTarget();
      continue;
    }
    watch.noteAttempt(target);
    const attempt = new Attempt(
      target,
      { arrivedMs: turn.call.begunMs, begunMs: performance.now() },
      { taker: turn.taker, trace: beginTrace(turn, target) },
    );
    let error: unknown = null;
    let isOfKey = false;
    try {
      const call = {
        target,
        request: capFor(target, turn.request),
        answerId: turn.call.id,
        signal: watch.signal,
        isWanted: () => watch.isWanted(),
        totalMsMax,
        traceparent: attempt.traceparent,
        onSent: () => {
          attempt.noteSent();
          watch.noteSent();
        },
        onStatus: (status: number) => attempt.noteStatus(status),
        onFirstByte: () => health.answered(),
      };
      await services.upstream.call(call, attempt);
      turns.noteAnswer();
      return;
    } catch (thrown) {
      error = thrown;
      isOfKey = turns.noteFailure(thrown);
      if (watch.hasLeft || !mayFailOver(thrown, attempt.sentSoFar)) throw thrown;
      failure = isUntranslatable(thrown) ? (failure ?? thrown) : thrown;
      logFailover(turn, { target, attempt, thrown }, services);
    } finally {
      // A taker that has enough comes by here as well; that is no failure of the provider.
      health.ended(error, { isOfKey, hasOutput: attempt.sentSoFar.hasAnswered });
      turn.attempts.push(attempt.describe(watch.hasBrokenOff ? null : error));
    }
  }
  throw failure ?? createOpenCircuitError(turn.targets, accountId, services);
}

// One hold covers the widest of the targets; a narrower one is not asked for more than it can give.
function capFor({ maxOutputTokens }: UpstreamTarget, request: ChatRequest): ChatRequest {
  const cap = request.max_completion_tokens;
  if (maxOutputTokens === undefined || cap === undefined || cap <= maxOutputTokens) return request;
  return { ...request, max_completion_tokens: maxOutputTokens };
}

// Says more about this one target than about the call.
function isUntranslatable(error: unknown): boolean {
  return error instanceof AppError && !error.code.startsWith('provider_');
}

// One after which nobody else may be asked is told of with the call's refusal.
function logFailover(
  { call }: FailoverCall,
  { target, attempt, thrown }: { readonly target: UpstreamTarget; readonly attempt: Attempt; readonly thrown: unknown },
  { logger }: Services,
): void {
  const { code: errorCode = 'internal_error', innerReason = null } = thrown instanceof AppError ? thrown : {};
  logger.warn('call_attempt_failed', {
    callId: call.id,
    traceId: call.trace?.traceId,
    provider: target.providerId,
    upstreamModel: target.upstreamModel,
    status: attempt.sentSoFar.status,
    errorCode,
    innerReason: innerReason ?? undefined,
  });
}

function beginTrace({ call, request }: FailoverCall, target: UpstreamTarget): AttemptTrace | null {
  if (!call.trace) return null;
  const { name, attributes } = describeAttempt(target, capFor(target, request));
  return call.trace.attempt(name, attributes);
}

/** One provider that is asked, and what it answers on its way to the call's taker. */
class Attempt implements EventTaker {
  #wasSent = false;
  #status: number | null = null;
  #hasAnswered = false;

  constructor(
    private readonly target: UpstreamTarget,
    /** Of the call, and of this attempt. */
    private readonly times: { readonly arrivedMs: number; readonly begunMs: number },
    private readonly parts: { readonly taker: EventTaker; readonly trace: AttemptTrace | null },
  ) {}

  get traceparent(): string | null {
    return this.parts.trace?.traceparent ?? null;
  }

  get sentSoFar(): SentSoFar {
    return { wasSent: this.#wasSent, status: this.#status, hasAnswered: this.#hasAnswered };
  }

  noteSent(): void {
    this.#wasSent = true;
  }

  noteStatus(status: number): void {
    this.#status = status;
  }

  take(event: UpstreamEvent): Promise<void> | null {
    if (!this.#hasAnswered) this.parts.trace?.firstToken();
    this.#hasAnswered = true;
    return this.parts.taker.take(event);
  }

  get hasEnough(): boolean {
    return this.parts.taker.hasEnough;
  }

  /** Ends it. */
  describe(error: unknown): CallAttempt {
    const errorCode = error instanceof AppError ? error.code : error === null ? null : 'internal_error';
    const { providerId: provider, upstreamModel } = this.target;
    const { arrivedMs, begunMs } = this.times;
    const startMs = Math.round(begunMs - arrivedMs);
    const durationMs = Math.round(performance.now() - begunMs);
    this.parts.trace?.end({ status: this.#status, errorCode });
    return { provider, upstreamModel, status: this.#status, errorCode, startMs, durationMs };
  }
}
