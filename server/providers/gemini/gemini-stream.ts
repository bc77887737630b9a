import type { ChatCompletionChunk } from '../chat-types.js';
import type { AnswerContext, ServerSentEvent, StreamParser, UpstreamEvent } from '../provider-adapter.js';
import { GeminiAnswerReader, type GeminiStep } from './gemini-answer.js';

/**
 * Translates one stream, of which each event is a whole `GenerateContentResponse`. Usage comes with many events and counts
 * from the beginning. There is no end marker: the answer is whole once the model said why it stopped, and what may follow,
 * such as a last count, is still read.
 */
export class GeminiStreamParser implements StreamParser {
  readonly isEnded = false;
  readonly #context: AnswerContext;
  readonly #reader: GeminiAnswerReader;
  #hasBegun = false;

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#reader = new GeminiAnswerReader(context);
  }

  get isWhole(): boolean {
    return this.#reader.isFinished;
  }

  push(event: ServerSentEvent): readonly UpstreamEvent[] {
    // Google writes no `[DONE]`, but gateways before it may.
    if (event.data === '' || event.data.startsWith('[DONE]')) return [];
    const step = this.#reader.read(event.data);
    const events: UpstreamEvent[] = [];
    if (step.usage !== null) events.push({ type: 'usage', usage: step.usage, isOfNextChunk: true });
    if (step.delta !== null || step.finishReason !== null) events.push({ type: 'chunk', chunk: this.#toChunk(step) });
    return events;
  }

  #toChunk({ delta, finishReason }: GeminiStep): ChatCompletionChunk {
    const role = this.#hasBegun ? {} : { role: 'assistant' as const };
    this.#hasBegun = true;
    return {
      id: this.#context.answerId,
      object: 'chat.completion.chunk',
      created: this.#context.createdSeconds,
      model: this.#context.publicModel,
      choices: [{ index: 0, delta: { ...role, ...delta }, logprobs: null, finish_reason: finishReason }],
    };
  }
}
