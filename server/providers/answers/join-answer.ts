import { JsonGauge, type JsonLimits } from '../../kernel/json-gauge.js';
import type { AssistantMessage, ChatCompletion, ChatDelta, ChunkChoice, ToolCallDelta } from '../chat-types.js';
import type { TokenUsage, UpstreamEvent } from '../provider-adapter.js';
import { takesBack } from '../token-usage.js';
import { createUnreadableError } from '../upstream-error.js';
import type { EventTaker } from './event-taker.js';
import { toAnswerEvents } from './piece-events.js';

export interface JoinBounds {
  readonly providerId: string;
  readonly bytesMax: number;
  readonly limits: JsonLimits;
}

type Fields = Record<string, unknown>;
type WholeChoice = ChatCompletion['choices'][number];
type WholeCall = NonNullable<AssistantMessage['tool_calls']>[number];

interface GrowingChoice {
  readonly choice: Fields;
  readonly message: Fields;
  readonly logprobs: Fields;
  readonly calls: Map<number, WholeCall>;
}

// Pieces of one text each; of any other field that is a text the last one stands.
const textFields: ReadonlySet<string> = new Set(['content', 'refusal', 'reasoning_content', 'reasoning']);

/**
 * Joins the pieces of a stream to one plain answer, for a provider that was not asked to stream and did: nothing of it is told, or
 * billed, before it is whole. Keeps the count that is of all of it; where pieces came behind the last one, none.
 */
export class AnswerJoiner implements EventTaker {
  readonly hasEnough = false;
  readonly #choices = new Map<number, GrowingChoice>();
  readonly #gauge: JsonGauge;
  #head: Fields | null = null;
  #bytes = 0;
  #usage: TokenUsage | null = null;
  #isUsageEarly = false;
  #isUsageOfNextChunk = false;
  #isUsageStale = false;
  #hasOutput = false;
  #hasUnasked = false;

  constructor(private readonly bounds: JoinBounds) {
    this.#gauge = new JsonGauge(bounds.limits);
  }

  get isEmpty(): boolean {
    return this.#head === null;
  }

  /** Is told how many more bytes came. @throws AppError `provider_error` for more than a plain answer may have. */
  noteBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > this.bounds.bytesMax) this.#refuse();
  }

  /** @throws AppError `provider_error` for more values than a plain answer may have. */
  take(event: UpstreamEvent): null {
    if (event.type === 'usage') this.#noteUsage(event.usage, event.isOfNextChunk === true);
    if (event.type === 'unasked') this.#hasUnasked = true;
    if (event.type !== 'chunk') return null;
    const { choices, ...head } = event.chunk;
    this.#head = Object.assign(this.#head ?? {}, withoutNothing(head));
    const hasGrown = choices.some(({ delta }) => hasOutput(delta));
    if (hasGrown && !this.#isUsageOfNextChunk) this.#isUsageStale = true;
    this.#isUsageOfNextChunk = false;
    this.#hasOutput ||= hasGrown;
    for (const choice of choices) this.#addChoice(choice);
    return null;
  }

  /** What a plain answer comes to; null: there was no piece. */
  finish(): readonly UpstreamEvent[] | null {
    if (this.#head === null) return null;
    const choices = [...this.#choices].sort(([a], [b]) => a - b).map(([, growing]) => toWholeChoice(growing));
    // Every field that the type asks for stands in each chunk.
    const completion = { ...this.#head, object: 'chat.completion', choices } as unknown as ChatCompletion;
    return toAnswerEvents(completion, this.#isUsageStale ? null : this.#usage, this.#hasUnasked);
  }

  // As the meter of a stream does it.
  #noteUsage(usage: TokenUsage, isOfNextChunk: boolean): void {
    this.#isUsageOfNextChunk = false;
    if (takesBack(usage, this.#usage, !this.#isUsageEarly)) return;
    this.#usage = usage;
    this.#isUsageStale = false;
    this.#isUsageOfNextChunk = isOfNextChunk;
    this.#isUsageEarly = !this.#hasOutput && !isOfNextChunk;
  }

  #addChoice({ delta, ...choice }: ChunkChoice): void {
    const growing: GrowingChoice = this.#choices.get(choice.index) ?? newChoice();
    this.#choices.set(choice.index, growing);
    const { tool_calls: calls, ...fields } = delta;
    for (const call of calls ?? []) this.#addCall(growing.calls, call);
    this.#join(growing.message, fields);
    const { logprobs, ...others } = choice;
    this.#join(growing.logprobs, logprobs ?? {});
    Object.assign(growing.choice, withoutNothing(others));
  }

  #addCall(calls: Map<number, WholeCall>, { index, id, function: target, extra_content: extra }: ToolCallDelta): void {
    const known = calls.get(index);
    const name = known?.function.name || (target?.name ?? '');
    const text = (known?.function.arguments ?? '') + (target?.arguments ?? '');
    const extras = extra ?? known?.extra_content;
    calls.set(index, {
      id: known?.id || (id ?? ''),
      type: 'function',
      function: { name, arguments: text },
      ...(extras === undefined ? {} : { extra_content: extras }),
    });
  }

  // What has come grows in its place: copied for each piece, many fields in many pieces would hold the event loop.
  #join(joined: Fields, piece: object): void {
    for (const [name, value] of Object.entries(withoutNothing(piece))) {
      const known = joined[name];
      this.#count(value);
      if (typeof known === 'string' && typeof value === 'string' && textFields.has(name)) joined[name] = known + value;
      else if (Array.isArray(known) && Array.isArray(value)) for (const item of value) known.push(item);
      else joined[name] = Array.isArray(value) ? [...value] : value;
    }
  }

  // The values of many small events may be more than those of one plain answer may be.
  #count(value: unknown): void {
    if (typeof value !== 'object') return;
    this.#gauge.push(Buffer.from(JSON.stringify(value)));
    if (this.#gauge.values > this.bounds.limits.valuesMax) this.#refuse();
  }

  #refuse(): never {
    throw createUnreadableError(this.bounds.providerId, 'a body larger than allowed, or with more values');
  }
}

function newChoice(): GrowingChoice {
  return { choice: {}, message: {}, logprobs: {}, calls: new Map() };
}

function withoutNothing(fields: object): Fields {
  // Symbols stand for facts of ours, such as the exact stop, and are kept.
  const kept: Fields = { ...fields };
  for (const [name, value] of Object.entries(kept)) if (value === undefined || value === null) delete kept[name];
  return kept;
}

/** Whether a piece of an answer has anything in it beside its role. */
export function hasOutput(delta: ChatDelta): boolean {
  const { role: _, ...words } = delta;
  return Object.values(words).some((value) => (Array.isArray(value) ? value.length > 0 : Boolean(value)));
}

function toWholeChoice({ choice, message, logprobs, calls }: GrowingChoice): WholeChoice {
  const toolCalls = [...calls].sort(([a], [b]) => a - b).map(([, call]) => call);
  const content = typeof message.content === 'string' ? message.content : null;
  const whole = {
    ...message,
    role: 'assistant',
    content: toolCalls.length > 0 ? content || null : content,
    refusal: message.refusal ?? null,
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
  };
  const told = Object.keys(logprobs).length > 0 ? logprobs : null;
  const head = { ...choice, logprobs: told, finish_reason: choice.finish_reason ?? 'stop' };
  return { ...head, message: whole } as unknown as WholeChoice;
}
