import type { ChatCompletion, ChatCompletionChunk, CompletionUsage } from '../../providers/chat-types.js';
import type { AnswerWire, WireError } from '../answer-wire.js';
import { type CallerDialect, CallerTranslator } from './caller-dialect.js';

export interface ChatAnswerOptions {
  readonly dialect: CallerDialect;
  /** Whether a stream ends with a chunk of usage. */
  readonly wantsUsageChunk: boolean;
}

/** The answer of `POST /chat/completions`: as we speak inside, but for the caller's way with tools. */
export class ChatAnswer implements AnswerWire {
  readonly #translator: CallerTranslator | null;
  readonly #wantsUsageChunk: boolean;
  #lastChunk: object | null = null;

  constructor({ dialect, wantsUsageChunk }: ChatAnswerOptions) {
    this.#translator = CallerTranslator.create(dialect);
    this.#wantsUsageChunk = wantsUsageChunk;
  }

  toBody(completion: ChatCompletion, usage: CompletionUsage): object {
    this.#translator?.translateCompletion(completion);
    completion.usage = usage;
    return completion;
  }

  toEvents(chunk: ChatCompletionChunk): string {
    this.#translator?.translateChunk(chunk);
    this.#lastChunk = chunk;
    if (this.#wantsUsageChunk) chunk.usage = null;
    return `data: ${JSON.stringify(chunk)}\n\n`;
  }

  toEnd(usage: CompletionUsage): string {
    const tellsUsage = this.#wantsUsageChunk && this.#lastChunk !== null;
    const last = tellsUsage ? `data: ${JSON.stringify({ ...this.#lastChunk, choices: [], usage })}\n\n` : '';
    return `${last}data: [DONE]\n\n`;
  }

  toFailure({ body }: WireError): string {
    return `data: ${JSON.stringify(body)}\n\n`;
  }
}
