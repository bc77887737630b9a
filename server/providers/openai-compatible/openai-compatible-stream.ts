import { refuseManyCalls } from '../answers/answer-limits.js';
import { OtherOutputFinder } from '../answers/other-output.js';
import { toPieceEvents } from '../answers/piece-events.js';
import { isBlankEvent, isEndMarker } from '../answers/server-sent-events.js';
import type { ChatCompletionChunk, ChunkChoice } from '../chat-types.js';
import { parseObject } from '../json-object.js';

import type { AnswerContext, ServerSentEvent, StreamParser, TokenUsage, UpstreamEvent } from '../provider-adapter.js';
import { readTokenUsage } from '../token-usage.js';
import { createInBandError, createUnreadableError } from '../upstream-error.js';
import { AskedChoices, listChoices } from './asked-choices.js';
import { createStumbleError, hasWords, normaliseFinishReason } from './normalise-choice.js';
import { hasOutput, isBare, normaliseDelta, takeDelta } from './normalise-delta.js';
import { findRawUsage, parseAnswer, stampAnswer } from './openai-compatible-response.js';
import { PlainEvents } from './plain-events.js';
import { ToolCallTracker } from './tool-call-tracker.js';

const nothing: readonly UpstreamEvent[] = [];

interface StreamReading {
  /** Spares the parsing of events that only bring words. */
  readonly plainEvents?: Pick<PlainEvents, 'learn' | 'read'>;
  /** As `readTokenUsage` takes it. */
  readonly isReasoningBeside?: boolean;
}

interface ChoiceProgress {
  /** Why it ended, in its provider's word; null: nothing was said of it yet. */
  reason: string | null;
  /** What stood beside the reason in an event without words, to be told with it. */
  end: ChunkChoice | null;
  hasWords: boolean;
  /** Whether output came of it without a reason, so that its provider does not write one on every event. */
  hasOpenOutput: boolean;
  /** Whether the caller was told why it ended. */
  isTold: boolean;
  readonly toolCalls: ToolCallTracker;
}

/**
 * Translates one stream. Each event is parsed once at most and changed in place: our identity put on, usage taken out, the shape
 * made OpenAI's. `[DONE]` ends the stream, or, where no count of all came before it, as some gateways have it, one event behind it; without it, a stream whose choices have all finished is whole too, since some providers
 * leave `[DONE]` out. Choices that nobody asked for are left out, and are told of once; parts of the one that was asked for are put together.
 *
 * Why a choice ended is told once, when the stream has ended, since some servers write a reason on every event: one that is told
 * at its first event ends the answer for a client. Of several choices one is told before, as soon as it is known that nothing more of it
 * comes: its reason stood alone behind output without one, and another choice has gone on since, or the usage of all was reported.
 */
export class OpenAiStreamParser implements StreamParser {
  readonly #context: AnswerContext;
  readonly #asked: AskedChoices;
  #isUnaskedTold = false;
  readonly #others = new OtherOutputFinder();
  readonly #choices = new Map<number, ChoiceProgress>();
  #unfinishedCount = 0;
  /** Choices whose end can be told once others go on. */
  readonly #ended = new Set<number>();
  /** Whether the end mark was read. */
  #isEnded = false;
  /** Whether output came behind the finish of its choice, as where `finish_reason` is on every event: it then says nothing. */
  #hasGoneOn = false;
  #isClosed = false;
  /** What stood around the choices of the event that said last why one ended. */
  #endHead: Record<string, unknown> = {};
  /** The last count, where no output came behind it. */
  #usage: TokenUsage | null = null;
  /** Whether every choice had ended when that came. */
  #isUsageOfEnd = false;

  readonly #plainEvents: Pick<PlainEvents, 'learn' | 'read'>;
  readonly #isReasoningBeside: boolean;
  readonly #hasSeveral: boolean;

  constructor(context: AnswerContext, { plainEvents, isReasoningBeside }: StreamReading = {}) {
    this.#context = context;
    this.#plainEvents = plainEvents ?? new PlainEvents();
    this.#isReasoningBeside = isReasoningBeside ?? false;
    this.#hasSeveral = (context.choicesAsked ?? 1) > 1;
    this.#asked = new AskedChoices(context.choicesAsked ?? 1, context.providerId);
  }

  get isEnded(): boolean {
    return this.#isEnded && (this.#usage !== null || this.#isClosed);
  }

  get isWhole(): boolean {
    if (this.#isEnded) return true;
    if (this.#hasGoneOn && !this.#isClosed) return false;
    return this.#choices.size > 0 && this.#unfinishedCount === 0;
  }

  get isCounted(): boolean {
    if (this.#isEnded) return true;
    if (this.#usage === null || !this.#isUsageOfEnd || !this.isWhole) return false;
    // Another choice may begin after a while.
    if (this.#choices.size < (this.#context.choicesAsked ?? 1)) return false;
    // Output without a reason came first: this provider does not write one on every event.
    return [...this.#choices.values()].every(({ hasOpenOutput }) => hasOpenOutput);
  }

  end(): readonly UpstreamEvent[] {
    this.#isClosed = true;
    const ended = [...this.#choices].filter(([, { reason, isTold }]) => !isTold && (reason !== null || this.#isEnded));
    if (ended.length === 0) return nothing;
    const chunk = this.#finishAll(ended);
    // Arguments that waited, or never came, are told only now: the last count is of them, too.
    return toPieceEvents(chunk.choices.some(({ delta }) => hasOutput(delta)) ? this.#usage : null, chunk);
  }

  push(event: ServerSentEvent): readonly UpstreamEvent[] {
    if (this.isEnded || isBlankEvent(event.data)) return nothing;
    if (this.#isEnded) return this.#takeBehindEnd(event.data);
    if (isEndMarker(event.data)) return this.#takeEndMarker();
    const plain = event.name === 'error' ? null : this.#plainEvents.read(event.data);
    if (plain !== null) {
      this.#hasGoneOn ||= this.#unfinishedCount === 0;
      this.#usage = null;
      const told = this.#tellEnded(plain);
      return told.length === 0 ? [{ type: 'chunk', chunk: plain }] : [...told, { type: 'chunk', chunk: plain }];
    }

    const answer = parseAnswer(event.data, this.#context, event.name === 'error');
    const usage = readTokenUsage(findRawUsage(answer, this.#context), this.#isReasoningBeside);
    const choices = this.#asked.take(listChoices(answer.choices));
    const chunks = this.#toChunks(answer, choices);
    const chunk = chunks.at(-1) ?? null;
    if (usage !== null) {
      this.#usage = usage;
      this.#isUsageOfEnd = this.#unfinishedCount === 0;
    } else if (chunk !== null) {
      if (chunks.some((each) => each.choices.some(({ delta }) => hasOutput(delta)))) this.#usage = null;
      if (choices.length === 1) this.#plainEvents.learn(event.data, chunk);
    }
    const told = usage !== null || chunk !== null ? this.#tellEnded(chunk) : nothing;
    const unasked = this.#tellUnasked();
    const pieces = toPieceEvents(usage, chunk);
    if (told.length + unasked.length === 0 && chunks.length <= 1) return pieces;
    const before = chunks.slice(0, -1).map((piece) => ({ type: 'chunk', chunk: piece }) as const);
    return [...unasked, ...told, ...before, ...pieces];
  }

  #tellUnasked(): readonly UpstreamEvent[] {
    if (this.#isUnaskedTold || !this.#asked.hasLeftOut) return nothing;
    this.#isUnaskedTold = true;
    return [{ type: 'unasked' }];
  }

  /**
   * Tells the ends of choices of which nothing more comes, before what this event brings.
   * @param next null: the event has usage alone.
   */
  #tellEnded(next: ChatCompletionChunk | null): readonly UpstreamEvent[] {
    if (this.#ended.size === 0) return nothing;
    const goingOn = (next?.choices ?? []).filter(({ delta }) => hasOutput(delta));
    // It has not ended after all: who writes so is told of no further end before that of the stream.
    if (goingOn.some(({ index }) => this.#ended.has(index))) this.#hasGoneOn = true;
    if (this.#hasGoneOn) this.#ended.clear();
    if (next === null ? this.#unfinishedCount > 0 : goingOn.length === 0) return nothing;
    const ended = [...this.#choices].filter(([index]) => this.#ended.delete(index));
    return ended.length === 0 ? nothing : [{ type: 'chunk', chunk: this.#finishAll(ended) }];
  }

  // Pieces of the one choice that was asked for are told one after the other: clients look for one.
  #toChunks(answer: Record<string, unknown>, raw: readonly Record<string, unknown>[]): readonly ChatCompletionChunk[] {
    const chunks =
      this.#hasSeveral || raw.length <= 1
        ? [raw.length === 0 ? null : this.#toChunk(answer, raw)]
        : raw.map((choice) => this.#toChunk({ ...answer }, [choice]));
    return chunks.filter((chunk) => chunk !== null);
  }

  /** null: there is nothing to be told yet. */
  #toChunk(answer: Record<string, unknown>, raw: readonly Record<string, unknown>[]): ChatCompletionChunk | null {
    const choices = raw.map((choice) => this.#normaliseChoice(choice)).filter((choice) => choice !== null);
    if (choices.length < raw.length) this.#endHead = { ...answer };
    return choices.length === 0 ? null : this.#stamp(Object.assign(answer, { choices }));
  }

  #stamp(answer: Record<string, unknown>): ChatCompletionChunk {
    stampAnswer(answer, this.#context, 'chat.completion.chunk');
    // Every field that the type asks for was just set, but for the choices, which its callers set.
    const chunk = answer as ChatCompletionChunk;
    this.#others.note(chunk);
    return chunk;
  }

  /** null: it only says why it ended. */
  #normaliseChoice(raw: Record<string, unknown>): ChunkChoice | null {
    const choice = raw as ChunkChoice;
    const isFirst = !this.#choices.has(choice.index);
    const progress = this.#findProgress(choice.index);
    const delta = takeDelta(raw, progress);
    normaliseDelta(delta, progress.toolCalls);
    refuseManyCalls(progress.toolCalls.count, this.#context.providerId);
    const isOutput = hasOutput(choice.delta);
    this.#hasGoneOn ||= progress.reason !== null && isOutput;
    progress.hasWords ||= hasWords(choice.delta);
    choice.logprobs ??= null;
    const isEnd = this.#noteReason(raw.finish_reason, progress, isOutput);
    choice.finish_reason = null;
    if (isOutput && !isEnd && progress.reason === null) progress.hasOpenOutput = true;
    if (!isEnd || !isBare(choice.delta, isFirst)) return choice;
    progress.end = choice;
    const isSure = progress.hasOpenOutput && (progress.hasWords || progress.toolCalls.hasCalls);
    if (this.#hasSeveral && isSure && !progress.isTold) this.#ended.add(choice.index);
    return null;
  }

  /** Whether it is a reason. Of several the last one counts; but a bare `stop` behind another one is written by who knows no better. */
  #noteReason(reason: unknown, progress: ChoiceProgress, isOutput: boolean): boolean {
    if (typeof reason !== 'string' || reason === '') return false;
    const named = normaliseFinishReason(reason, { hasCalls: false, hasWords: true });
    if (named === 'failed') throw createInBandError(this.#context.providerId, null, null);
    if (progress.reason === null) this.#unfinishedCount -= 1;
    if (progress.reason === null || isOutput || named !== 'stop') progress.reason = reason;
    return true;
  }

  #finishAll(ended: readonly (readonly [number, ChoiceProgress])[]): ChatCompletionChunk {
    const choices = ended.map(([index, progress]) => this.#finish(index, progress));
    return this.#stamp({ ...this.#endHead, choices });
  }

  #finish(index: number, progress: ChoiceProgress): ChunkChoice {
    const { toolCalls } = progress;
    // Where a provider that has ended did not say why, a client still needs a reason.
    const reason = progress.reason ?? 'stop';
    const said = { hasCalls: toolCalls.hasCalls, hasWords: progress.hasWords };
    const finishReason = normaliseFinishReason(reason, said);
    if (finishReason === 'stumbled') throw createStumbleError(this.#context.providerId, reason);
    if (finishReason === 'failed') throw createInBandError(this.#context.providerId, null, null);
    const choice = { index, delta: {}, logprobs: null, ...progress.end, finish_reason: finishReason };
    toolCalls.completeArguments(choice.delta);
    progress.isTold = true;
    return choice;
  }

  #takeEndMarker(): readonly UpstreamEvent[] {
    if (this.#choices.size === 0) throw createUnreadableError(this.#context.providerId, 'an end without any choice');
    this.#isEnded = true;
    return nothing;
  }

  /** Of one event there, all that matters is a count. */
  #takeBehindEnd(data: string): readonly UpstreamEvent[] {
    this.#isClosed = true;
    this.#usage = readTokenUsage(findRawUsage(parseObject(data) ?? {}, this.#context), this.#isReasoningBeside);
    return toPieceEvents(this.#usage, null);
  }

  #findProgress(index: number): ChoiceProgress {
    let progress = this.#choices.get(index);
    if (progress === undefined) {
      const toolCalls = new ToolCallTracker(this.#context.answerId);
      progress = { reason: null, end: null, hasWords: false, hasOpenOutput: false, isTold: false, toolCalls };
      this.#choices.set(index, progress);
      this.#unfinishedCount += 1;
    }
    return progress;
  }
}
