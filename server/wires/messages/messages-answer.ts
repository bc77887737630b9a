import { isJsonObject, type JsonBody } from '../../kernel/json-body.js';
import { findJsonExcess, type JsonLimits } from '../../kernel/json-gauge.js';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatDelta,
  ChunkChoice,
  CompletionUsage,
  FinishReason,
  ToolCallDelta,
} from '../../providers/chat-types.js';
import { completionToChunk } from '../../providers/completion-to-chunk.js';
import type { AnswerWire, WireError } from '../answer-wire.js';
import { createTextEvent, EventBuffer, type TextEvent } from '../event-buffer.js';
import { sealReasoning } from '../sealed-reasoning.js';
import { toMessagesError } from './messages-error.js';

export interface MessagesAnswerOptions {
  /** `call_…`; the id of the message is made of it. */
  readonly callId: string;
  /** The name that the caller used. */
  readonly model: string;
  /** What the prompt may count, for the beginning of a stream, where nobody knows it yet. */
  readonly promptTokensEstimate: number;
}

const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

interface OpenBlock {
  readonly kind: 'text' | 'thinking';
  /** As it is in a whole answer; grows. */
  readonly block: Record<string, string>;
  readonly delta: TextEvent;
}

/** A call whose pieces still come: only one block is open at a time, and the pieces of parallel calls may come in turns. */
interface PendingCall {
  readonly id: string;
  readonly name: string;
  input: string;
}

/** The call whose pieces are told as they come. */
interface ToldCall {
  readonly index: number;
  readonly delta: TextEvent;
}

/**
 * The answer of Anthropic's `POST /v1/messages`, of whichever model. As a stream it tells `message_start`, one block after the
 * other and `message_stop`, each event with its name, since Anthropic's clients read none without; the counts of tokens in
 * `message_delta` are those that were billed. https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export class MessagesAnswer implements AnswerWire {
  readonly #options: MessagesAnswerOptions;
  readonly #content: JsonBody[] = [];
  /** By their index in the chat stream. The first is told as it comes, the others when it is their turn. */
  readonly #calls = new Map<number, PendingCall>();
  #told: ToldCall | null = null;
  #open: OpenBlock | null = null;
  /** Thinking that the provider wants back and that no block holds yet. */
  #details: JsonBody[] = [];
  #signatures = new Map<string, string>();
  #finishReason: FinishReason = 'stop';
  #hasRefusal = false;
  #hasBegun = false;
  readonly #events = new EventBuffer();

  constructor(options: MessagesAnswerOptions) {
    this.#options = options;
  }

  toBody(completion: ChatCompletion, usage: CompletionUsage): object {
    this.#events.turnOff();
    this.#take(completionToChunk(completion).choices[0]);
    this.#closeAll();
    return {
      ...this.#toHead(),
      content: this.#content,
      stop_reason: this.#stopReason,
      usage: toMessagesUsage(usage),
    };
  }

  toEvents(chunk: ChatCompletionChunk): string {
    this.#begin();
    this.#take(chunk.choices[0]);
    return this.#events.take();
  }

  toEnd(usage: CompletionUsage): string {
    this.#begin();
    this.#closeAll();
    const delta = { stop_reason: this.#stopReason, stop_sequence: null };
    this.#events.tell('message_delta', { delta, usage: toMessagesUsage(usage) });
    this.#events.tell('message_stop', {});
    return this.#events.take();
  }

  toFailure(error: WireError): string {
    const { type, ...fields } = toMessagesError(error, this.#options.callId);
    this.#events.tell(type, fields);
    return this.#events.take();
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const usage = {
      ...toInputCounts({ input: this.#options.promptTokensEstimate, read: 0, written: 0 }),
      output_tokens: 1,
    };
    this.#events.tell('message_start', { message: { ...this.#toHead(), content: [], stop_reason: null, usage } });
    this.#events.tell('ping', {});
  }

  #take(choice: ChunkChoice | undefined): void {
    if (choice === undefined || choice.index !== 0) return;
    const { delta } = choice;
    this.#takeThinking(delta);
    if (typeof delta.content === 'string') this.#takeText(delta.content);
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      this.#hasRefusal = true;
      this.#takeText(delta.refusal);
    }
    for (const piece of delta.tool_calls ?? []) this.#takeCall(piece);
    this.#finishReason = choice.finish_reason ?? this.#finishReason;
  }

  #takeThinking({ reasoning_content: thought, reasoning, reasoning_details: details }: ChatDelta): void {
    const text = typeof thought === 'string' ? thought : reasoning;
    if (typeof text === 'string' && text !== '') this.#addTo('thinking', text);
    if (Array.isArray(details)) this.#details.push(...details.filter(isJsonObject));
  }

  #takeText(text: string): void {
    if (text !== '') this.#addTo('text', text);
  }

  #addTo(kind: OpenBlock['kind'], text: string): void {
    if (this.#open?.kind !== kind) {
      this.#closeAll();
      const block = kind === 'text' ? { type: kind, text: '' } : { type: kind, thinking: '', signature: '' };
      this.#open = { kind, block, delta: this.#createDelta(`${kind}_delta`, kind) };
      this.#events.tell('content_block_start', { index: this.#content.length, content_block: { ...block } });
    }
    const { block, delta } = this.#open;
    block[kind] += text;
    this.#events.tellText(delta, text);
  }

  #takeCall({ index, id, function: target, extra_content: extra }: ToolCallDelta): void {
    const input = target?.arguments ?? '';
    const known = this.#calls.get(index);
    if (known) {
      known.input += input;
      if (index === this.#told?.index) this.#tellInput(this.#told, input);
      return;
    }
    const call = { id: id ?? `toolu_${index}`, name: target?.name ?? '', input };
    const signature = extra?.google?.thought_signature;
    if (typeof signature === 'string') this.#signatures.set(call.id, signature);
    this.#closeOpen();
    this.#calls.set(index, call);
    if (this.#told === null) this.#tellCall(index, call);
  }

  #tellCall(index: number, { id, name, input }: PendingCall): void {
    this.#tellLoose();
    const block = { type: 'tool_use', id, name, input: {} };
    this.#events.tell('content_block_start', { index: this.#content.length, content_block: block });
    this.#told = { index, delta: this.#createDelta('input_json_delta', 'partial_json') };
    this.#tellInput(this.#told, input);
  }

  #tellInput({ delta }: ToldCall, input: string): void {
    if (input !== '') this.#events.tellText(delta, input);
  }

  #closeOpen(): void {
    if (this.#open === null) return;
    const { kind, block } = this.#open;
    this.#open = null;
    if (kind === 'thinking') {
      block.signature = this.#takeSealed();
      const delta = { type: 'signature_delta', signature: block.signature };
      this.#events.tell('content_block_delta', { index: this.#content.length, delta });
    }
    this.#end(block);
  }

  // What the provider wants back where no thinking was shown: Anthropic's clients send such a block back as it came.
  #tellLoose(): void {
    if (this.#details.length === 0 && this.#signatures.size === 0) return;
    const block = { type: 'redacted_thinking', data: this.#takeSealed() };
    this.#events.tell('content_block_start', { index: this.#content.length, content_block: block });
    this.#end(block);
  }

  #takeSealed(): string {
    const sealed = sealReasoning(this.#details, this.#signatures);
    this.#details = [];
    this.#signatures = new Map();
    return sealed;
  }

  #closeAll(): void {
    this.#closeOpen();
    for (const [index, call] of this.#calls) {
      if (index !== this.#told?.index) this.#tellCall(index, call);
      this.#end({ type: 'tool_use', id: call.id, name: call.name, input: readInput(call.input) });
    }
    this.#calls.clear();
    this.#told = null;
    this.#tellLoose();
  }

  #end(block: JsonBody): void {
    this.#events.tell('content_block_stop', { index: this.#content.length });
    this.#content.push(block);
  }

  get #stopReason(): string {
    return this.#hasRefusal ? 'refusal' : stopReasons[this.#finishReason];
  }

  #toHead(): JsonBody {
    const { callId, model } = this.#options;
    const id = `msg_${callId.slice(callId.indexOf('_') + 1)}`;
    return { id, type: 'message', role: 'assistant', model, stop_sequence: null };
  }

  // Of the block that is open: the next one has another index.
  #createDelta(type: string, field: string): TextEvent {
    const index = this.#content.length;
    return createTextEvent('content_block_delta', (text) => ({ index, delta: { type, [field]: text } }));
  }
}

/** What is nested deeper could not be written as JSON again. */
const inputLimits: JsonLimits = { valuesMax: 1_000_000, levelsMax: 256 };

// A model may have written arguments that do not parse, or too deep; the caller is told what it wrote.
function readInput(text: string): unknown {
  if (findJsonExcess(text, inputLimits) !== null) return { _raw: text };
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return isJsonObject(value) ? value : { _raw: text };
  } catch {
    return { _raw: text };
  }
}

// Anthropic counts what was read from its cache, and written to it, apart from the rest of the prompt.
function toMessagesUsage(usage: CompletionUsage): JsonBody {
  const { cached_tokens: read, cache_write_tokens: written } = usage.prompt_tokens_details;
  const { credits } = usage;
  return {
    ...toInputCounts({ input: Math.max(0, usage.prompt_tokens - read - written), read, written }),
    output_tokens: usage.completion_tokens,
    ...(credits === undefined ? {} : { credits }),
  };
}

function toInputCounts({ input, read, written }: { input: number; read: number; written: number }): JsonBody {
  return { input_tokens: input, cache_creation_input_tokens: written, cache_read_input_tokens: read };
}
