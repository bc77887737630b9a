import { isJsonObject, toText } from '../../kernel/json-body.js';
import type { ChatDelta, FinishReason, ToolCallDelta } from '../chat-types.js';
import { normaliseArguments, type ParsedJson, parseJson } from '../json-object.js';
import type { AnswerContext, TokenUsage } from '../provider-adapter.js';
import { createModelError, createUnreadableError } from '../upstream-error.js';
import { findGeminiInBandError } from './gemini-error.js';
import { toFinishReason } from './gemini-finish-reason.js';
import { readGeminiUsage } from './gemini-usage.js';

/** What one `GenerateContentResponse` adds to an answer. */
export interface GeminiStep {
  readonly usage: TokenUsage | null;
  /** null: nothing for the caller. */
  readonly delta: ChatDelta | null;
}

/** What the end of an answer adds to it. */
export interface GeminiEnd {
  readonly delta: ChatDelta;
  readonly finishReason: FinishReason;
}

/**
 * Reads one answer, whole or in steps. A plain answer and each event of a stream have the same shape, so both are read here.
 * Only one candidate counts, the first that comes, whatever its number, since no more are asked for; parts that are neither words
 * nor calls are left out.
 */
export class GeminiAnswerReader {
  readonly #context: AnswerContext;
  #candidateIndex: unknown = null;
  #callCount = 0;
  #hasWords = false;
  /** Why the model stopped, in Google's words; null: it has said nothing, or gone on since. */
  #reason: string | null = null;
  /** Why the prompt was blocked, so that nothing was generated; null: it was not. */
  #blockReason: string | null = null;
  /** Whether some output came without a reason, so that a reason is not merely written on every event. */
  #marksEnd = false;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  /** Whether the model said why it stopped, and nothing came after that without a reason. */
  get isFinished(): boolean {
    return this.#blockReason !== null || this.#reason !== null;
  }

  /**
   * Whether the reason that was read can only stand at the end of the answer. Some models write `STOP` on every event of a stream: there
   * it tells nothing until the stream itself has ended.
   */
  get isProvablyFinished(): boolean {
    return this.isFinished && (this.#marksEnd || this.#reason !== 'STOP');
  }

  /** @throws AppError when the text cannot be read, or reports a failure. */
  read(text: string | ParsedJson): GeminiStep {
    const answer = parseAnswer(text, this.#context.providerId);
    const usage = readGeminiUsage(answer.usageMetadata);
    const candidate = this.#findCandidate(answer.candidates);
    if (candidate) {
      const delta = this.#readParts(isJsonObject(candidate.content) ? candidate.content.parts : null);
      this.#noteReason(candidate.finishReason, delta !== null);
      return { usage, delta };
    }
    const blocked = isJsonObject(answer.promptFeedback) ? answer.promptFeedback.blockReason : undefined;
    if (typeof blocked === 'string' && !this.isFinished) this.#blockReason = blocked;
    return { usage, delta: null };
  }

  /**
   * How the answer ended, once no more of it comes: the last reason counts. null: the model has not finished.
   * @throws AppError `model_error` where the model made an invalid tool call, and nothing was said before.
   */
  finish(): GeminiEnd | null {
    if (this.#blockReason !== null)
      return { delta: { refusal: this.#describeBlock(this.#blockReason) }, finishReason: 'content_filter' };
    if (this.#reason === null) return null;
    const finishReason = toFinishReason(this.#reason, { hasCalls: this.#callCount > 0, hasWords: this.#hasWords });
    if (finishReason === 'failed') throw createModelError(this.#context.providerId, `finishReason ${this.#reason}`);
    return { delta: {}, finishReason };
  }

  // Google leaves the number 0 out.
  #findCandidate(candidates: unknown): Record<string, unknown> | undefined {
    if (!Array.isArray(candidates)) return undefined;
    const [first] = candidates.filter(isJsonObject);
    if (first) this.#candidateIndex ??= first.index ?? 0;
    return candidates.filter(isJsonObject).find(({ index }) => (index ?? 0) === this.#candidateIndex);
  }

  #readParts(parts: unknown): ChatDelta | null {
    if (!Array.isArray(parts)) return null;
    const texts = { content: '', reasoning_content: '' };
    const calls: ToolCallDelta[] = [];
    const images: object[] = [];
    for (const part of parts.filter(isJsonObject)) {
      if (isJsonObject(part.functionCall)) calls.push(this.#readCall(part.functionCall, part.thoughtSignature));
      else if (typeof part.text === 'string')
        texts[part.thought === true ? 'reasoning_content' : 'content'] += part.text;
      else if (isJsonObject(part.inlineData)) images.push(toImage(part.inlineData));
    }
    if (texts.content !== '' || images.length > 0) this.#hasWords = true;
    const delta: ChatDelta = {
      ...(texts.content === '' ? {} : { content: texts.content }),
      ...(texts.reasoning_content === '' ? {} : { reasoning_content: texts.reasoning_content }),
      ...(images.length > 0 ? { images } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    return Object.keys(delta).length > 0 ? delta : null;
  }

  // Google sends each call whole; one in pieces was not asked for.
  #readCall({ id, name, args, partialArgs }: Record<string, unknown>, signature: unknown): ToolCallDelta {
    if (typeof name !== 'string' || partialArgs !== undefined)
      throw createUnreadableError(this.#context.providerId, 'a function call without a name, or in pieces');
    const index = this.#callCount;
    this.#callCount += 1;
    return {
      index,
      id: typeof id === 'string' && id !== '' ? id : `${this.#context.answerId}_${index}`,
      type: 'function',
      function: { name, arguments: normaliseArguments(args) || '{}' },
      ...(typeof signature === 'string' ? { extra_content: { google: { thought_signature: signature } } } : {}),
    };
  }

  // "If empty, the model has not stopped generating tokens": https://ai.google.dev/api/generate-content#candidate
  #noteReason(reason: unknown, hasOutput: boolean): void {
    if (typeof reason === 'string' && reason !== '') {
      this.#reason = reason;
    } else if (hasOutput) {
      this.#reason = null;
      this.#marksEnd = true;
    }
  }

  #describeBlock(reason: string): string {
    const word = /^[A-Z_]{1,40}$/.test(reason) ? ` (${reason})` : '';
    return `Provider ${this.#context.providerId} blocked this prompt${word}.`;
  }
}

function parseAnswer(text: string | ParsedJson, providerId: string): Record<string, unknown> {
  const answer = parseJson(text);
  const error = findGeminiInBandError(answer, providerId);
  if (error !== null) throw error;
  if (!isJsonObject(answer)) throw createUnreadableError(providerId, 'not a JSON object');
  return answer;
}

function toImage({ mimeType, data }: Record<string, unknown>): object {
  return { type: 'image_url', image_url: { url: `data:${toText(mimeType)};base64,${toText(data)}` } };
}
