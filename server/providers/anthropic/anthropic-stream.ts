import { isJsonObject, toText } from '../../kernel/json-body.js';
import { refuseManyCalls } from '../answers/answer-limits.js';
import { measureOutput, OtherOutputFinder } from '../answers/other-output.js';
import { isBlankEvent } from '../answers/server-sent-events.js';
import type { ChatCompletionChunk, ChatDelta, ChunkChoice } from '../chat-types.js';
import { normaliseArguments } from '../json-object.js';
import type { AnswerContext, ServerSentEvent, StreamParser, UpstreamEvent } from '../provider-adapter.js';
import { createBeyondLimitError, createUnreadableError } from '../upstream-error.js';
import { toReasoningDetail } from './anthropic-reasoning.js';
import {
  findRefusal,
  isKnownBlock,
  parseAnthropicObject,
  readThinking,
  toExactStop,
  toFinishReason,
} from './anthropic-response.js';
import { jsonAnswerTool } from './anthropic-tools.js';
import { AnthropicUsage } from './anthropic-usage.js';
import { TurnProgress } from './turn-order.js';

const nothing: readonly UpstreamEvent[] = [];
// Blocks come one after the other; a provider that never closes them would fill our memory.
const openBlocksMax = 128;
/** They say something about words that come, and are none. */
const describingDeltas: ReadonlySet<string> = new Set(['signature_delta', 'citations_delta']);

/** A content block that is open. */
interface OpenBlock {
  /** As it began, with what came to it since. */
  readonly block: Record<string, unknown>;
  /** The index of the tool call that it is; null for what is none. */
  readonly callIndex: number | null;
  readonly isJsonAnswer: boolean;
  hasInput: boolean;
}

/**
 * Translates one stream: https://platform.claude.com/docs/en/build-with-claude/streaming. Goes by the type inside of the data,
 * ignores events that it does not know, as Anthropic asks, and takes only `message_stop` for the end. The count of the prompt is
 * reported at once, so that a call which breaks off is billed for the prompt that was read.
 */
export class AnthropicStreamParser implements StreamParser {
  readonly #context: AnswerContext;
  readonly #usage = new AnthropicUsage();
  readonly #openBlocks = new Map<unknown, OpenBlock>();
  readonly #progress = new TurnProgress();
  readonly #others = new OtherOutputFinder();
  #stopReason: unknown = null;
  #stopSequence: unknown = null;
  #refusal: string | null = null;
  #hasBegun = false;
  #isEnded = false;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get isWhole(): boolean {
    return this.#isEnded;
  }

  push(event: ServerSentEvent): readonly UpstreamEvent[] {
    if (this.#isEnded || isBlankEvent(event.data)) return nothing;
    const data = parseAnthropicObject(event.data, this.#context);
    switch (data.type) {
      case 'message_start':
        return this.#begin(data);
      case 'content_block_start':
        return this.#open(data);
      case 'content_block_delta':
        return this.#continue(data);
      case 'content_block_stop':
        return this.#close(data);
      case 'message_delta':
        return this.#reportEnd(data);
      case 'message_stop':
        return this.#end();
      default:
        return nothing;
    }
  }

  #begin({ message }: Record<string, unknown>): readonly UpstreamEvent[] {
    this.#hasBegun = true;
    const usage = this.#report(isJsonObject(message) ? message.usage : null);
    return [...usage, ...this.#toChunk({ role: 'assistant', content: '' })];
  }

  #open({ index, content_block: raw }: Record<string, unknown>): readonly UpstreamEvent[] {
    if (!isJsonObject(raw)) return this.#toOther(raw);
    if (this.#openBlocks.size >= openBlocksMax)
      throw createBeyondLimitError(this.#context.providerId, 'too many open content blocks');
    const isJsonAnswer = raw.type === 'tool_use' && raw.name === jsonAnswerTool;
    const callIndex = raw.type === 'tool_use' && !isJsonAnswer ? this.#progress.callCount : null;
    const open: OpenBlock = { block: { ...raw }, callIndex, isJsonAnswer, hasInput: false };
    this.#openBlocks.set(index, open);
    const isEmpty = isJsonObject(raw.input) && Object.keys(raw.input).length === 0;
    const input = isEmpty ? '' : normaliseArguments(raw.input);
    if (callIndex !== null) {
      open.hasInput = input !== '';
      const id = typeof raw.id === 'string' && raw.id !== '' ? raw.id : `call_${callIndex}`;
      this.#progress.addCall(id);
      refuseManyCalls(this.#progress.callCount, this.#context.providerId);
      const target = { name: toText(raw.name), arguments: input };
      return this.#toChunk({ tool_calls: [{ index: callIndex, id, type: 'function', function: target }] });
    }
    if (isJsonAnswer) return this.#continueInput(open, input);
    if (!isKnownBlock(raw)) return this.#toOther(raw);
    if (raw.type === 'text') return this.#toContent(raw.text);
    return raw.type === 'thinking' ? this.#toThought(raw.thinking) : nothing;
  }

  #continue({ index, delta }: Record<string, unknown>): readonly UpstreamEvent[] {
    if (!isJsonObject(delta)) return this.#toOther(delta);
    const open = this.#openBlocks.get(index) ?? this.#openUntold(index, delta.type);
    if (open === undefined) return describingDeltas.has(toText(delta.type)) ? nothing : this.#toOther(delta);
    switch (delta.type) {
      case 'text_delta':
        return this.#toContent(delta.text);
      case 'thinking_delta':
        open.block.thinking = `${toText(open.block.thinking)}${toText(delta.thinking)}`;
        return this.#toThought(delta.thinking);
      case 'signature_delta':
        open.block.signature = delta.signature;
        return nothing;
      case 'input_json_delta':
        return this.#continueInput(open, normaliseArguments(delta.partial_json));
      case 'citations_delta':
        return nothing;
      default:
        return this.#toOther(delta);
    }
  }

  // Some gateways leave the beginning of a block out. Words need none; a call without one has no name, and cannot be made.
  #openUntold(index: unknown, deltaType: unknown): OpenBlock | undefined {
    const [, type] = /^(text|thinking)_delta$/.exec(toText(deltaType)) ?? [];
    if (type !== undefined) this.#open({ index, content_block: { type } });
    return this.#openBlocks.get(index);
  }

  #continueInput(open: OpenBlock, text: string): readonly UpstreamEvent[] {
    if (text === '') return nothing;
    open.hasInput = true;
    if (open.isJsonAnswer) return this.#toContent(text);
    return open.callIndex === null
      ? this.#toOther(text)
      : this.#toChunk({ tool_calls: [{ index: open.callIndex, function: { arguments: text } }] });
  }

  // A call whose arguments never came has none: `{}`, which parses where '' does not. Thinking is given once more, whole and signed.
  #close({ index }: Record<string, unknown>): readonly UpstreamEvent[] {
    const open = this.#openBlocks.get(index);
    if (open === undefined) return nothing;
    this.#openBlocks.delete(index);
    if ((open.callIndex !== null || open.isJsonAnswer) && !open.hasInput) return this.#continueInput(open, '{}');
    const thinking = readThinking(open.block);
    if (thinking === null) return nothing;
    const { publicModel } = this.#context;
    const detail = toReasoningDetail(thinking, {
      index: Number(toText(index)),
      after: this.#progress.mark,
      publicModel,
    });
    this.#progress.addThinking();
    return this.#toChunk({ reasoning_details: [detail] });
  }

  #reportEnd({ delta, usage }: Record<string, unknown>): readonly UpstreamEvent[] {
    const end = isJsonObject(delta) ? delta : {};
    this.#stopReason = end.stop_reason ?? this.#stopReason;
    this.#stopSequence = end.stop_sequence ?? this.#stopSequence;
    this.#refusal = findRefusal(end.stop_details) ?? this.#refusal;
    return this.#report(usage);
  }

  #end(): readonly UpstreamEvent[] {
    // Without a reason the model did not finish, whatever ended the stream.
    if (!this.#hasBegun || typeof this.#stopReason !== 'string')
      throw createUnreadableError(this.#context.providerId, 'an end without a stop_reason');
    this.#isEnded = true;
    const delta = this.#refusal === null ? {} : { refusal: this.#refusal };
    return this.#toChunk(delta, {
      finish_reason: toFinishReason(this.#stopReason, this.#progress.callCount > 0),
      ...toExactStop({ stop_reason: this.#stopReason, stop_sequence: this.#stopSequence }),
    });
  }

  // An event that says nothing of the output says nothing of what came since the last report, which is not told again as if it did.
  #report(raw: unknown): readonly UpstreamEvent[] {
    const isOutputCounted = this.#usage.report(raw);
    const { total } = this.#usage;
    return isOutputCounted && total !== null ? [{ type: 'usage', usage: total }] : nothing;
  }

  #toContent(raw: unknown): readonly UpstreamEvent[] {
    const text = toText(raw);
    if (text === '') return this.#toOther(raw);
    this.#progress.addText(text);
    return this.#toChunk({ content: text });
  }

  #toThought(raw: unknown): readonly UpstreamEvent[] {
    const text = toText(raw);
    return text === '' ? this.#toOther(raw) : this.#toChunk({ reasoning_content: text });
  }

  /** What nobody knows was made as well: it is told as it came. */
  #toOther(value: unknown): readonly UpstreamEvent[] {
    return measureOutput(value) > 0 ? this.#toChunk({ other_parts: [value] }) : nothing;
  }

  #toChunk(delta: ChatDelta, end: Partial<ChunkChoice> = {}): readonly UpstreamEvent[] {
    const { answerId, createdSeconds, publicModel } = this.#context;
    const chunk: ChatCompletionChunk = {
      id: answerId,
      object: 'chat.completion.chunk',
      created: createdSeconds,
      model: publicModel,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...end }],
    };
    if (delta.other_parts !== undefined) this.#others.note(chunk);
    return [{ type: 'chunk', chunk }];
  }
}
