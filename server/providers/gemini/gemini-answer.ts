import { isJsonObject, isSent, type JsonBody, toText } from '../../kernel/json-body.js';
import { refuseManyCalls } from '../answers/answer-limits.js';
import { measureOutput } from '../answers/other-output.js';
import type { ChatDelta, FinishReason, ToolCallDelta } from '../chat-types.js';
import { listObjects, normaliseArguments, type ParsedJson, parseJson } from '../json-object.js';
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
  /** Whether more candidates with something in them stood beside it. */
  readonly hasUnasked: boolean;
}

/** What the end of an answer adds to it. */
export interface GeminiEnd {
  readonly delta: ChatDelta;
  readonly finishReason: FinishReason;
}

/**
 * Reads one answer, whole or in steps. A plain answer and each event of a stream have the same shape, so both are read here.
 * Only one candidate counts, the first that comes, whatever its number, since no more are asked for; parts that are neither words
 * nor calls are kept as they are.
 */
export class GeminiAnswerReader {
  readonly #context: AnswerContext;
  #candidateIndex: number | null = null;
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
    const candidates = listObjects(answer.candidates);
    const candidate = this.#findCandidate(candidates);
    const hasUnasked = candidates.some((other) => other !== candidate && measureOutput(other.content) > 0);
    if (candidate) {
      const delta = this.#readParts(listParts(candidate.content));
      this.#noteReason(candidate.finishReason, delta !== null);
      return { usage, delta, hasUnasked };
    }
    const blocked = isJsonObject(answer.promptFeedback) ? answer.promptFeedback.blockReason : undefined;
    if (typeof blocked === 'string' && !this.isFinished) this.#blockReason = blocked;
    return { usage, delta: null, hasUnasked };
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

  #findCandidate(candidates: readonly JsonBody[]): JsonBody | undefined {
    const [first] = candidates;
    if (first) this.#candidateIndex ??= numberOf(first);
    return candidates.find((candidate) => numberOf(candidate) === this.#candidateIndex);
  }

  #readParts(parts: readonly JsonBody[]): ChatDelta | null {
    const texts = { content: '', reasoning_content: '' };
    const calls: ToolCallDelta[] = [];
    const images: object[] = [];
    const others: object[] = [];
    for (const part of parts) {
      const { functionCall, inlineData, text, thought, thoughtSignature, videoMetadata: _, ...rest } = part;
      const unread: Record<string, unknown> = rest;
      if (isJsonObject(functionCall)) calls.push(this.#readCall(functionCall, thoughtSignature));
      else if (isSent(functionCall)) unread.functionCall = functionCall;
      if (isJsonObject(inlineData) && toText(inlineData.data) !== '') images.push(toImage(inlineData));
      else if (isSent(inlineData)) unread.inlineData = isJsonObject(inlineData) ? withoutType(inlineData) : inlineData;
      if (typeof text !== 'object') texts[thought === true ? 'reasoning_content' : 'content'] += toText(text);
      else if (text !== null) unread.text = text;
      if (measureOutput(unread) > 0) others.push(unread);
    }
    if (texts.content !== '' || images.length > 0 || others.length > 0) this.#hasWords = true;
    const delta: ChatDelta = {
      ...(texts.content === '' ? {} : { content: texts.content }),
      ...(texts.reasoning_content === '' ? {} : { reasoning_content: texts.reasoning_content }),
      ...(images.length > 0 ? { images } : {}),
      ...(others.length > 0 ? { other_parts: others } : {}),
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
    refuseManyCalls(this.#callCount, this.#context.providerId);
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

// Google leaves the number 0 out, and what is no number tells nothing.
function numberOf({ index }: JsonBody): number {
  return typeof index === 'number' ? index : 0;
}

// A content that is a text, a part or a list of parts, where an object with a list of them belongs.
function listParts(content: unknown): readonly JsonBody[] {
  if (isSent(content) && typeof content !== 'object') return [{ text: content }];
  const inner = isJsonObject(content) && isSent(content.parts) ? content.parts : content;
  return listObjects(inner, (text) => ({ text }));
}

function parseAnswer(text: string | ParsedJson, providerId: string): Record<string, unknown> {
  const answer = parseJson(text);
  const error = findGeminiInBandError(answer, providerId);
  if (error !== null) throw error;
  if (!isJsonObject(answer)) throw createUnreadableError(providerId, 'not a JSON object');
  return answer;
}

// The type of an image that is not there is no output.
function withoutType({ mimeType: _, ...others }: Record<string, unknown>): object {
  return others;
}

function toImage({ mimeType, data }: Record<string, unknown>): object {
  return { type: 'image_url', image_url: { url: `data:${toText(mimeType)};base64,${toText(data)}` } };
}
