import { OtherOutputFinder } from '../answers/other-output.js';
import { toPieceEvents } from '../answers/piece-events.js';
import { isBlankEvent, isEndMarker } from '../answers/server-sent-events.js';
import type { ChatCompletionChunk, ChatDelta, FinishReason } from '../chat-types.js';
import type { AnswerContext, ServerSentEvent, StreamParser, UpstreamEvent } from '../provider-adapter.js';
import { GeminiAnswerReader } from './gemini-answer.js';

/**
 * Translates one stream, of which each event is a whole `GenerateContentResponse`. Usage comes with many events and counts
 * from the beginning. There is no end marker, and some models write `STOP` on every event: the answer is whole when the stream has
 * ended as HTTP ends it and the last output had a reason, and that is told once, then. Where the connection breaks, it is whole
 * only if its reason can stand nowhere but at the end.
 */
export class GeminiStreamParser implements StreamParser {
  readonly isEnded = false;
  readonly #context: AnswerContext;
  readonly #reader: GeminiAnswerReader;
  #hasBegun = false;
  #isEnded = false;
  #isCounted = false;
  #hasUnasked = false;
  readonly #others = new OtherOutputFinder();

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#reader = new GeminiAnswerReader(context);
  }

  get isWhole(): boolean {
    return this.#isEnded ? this.#reader.isFinished : this.#reader.isProvablyFinished;
  }

  get isCounted(): boolean {
    return this.#isCounted;
  }

  push(event: ServerSentEvent): readonly UpstreamEvent[] {
    // Google writes no `[DONE]`, but gateways before it may.
    if (isBlankEvent(event.data) || isEndMarker(event.data)) return [];
    const step = this.#reader.read(event.data);
    if (step.usage !== null || step.delta !== null)
      this.#isCounted = step.usage !== null && this.#reader.isProvablyFinished;
    const events = toPieceEvents(step.usage, step.delta === null ? null : this.#toChunk(step.delta, null));
    if (!step.hasUnasked || this.#hasUnasked) return events;
    this.#hasUnasked = true;
    return [{ type: 'unasked' }, ...events];
  }

  end(): readonly UpstreamEvent[] {
    this.#isEnded = true;
    const end = this.#reader.finish();
    return end === null ? [] : [{ type: 'chunk', chunk: this.#toChunk(end.delta, end.finishReason) }];
  }

  #toChunk(delta: ChatDelta, finishReason: FinishReason | null): ChatCompletionChunk {
    const role = this.#hasBegun ? {} : { role: 'assistant' as const };
    this.#hasBegun = true;
    const chunk: ChatCompletionChunk = {
      id: this.#context.answerId,
      object: 'chat.completion.chunk',
      created: this.#context.createdSeconds,
      model: this.#context.publicModel,
      choices: [{ index: 0, delta: { ...role, ...delta }, logprobs: null, finish_reason: finishReason }],
    };
    if (delta.other_parts !== undefined) this.#others.note(chunk);
    return chunk;
  }
}
