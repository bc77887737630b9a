import type { CallAttempt } from '../ledger/ledger-types.js';
import type { FoundModel } from '../providers/model-catalogue.js';
import { admitCall } from './admit-call.js';
import { AnswerReading, type AnswerSink, type WholeEvent } from './answer-reading.js';
import { callWithFailover } from './call-with-failover.js';
import { findTargets } from './find-targets.js';
import { getModel } from './get-model.js';
import { permitModel } from './hold-by-key.js';
import { type JudgedFailure, judgeFailure } from './judge-failure.js';
import { LeaveWatch } from './leave-watch.js';
import { OutputCapGuard } from './metering/output-cap-guard.js';
import { UsageMeter } from './metering/usage-meter.js';
import type { ProxyCall, ProxyServices } from './proxy-call.js';
import { type CallBill, settleCall } from './settle-call.js';

/** A call that was answered and is booked. */
export interface BilledAnswer {
  /** The answer where it came in one piece; null: it was a stream, whose pieces were handed on as they came. */
  readonly whole: WholeEvent | null;
  readonly bill: CallBill;
}

/**
 * Runs one call: choose who answers, hold, call upstream, forward to `sink`, settle. The hold is committed before anything goes upstream and is settled
 * exactly once however the call ends, also when the sink fails; the bill comes only after that.
 * @throws AppError before the first piece when the call cannot be made, after it when the answer breaks off; what the sink throws.
 */
export async function proxyChatCompletion(
  call: ProxyCall,
  sink: AnswerSink,
  services: ProxyServices,
): Promise<BilledAnswer> {
  const permitted = permitModel(call.key, getModel(services.catalogue, call.request), services);
  const model = permitted instanceof Promise ? await permitted : permitted;
  const found = findTargets(call, model, services);
  const targets = found instanceof Promise ? await found : found;
  call.trace?.note({ 'gen_ai.request.model': model.id });
  const admitted = await admitCall(call, { model, targets }, services);
  call.trace?.admitted({ 'tollgate.held_millicredits': admitted.heldMillicredits });

  const meter = new UsageMeter(admitted);
  const { caller, callerGone, waiters = null } = call;
  const watch = new LeaveWatch(
    { accountId: call.key.accountId, caller, callerGone, waiters, model, request: admitted.request, meter },
    services,
  );
  const reading = new AnswerReading({ meter, capGuard: new OutputCapGuard(meter, services.tokenCounter), sink });
  const stopRenewing = services.holds.track(call.id, call.key.accountId, () => meter.progress);
  const attempts: CallAttempt[] = [];
  let bill: CallBill;
  let ending: JudgedFailure = { outcome: 'completed', errorCode: null, isEndedByLimit: false };
  try {
    sink.admitted(admitted.loweredOutputCap);
    const { request } = admitted;
    await callWithFailover({ call, watch, targets, request, attempts, taker: reading }, services);
    if (reading.failure) throw reading.failure.error;
    if (reading.isCut) noteCut(call, { model, attempts }, services);
  } catch (error) {
    ending = judgeFailure(error, { reading, watch, meter, sink });
    throw error;
  } finally {
    watch.end();
    const firstByteMs = reading.firstEventMs === null ? null : reading.firstEventMs - call.begunMs;
    const answered = { attempts, meter, watch, ...ending, firstByteMs };
    bill = await settleCall({ call, model, targets, ...answered, stopRenewing }, services);
  }
  return { whole: reading.whole, bill };
}

function noteCut(
  call: ProxyCall,
  { model, attempts }: { readonly model: FoundModel; readonly attempts: readonly CallAttempt[] },
  { activity, logger }: ProxyServices,
): void {
  activity.noteOutputCapIgnored();
  const provider = attempts.at(-1)?.provider;
  logger.warn('output_cap_ignored', { callId: call.id, traceId: call.trace?.traceId, model: model.id, provider });
}
