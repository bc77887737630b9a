import { toPieceEvents } from '../answers/piece-events.js';
import { isBlankEvent, isEndMarker } from '../answers/server-sent-events.js';
import type { ChatCompletionChunk, ChatDelta, ChunkChoice } from '../chat-types.js';
import { isObject } from '../json-object.js';
import type { AnswerContext, ServerSentEvent, StreamParser, UpstreamEvent } from '../provider-adapter.js';
import { readTokenUsage } from '../token-usage.js';
import { createInBandError, createTooManyCallsError, createUnreadableError } from '../upstream-error.js';
import { AskedChoices } from './asked-choices.js';
import { normaliseFinishReason, normaliseWords } from './normalise-choice.js';
import { findRawUsage, parseAnswer, stampAnswer } from './openai-compatible-response.js';
import { PlainEvents } from './plain-events.js';
import { ToolCallTracker } from './tool-call-tracker.js';

const nothing: readonly UpstreamEvent[] = [];
// More than any model writes; a provider that goes on would fill our memory.
const callsPerChoiceMax = 1_024;

interface StreamReading {
  /** Spares the parsing of events that only bring words. */
  readonly plainEvents?: Pick<PlainEvents, 'learn' | 'read'>;
  /** As `readTokenUsage` takes it. */
  readonly isReasoningBeside?: boolean;
}

interface ChoiceProgress {
  isFinished: boolean;
  readonly toolCalls: ToolCallTracker;
}

/**
 * Translates one stream. Each event is parsed once at most and changed in place: our identity put on, usage taken out, the shape
 * made OpenAI's. A choice finishes exactly once. `[DONE]` ends the stream; without it, a stream whose choices have all
 * finished is whole too, since some providers leave `[DONE]` out. Choices that nobody asked for are left out.
 */
export class OpenAiStreamParser implements StreamParser {
  readonly #context: AnswerContext;
  readonly #asked: AskedChoices;
  readonly #choices = new Map<number, ChoiceProgress>();
  #unfinishedCount = 0;
  #isEnded = false;
  /** Whether output came behind the finish of its choice, as where `finish_reason` is on every event: it then says nothing. */
  #hasGoneOn = false;
  #isClosed = false;

  readonly #plainEvents: Pick<PlainEvents, 'learn' | 'read'>;
  readonly #isReasoningBeside: boolean;

  constructor(context: AnswerContext, { plainEvents, isReasoningBeside }: StreamReading = {}) {
    this.#context = context;
    this.#plainEvents = plainEvents ?? new PlainEvents();
    this.#isReasoningBeside = isReasoningBeside ?? false;
    this.#asked = new AskedChoices(context.choicesAsked ?? 1);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get isWhole(): boolean {
    if (this.#hasGoneOn && !this.#isEnded && !this.#isClosed) return false;
    return this.#choices.size > 0 && this.#unfinishedCount === 0;
  }

  end(): readonly UpstreamEvent[] {
    this.#isClosed = true;
    return nothing;
  }

  push(event: ServerSentEvent): readonly UpstreamEvent[] {
    if (this.#isEnded) return nothing;
    if (isEndMarker(event.data)) return this.#takeEndMarker();
    if (isBlankEvent(event.data)) return nothing;
    const plain = event.name === 'error' ? null : this.#plainEvents.read(event.data);
    if (plain !== null) {
      this.#hasGoneOn ||= this.#unfinishedCount === 0;
      return [{ type: 'chunk', chunk: plain }];
    }

    const answer = parseAnswer(event.data, this.#context, event.name === 'error');
    const usage = readTokenUsage(findRawUsage(answer), this.#isReasoningBeside);
    const choices = this.#takeAsked(answer.choices);
    const chunk = choices.length === 0 ? null : this.#toChunk(answer, choices);
    if (usage === null && chunk !== null) this.#plainEvents.learn(event.data, chunk);
    return toPieceEvents(usage, chunk);
  }

  /** The choices of one event that were asked for, each with its number from 0. */
  #takeAsked(raw: unknown): Record<string, unknown>[] {
    if (!Array.isArray(raw)) return [];
    return raw.flatMap((choice: unknown, position) => {
      if (!isObject(choice)) throw createUnreadableError(this.#context.providerId, 'a choice that is no object');
      const index = this.#asked.find(typeof choice.index === 'number' ? choice.index : position);
      if (index === null) return [];
      choice.index = index;
      return [choice];
    });
  }

  #toChunk(answer: Record<string, unknown>, choices: readonly Record<string, unknown>[]): ChatCompletionChunk {
    stampAnswer(answer, this.#context, 'chat.completion.chunk');
    answer.choices = choices.map((choice) => this.#normaliseChoice(choice));
    // Every field that the type asks for was just set.
    return answer as ChatCompletionChunk;
  }

  #normaliseChoice(raw: Record<string, unknown>): ChunkChoice {
    const delta = takeDelta(raw);
    const choice = raw as ChunkChoice;
    const progress = this.#findProgress(choice.index);
    normaliseDelta(delta, progress.toolCalls);
    if (progress.toolCalls.count > callsPerChoiceMax) throw createTooManyCallsError(this.#context.providerId);
    this.#hasGoneOn ||= progress.isFinished && hasOutput(choice.delta);
    choice.logprobs ??= null;
    choice.finish_reason = this.#finish(raw.finish_reason, progress);
    if (choice.finish_reason !== null) progress.toolCalls.completeArguments(choice.delta);
    return choice;
  }

  #finish(reason: unknown, progress: ChoiceProgress): ChunkChoice['finish_reason'] {
    if (typeof reason !== 'string' || reason === '' || progress.isFinished) return null;
    const finishReason = normaliseFinishReason(reason, progress.toolCalls.hasCalls);
    if (finishReason === 'failed') throw createInBandError(this.#context.providerId, null, null);
    progress.isFinished = true;
    this.#unfinishedCount -= 1;
    return finishReason;
  }

  // A provider that says `[DONE]` has finished; where it did not say why, a client still needs a reason.
  #takeEndMarker(): readonly UpstreamEvent[] {
    if (this.#choices.size === 0) throw createUnreadableError(this.#context.providerId, 'an end without any choice');
    this.#isEnded = true;
    if (this.#unfinishedCount === 0) return nothing;
    const choices = [...this.#choices]
      .filter(([, progress]) => !progress.isFinished)
      .map(([index]) => ({ index, delta: {}, finish_reason: 'stop' }));
    return [{ type: 'chunk', chunk: this.#toChunk({}, choices) }];
  }

  #findProgress(index: number): ChoiceProgress {
    let progress = this.#choices.get(index);
    if (progress === undefined) {
      progress = { isFinished: false, toolCalls: new ToolCallTracker(this.#context.answerId) };
      this.#choices.set(index, progress);
      this.#unfinishedCount += 1;
    }
    return progress;
  }
}

// Some servers write a `message` in its place; where both stand, it repeats what came.
function takeDelta(choice: Record<string, unknown>): Record<string, unknown> {
  if (isObject(choice.delta)) return choice.delta;
  const delta = isObject(choice.message) ? choice.message : {};
  choice.message = undefined;
  choice.delta = delta;
  return delta;
}

function hasOutput({ content, reasoning_content: thought, reasoning, tool_calls: calls }: ChatDelta): boolean {
  return Boolean(content || thought || reasoning || calls?.length);
}

function normaliseDelta(delta: Record<string, unknown>, toolCalls: ToolCallTracker): asserts delta is ChatDelta {
  if (delta.role !== undefined) delta.role = delta.role ? 'assistant' : undefined;
  normaliseWords(delta);
  if (Array.isArray(delta.tool_calls)) {
    const told = toolCalls.normalise(delta.tool_calls);
    // All of it may have to wait.
    delta.tool_calls = told.length === 0 && delta.tool_calls.length > 0 ? undefined : told;
  } else if (delta.tool_calls !== undefined) delta.tool_calls = undefined;
}
