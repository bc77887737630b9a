import { AppError } from '../kernel/app-error.js';
import type { CallAttempt, CallOutcome } from '../ledger/ledger-types.js';
import type { ChatCompletion, ChatCompletionChunk } from '../providers/chat-types.js';
import type { UpstreamEvent } from '../providers/provider-adapter.js';
import { AnswerLimitError } from '../providers/upstream-error.js';
import { admitCall } from './admit-call.js';
import { callWithFailover } from './call-with-failover.js';
import { findTargets } from './find-targets.js';
import { getModel } from './get-model.js';
import { permitModel } from './hold-by-key.js';
import { LeaveWatch } from './leave-watch.js';
import { OutputCapGuard, toLengthEnd } from './metering/output-cap-guard.js';
import { UsageMeter } from './metering/usage-meter.js';
import type { ProxyCall, ProxyServices } from './proxy-call.js';
import { type CallBill, settleCall } from './settle-call.js';

/** What the caller is told, in order: admission, the answer's pieces, and last, once it is settled, the bill. */
export type ProxyEvent =
  | { readonly type: 'admitted'; readonly loweredOutputCap: number | null }
  | { readonly type: 'chunk'; readonly chunk: ChatCompletionChunk }
  | { readonly type: 'completion'; readonly completion: ChatCompletion }
  | Extract<UpstreamEvent, { type: 'embeddings' }>
  | { readonly type: 'billed'; readonly bill: CallBill };

/**
 * Runs one call: choose who answers, hold, call upstream, forward, settle. The hold is committed before anything goes upstream and is settled
 * exactly once however the call ends, also when the consumer stops reading; `billed` comes only after that.
 * @throws AppError before the first piece when the call cannot be made, after it when the answer breaks off.
 */
export async function* proxyChatCompletion(call: ProxyCall, services: ProxyServices): AsyncGenerator<ProxyEvent> {
  const model = await permitModel(call.key, getModel(services.catalogue, call.request), services);
  const targets = await findTargets(call, model, services);
  call.trace?.note({ 'gen_ai.request.model': model.id });
  const admitted = await admitCall(call, { model, targets }, services);
  call.trace?.admitted({ 'tollgate.held_millicredits': admitted.heldMillicredits });

  const meter = new UsageMeter(admitted);
  const { callerGone, waiters = null } = call;
  const watch = new LeaveWatch(
    { accountId: call.key.accountId, callerGone, waiters, model, request: admitted.request, meter },
    services,
  );
  const capGuard = new OutputCapGuard(meter, services.tokenCounter);
  const stopRenewing = services.holds.track(call.id, call.key.accountId, () => meter.progress);
  const attempts: CallAttempt[] = [];
  let whole: ProxyEvent | null = null;
  let bill: CallBill;
  let firstByteMs: number | null = null;
  let isCut = false;
  let errorCode: string | null = null;
  let isEndedByLimit = false;
  let outcome: CallOutcome = 'abandoned'; // Stays so when the consumer stops reading.
  try {
    yield { type: 'admitted', loweredOutputCap: admitted.loweredOutputCap };
    for await (const event of callWithFailover(
      { call, watch, targets, request: admitted.request, attempts },
      services,
    )) {
      const atMs = performance.now();
      firstByteMs ??= atMs - call.begunMs;
      meter.observe(event, atMs);
      if (event.type === 'chunk') {
        yield event;
        if (capGuard.isDue && (await capGuard.isPast())) {
          yield { type: 'chunk', chunk: toLengthEnd(event.chunk, meter.runningChoices) };
          meter.cutAtCap();
          services.activity.noteOutputCapIgnored();
          isCut = true;
          break;
        }
      }
      if (event.type === 'completion' || event.type === 'embeddings') whole = event;
    }
    outcome = 'completed';
    if (isCut) {
      const provider = attempts.at(-1)?.provider;
      services.logger.warn('output_cap_ignored', {
        callId: call.id,
        traceId: call.trace?.traceId,
        model: model.id,
        provider,
      });
    }
  } catch (error) {
    outcome = watch.isEndedBy(error) ? 'abandoned' : meter.hasOutput ? 'interrupted' : 'failed';
    errorCode = watch.hasBrokenOff ? null : error instanceof AppError ? error.code : 'internal_error';
    isEndedByLimit = errorCode === 'provider_timeout' || error instanceof AnswerLimitError;
    throw error;
  } finally {
    watch.end();
    const answered = { attempts, meter, watch, outcome, errorCode, isEndedByLimit, firstByteMs };
    bill = await settleCall({ call, model, targets, ...answered, stopRenewing }, services);
  }
  if (whole) yield whole;
  yield { type: 'billed', bill };
}
