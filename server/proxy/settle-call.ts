import type { LogFields } from '../kernel/logger.js';
import { divideBalance } from '../ledger/divide-balance.js';
import type { CallAttempt, CallEnding, CallOutcome, SettleResult } from '../ledger/ledger-types.js';
import type { FoundModel } from '../providers/model-catalogue.js';
import type { TokenUsage, UpstreamTarget } from '../providers/provider-adapter.js';
import { during } from '../tracing/call-trace.js';
import type { LeaveWatch } from './leave-watch.js';
import { tellImplausibleUsage } from './metering/implausible-usage.js';
import type { MeteredUsage } from './metering/metered-usage.js';
import { canReason } from './metering/unseen-reasoning.js';
import type { UsageMeter } from './metering/usage-meter.js';
import type { ProxyCall, ProxyServices } from './proxy-call.js';
import { describeEnding, describeUsage } from './trace-words.js';

/** What a finished call used and cost. */
export interface CallBill {
  readonly tokens: TokenUsage;
  /** null while the settlement waits to be booked. */
  readonly charge: { readonly chargedMillicredits: number; readonly availableAfterMillicredits: number } | null;
}

export interface FinishedCall {
  readonly call: ProxyCall;
  readonly model: FoundModel;
  readonly targets: readonly UpstreamTarget[];
  /** Every provider that was asked, in order; the last one answered, if any did. */
  readonly attempts: readonly CallAttempt[];
  readonly meter: UsageMeter;
  readonly watch: Pick<LeaveWatch, 'target' | 'unseenReasoning'>;
  readonly outcome: CallOutcome;
  readonly errorCode: string | null;
  /** Whether an answer that was interrupted passed a limit of ours, of time or of size, and did not break off by itself. */
  readonly isEndedByLimit: boolean;
  readonly firstByteMs: number | null;
  /** Ends the keeping of the hold's lease. */
  readonly stopRenewing: () => void;
}

/**
 * Books a finished call: settles its hold at what was used, or releases it, with the receipt, durably.
 *
 * A settlement that is kept on disk, or was refused and waits for the operator, has no charge in its bill, and the caller's
 * answer does not suffer.
 * @throws AppError `service_unavailable` when a complete answer could nowhere be written down: it must not be given as if it were
 *   paid for. An answer that ends with an error in any case keeps its own.
 */
export async function settleCall(finished: FinishedCall, services: ProxyServices): Promise<CallBill> {
  const { call, targets, attempts, meter, outcome, errorCode, firstByteMs } = finished;
  const endedAtMs = performance.now();
  const counted = countUsage(finished, endedAtMs, services);
  const used = counted instanceof Promise ? await counted : counted;
  noteFreeAnswer(finished, used, services);
  tellImplausibleUsage(finished, services);
  learnSpeed(used, finished, endedAtMs, services);
  const { tokens, source } = used;
  const totalMs = Math.round(performance.now() - call.begunMs);
  const ending = {
    outcome,
    provider: attempts.at(-1)?.provider ?? targets[0]?.providerId ?? '',
    attempts,
    errorCode,
    finishReason: meter.finishReason,
    usageSource: source,
    promptTokens: tokens.inputTokens,
    completionTokens: tokens.outputTokens,
    estimateParts: used.parts,
    // Of an estimate nobody knows them.
    cachedTokens: source === 'reported' ? tokens.cachedInputTokens : null,
    reasoningTokens: source === 'reported' ? tokens.reasoningTokens : null,
    firstByteMs: firstByteMs === null ? null : Math.round(firstByteMs),
    totalMs,
    tag: call.marks.tag,
    endUser: call.marks.endUser,
  };
  const identity = { callId: call.id, accountId: call.key.accountId };
  const note = (result: SettleResult | null) => {
    services.callMetrics.note({ model: finished.model, isStreamed: call.request.stream === true, ending, result });
    call.trace?.note(describeEnding(ending, result));
  };
  call.trace?.noteUsage(describeUsage(ending));
  try {
    const settle = () => services.ledger.settleHold({ callId: call.id, accountId: call.key.accountId, ending });
    const result = await during(call.trace, 'ledger settle', settle);
    note(result);
    if (result.status === 'kept') {
      services.logger.warn('call_settlement_kept', toFacts(finished, ending, null));
      return { tokens, charge: null };
    }
    if (result.status === 'quarantined' || result.status === 'refused') {
      services.logger.error('call_settlement_failed', { ...identity, reason: result.reason });
      return { tokens, charge: null };
    }
    const { chargedMillicredits, absorbedMillicredits, balanceAfterMillicredits: balance } = result;
    const left = divideBalance(balance, balance - result.availableAfterMillicredits);
    services.logger.info('call_completed', toFacts(finished, ending, result));
    if (absorbedMillicredits > 0) services.logger.error('usage_absorbed', { ...identity, absorbedMillicredits });
    return { tokens, charge: { chargedMillicredits, availableAfterMillicredits: left.availableMillicredits } };
  } catch (error) {
    note(null);
    services.logger.error('call_settlement_failed', { ...toFacts(finished, ending, null), error });
    if (outcome === 'completed') throw error;
    return { tokens, charge: null };
  }
}

function countUsage(
  { meter, watch, outcome, isEndedByLimit, stopRenewing }: FinishedCall,
  endedAtMs: number,
  { tokenCounter }: ProxyServices,
): MeteredUsage | Promise<MeteredUsage> {
  // Of an answer that its provider broke off only what came is paid; how long it took was then not the caller's doing.
  const isBrokenOff = outcome === 'interrupted' && !isEndedByLimit;
  const findUnseenTokensPerMs = () => (isBrokenOff || meter.isAllShown ? 0 : (watch.unseenReasoning.tokensPerMs ?? 0));
  let counted: MeteredUsage | Promise<MeteredUsage> | null = null;
  try {
    counted = meter.countUsageAfter(outcome, tokenCounter, { findUnseenTokensPerMs, endedAtMs });
  } finally {
    // Not before: counting may take longer than a lease.
    if (!(counted instanceof Promise)) stopRenewing();
  }
  return counted instanceof Promise ? counted.finally(stopRenewing) : counted;
}

function noteFreeAnswer({ call, meter, outcome }: FinishedCall, used: MeteredUsage, services: ProxyServices): void {
  const isAnswered = outcome === 'completed' || outcome === 'abandoned';
  if (isAnswered && used.source === 'none') services.noteFreeCall(call.key.accountId, meter.sentPromptTokens);
}

function learnSpeed(
  { source, tokens }: MeteredUsage,
  { call, model, meter, watch, outcome }: FinishedCall,
  endedAtMs: number,
  { outputSpeeds }: ProxyServices,
): void {
  if (outcome !== 'completed' || source !== 'reported' || watch.target === null || meter.sentAtMs === null) return;
  outputSpeeds.learn(watch.target, call.key.accountId, {
    outputTokens: tokens.outputTokens,
    choices: meter.choices,
    hadUnseenOutput: meter.hasUnseenOutput(canReason(watch.target, model)),
    durationMs: endedAtMs - meter.sentAtMs,
  });
}

type Charge = Pick<Extract<SettleResult, { status: 'settled' }>, 'chargedMillicredits' | 'absorbedMillicredits'>;

// What the log says of a call. Each field by its name: one literal costs a tenth of spreading the same into it.
function toFacts({ call, model }: FinishedCall, ending: CallEnding, charge: Charge | null): LogFields {
  return {
    callId: call.id,
    callerRequestId: call.callerRequestId ?? undefined,
    traceId: call.trace?.traceId,
    accountId: call.key.accountId,
    keyId: call.key.keyId,
    model: model.id,
    isStreamed: call.request.stream === true,
    outcome: ending.outcome,
    provider: ending.provider,
    attempts: ending.attempts,
    errorCode: ending.errorCode,
    finishReason: ending.finishReason,
    usageSource: ending.usageSource,
    promptTokens: ending.promptTokens,
    completionTokens: ending.completionTokens,
    firstByteMs: ending.firstByteMs,
    totalMs: ending.totalMs,
    chargedMillicredits: charge?.chargedMillicredits,
    absorbedMillicredits: charge?.absorbedMillicredits,
  };
}
