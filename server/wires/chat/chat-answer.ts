import { hasOutput } from '../../providers/answers/join-answer.js';
import {
  type ChatCompletion,
  type ChatCompletionChunk,
  type CompletionUsage,
  otherOutput,
} from '../../providers/chat-types.js';
import type { AnswerWire, WireError } from '../answer-wire.js';
import { type CallerDialect, CallerTranslator } from './caller-dialect.js';
import { ChunkWriter } from './chunk-writer.js';

export interface ChatAnswerOptions {
  readonly dialect: CallerDialect;
  /** Whether a stream ends with a chunk of usage. */
  readonly wantsUsageChunk: boolean;
}

/** The answer of `POST /chat/completions`: as we speak inside, but for the caller's way with tools. */
export class ChatAnswer implements AnswerWire {
  readonly #translator: CallerTranslator | null;
  readonly #wantsUsageChunk: boolean;
  readonly #writer = new ChunkWriter();
  #lastChunk: object | null = null;
  #hasTold = false;

  constructor({ dialect, wantsUsageChunk }: ChatAnswerOptions) {
    this.#translator = CallerTranslator.create(dialect);
    this.#wantsUsageChunk = wantsUsageChunk;
  }

  get hasTold(): boolean {
    return this.#hasTold;
  }

  toBody(completion: ChatCompletion): (usage: CompletionUsage) => object {
    this.#translator?.translateCompletion(completion);
    return (usage) => {
      completion.usage = usage;
      // OpenAI's answers may have none; OpenRouter's client insists that the field is there.
      completion.system_fingerprint ??= null;
      return completion;
    };
  }

  toEvents(chunk: ChatCompletionChunk): string {
    this.#translator?.translateChunk(chunk);
    // Where calls of custom tools are held back, a piece may have nothing in it.
    this.#hasTold ||= chunk[otherOutput] !== undefined || chunk.choices.some(({ delta }) => hasOutput(delta));
    this.#lastChunk = chunk;
    return `data: ${this.#writer.write(chunk)}\n\n`;
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
