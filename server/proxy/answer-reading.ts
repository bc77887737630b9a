import type { EventTaker } from '../providers/answers/event-taker.js';
import type { ChatCompletionChunk } from '../providers/chat-types.js';
import type { UpstreamEvent } from '../providers/provider-adapter.js';
import { type OutputCapGuard, toLengthEnd } from './metering/output-cap-guard.js';
import type { UsageMeter } from './metering/usage-meter.js';

/** Who gives a call's answer to its caller while it comes. */
export interface AnswerSink {
  /** Told when the credits are reserved; the output cap per choice when that had to be lowered for them, else null. */
  admitted(loweredOutputCap: number | null): void;
  /** Whether the caller was told anything of the output. A whole answer is told when it is booked, so until then it is false. */
  readonly hasTold: boolean;
  /** Takes a piece of a stream. @returns what is waited for before more is read of the provider; null: nothing. */
  chunk(chunk: ChatCompletionChunk): Promise<void> | null;
  /** Takes an answer in one piece, before it is billed: what fails here is no answer. It is told once it is booked. */
  whole(event: WholeEvent): void;
}

/** An answer that comes in one piece. */
export type WholeEvent = Extract<UpstreamEvent, { type: 'completion' | 'embeddings' }>;

interface ReadingParts {
  readonly meter: UsageMeter;
  readonly capGuard: OutputCapGuard;
  readonly sink: AnswerSink;
}

/**
 * What one call is answered, on its way from the provider to the caller: each event is metered, each piece of a stream is handed on, a
 * whole answer waits to be paid. An answer that goes on past its output cap is ended there. Never throws: what fails on our side, or
 * on the caller's, is no failure of the provider.
 */
export class AnswerReading implements EventTaker {
  #whole: WholeEvent | null = null;
  #firstEventMs: number | null = null;
  #isCut = false;
  #failure: { readonly error: unknown; readonly isOfSink: boolean } | null = null;

  constructor(private readonly parts: ReadingParts) {}

  /** null: none has come. */
  get whole(): WholeEvent | null {
    return this.#whole;
  }

  /** When the first event came, by `performance.now()`; null: none has. */
  get firstEventMs(): number | null {
    return this.#firstEventMs;
  }

  /** Whether it was ended at its output cap, which its provider ignored. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** What failed beside the provider, in giving the answer to the caller (`isOfSink`) or in metering it; null: nothing. */
  get failure(): { readonly error: unknown; readonly isOfSink: boolean } | null {
    return this.#failure;
  }

  get hasEnough(): boolean {
    return this.#isCut || this.#failure !== null;
  }

  take(event: UpstreamEvent): Promise<void> | null {
    try {
      const atMs = performance.now();
      this.#firstEventMs ??= atMs;
      this.parts.meter.observe(event, atMs);
    } catch (error) {
      this.#failure = { error, isOfSink: false };
      return null;
    }
    if (event.type === 'chunk') return this.#handOn(event.chunk);
    if (event.type === 'completion' || event.type === 'embeddings') this.#takeWhole(event);
    return null;
  }

  #takeWhole(event: WholeEvent): void {
    this.#whole = event;
    try {
      this.parts.sink.whole(event);
    } catch (error) {
      this.#failure = { error, isOfSink: true };
    }
  }

  #handOn(chunk: ChatCompletionChunk): Promise<void> | null {
    try {
      const waiting = this.parts.sink.chunk(chunk);
      return waiting === null && !this.parts.capGuard.isDue ? null : this.#waitAndGuard(waiting, chunk);
    } catch (error) {
      this.#failure = { error, isOfSink: true };
      return null;
    }
  }

  async #waitAndGuard(waiting: Promise<void> | null, chunk: ChatCompletionChunk): Promise<void> {
    const { meter, capGuard, sink } = this.parts;
    try {
      await waiting;
      if (!capGuard.isDue || !(await capGuard.isPast())) return;
      this.#isCut = true;
      await sink.chunk(toLengthEnd(chunk, meter.runningChoices));
      meter.cutAtCap();
    } catch (error) {
      this.#failure = { error, isOfSink: true };
    }
  }
}
