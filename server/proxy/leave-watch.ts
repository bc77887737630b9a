import type { CallWaiters } from '../idempotency/call-waiters.js';
import { AppError } from '../kernel/app-error.js';
import { AwakeTimer } from '../kernel/jobs/awake-timer.js';
import type { UpstreamTarget } from '../providers/provider-adapter.js';
import type { LeftCalls } from './left-calls.js';
import type { OutputSpeeds } from './metering/output-speeds.js';
import {
  findUnseenReasoning,
  mayReason,
  type ReasoningCall,
  type UnseenReasoning,
} from './metering/unseen-reasoning.js';
import type { UsageMeter } from './metering/usage-meter.js';

export interface WatchedCall extends ReasoningCall {
  readonly caller: { readonly hasLeft: boolean };
  /** Aborted when the caller leaves; null: once a provider has the prompt, its answer is read to the end in any case. */
  readonly callerGone: AbortSignal | null;
  /** Those who asked again and wait for its answer; null: nobody can. */
  readonly waiters: Pick<CallWaiters, 'count' | 'onNone'> | null;
  readonly meter: Pick<UsageMeter, 'noteAttempt' | 'noteSent' | 'hasPrompt'>;
}

interface Services {
  readonly leftCalls: LeftCalls;
  readonly outputSpeeds: OutputSpeeds;
}

/**
 * Decides what becomes of a call whose caller leaves. Before its provider has the prompt it is broken off at once, and no other is asked. A
 * plain one is finished after that. A stream is read on for the grace. After that it is broken off where the provider stops on that and what was made can be estimated; else, and
 * where the operator says so, it is read to its end, within the time and the output cap that every call has. While somebody who
 * asked again waits for its answer, nobody has left: the grace begins when the last of them goes.
 */
export class LeaveWatch {
  readonly #controller: AbortController | null;
  readonly #onLeave = () => this.#leave();
  #target: UpstreamTarget | null = null;
  #wasUnwanted = false;
  #grace: AwakeTimer | null = null;
  #exit: () => void = () => {};

  constructor(
    private readonly call: WatchedCall,
    private readonly services: Services,
  ) {
    this.#controller = call.callerGone === null ? null : new AbortController();
    if (call.callerGone?.aborted) this.#leave();
    else call.callerGone?.addEventListener('abort', this.#onLeave, { once: true });
    call.waiters?.onNone(() => this.#noteNobodyWaits());
  }

  /** Aborted when nothing more is to be read of the provider; null: never. */
  get signal(): AbortSignal | null {
    return this.#controller?.signal ?? null;
  }

  /** Whether nobody is there any more who would have the answer. */
  get hasLeft(): boolean {
    return this.call.caller.hasLeft && !this.#isAwaited;
  }

  /** Whether a provider may be asked: for nobody it is not. */
  isWanted(): boolean {
    this.#wasUnwanted ||= this.hasLeft;
    return !this.#wasUnwanted;
  }

  /** Whether we ended the call because its caller has left. */
  get hasBrokenOff(): boolean {
    return this.#wasUnwanted || this.#controller?.signal.aborted === true;
  }

  /** Whether a call that ended with this error ended because its caller has left: we broke it off, or its time ran out meanwhile. */
  isEndedBy(error: unknown): boolean {
    const isOutOfTime = error instanceof AppError && error.code === 'provider_timeout';
    const isOver = this.call.callerGone !== null && this.hasLeft && this.call.meter.hasPrompt && isOutOfTime;
    return this.hasBrokenOff || isOver;
  }

  /** Whom the call was last sent to, or is being sent to. */
  get target(): UpstreamTarget | null {
    return this.#target;
  }

  /** What may be made there without being shown. */
  get unseenReasoning(): UnseenReasoning {
    return findUnseenReasoning(this.#target, this.call, this.services.outputSpeeds);
  }

  /** Notes that a provider is going to be asked; nothing has been sent to it. */
  noteAttempt(target: UpstreamTarget): void {
    this.#target = target;
    this.call.meter.noteAttempt(() => mayReason(target, this.call));
  }

  /** Notes that the request goes out. The provider may bill the prompt from then on. */
  noteSent(): void {
    this.call.meter.noteSent(performance.now());
  }

  /** To be called when the call is over. */
  end(): void {
    this.call.callerGone?.removeEventListener('abort', this.#onLeave);
    this.call.waiters?.onNone(() => {});
    this.#grace?.stop();
    this.#exit();
  }

  #leave(): void {
    if (!this.call.meter.hasPrompt) {
      this.#breakOff();
      return;
    }
    if (!this.#isAwaited) this.#startGrace();
  }

  get #isAwaited(): boolean {
    return this.call.waiters !== null && this.call.waiters.count > 0;
  }

  #noteNobodyWaits(): void {
    if (this.call.callerGone !== null && this.hasLeft && !this.hasBrokenOff) this.#startGrace();
  }

  #startGrace(): void {
    const { leftCalls } = this.services;
    const { graceMs } = leftCalls.rules;
    this.#exit();
    // When the server closes it ends the connection of who waits as well, and comes here again.
    this.#exit = leftCalls.enter(() => {
      if (!this.#isAwaited) this.#breakOff();
    });
    this.#grace?.stop();
    if (graceMs === 0) this.#decide();
    else this.#grace = new AwakeTimer(graceMs, () => this.#decide());
  }

  #decide(): void {
    if (this.#isAwaited) return;
    const { isReadOn } = this.services.leftCalls.rules;
    const target = this.#target;
    const stopsOnAbort = target?.kind === 'http' && target.conduct?.stopsOnAbort === true;
    if (!isReadOn && stopsOnAbort && this.unseenReasoning.tokensPerMs !== null) this.#breakOff();
  }

  #breakOff(): void {
    this.#controller?.abort(this.call.callerGone?.reason);
  }
}
