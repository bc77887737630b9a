import { isJsonObject, type JsonBody } from '../../kernel/json-body.js';
import { findJsonExcess, type JsonLimits } from '../../kernel/json-gauge.js';
import { ArgumentsEnd } from '../../providers/answers/arguments-end.js';
import {
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatDelta,
  type ChunkChoice,
  type CompletionUsage,
  type ExactStop,
  exactStop,
  type FinishReason,
  type ToolCallDelta,
} from '../../providers/chat-types.js';
import { completionToChunk } from '../../providers/completion-to-chunk.js';
import type { AnswerWire, WireError } from '../answer-wire.js';
import { createTextEvent, EventBuffer, type TextEvent } from '../event-buffer.js';
import { toImageWords } from '../image-words.js';
import { OtherWords } from '../other-words.js';
import { sealReasoning } from '../sealed-reasoning.js';
import { toMessagesError } from './messages-error.js';
import { type MessagesStop, noStop, refusalStop, toMessagesStop } from './messages-stop.js';
import { toInputCounts, toMessagesUsage } from './messages-usage.js';

export interface MessagesAnswerOptions {
  /** `call_…`; the id of the message is made of it. */
  readonly callId: string;
  /** The name that the caller used. */
  readonly model: string;
  /** What the prompt may count, for the beginning of a stream, where nobody knows it yet. */
  readonly promptTokensEstimate: number;
}

/** A block of the answer that has begun and is not ended. */
type TextBlock = { readonly kind: 'text' | 'thinking'; text: string };

interface CallBlock {
  readonly kind: 'call';
  readonly id: string;
  readonly name: string;
  /** Its input as it comes: text that is JSON once it is whole. */
  text: string;
  readonly end: ArgumentsEnd;
}

type OpenBlock = TextBlock | CallBlock;

/**
 * The answer of Anthropic's `POST /v1/messages`, of whichever model. As a stream it tells `message_start`, one block after the
 * other and `message_stop`, each event with its name, since Anthropic's clients read none without; the counts of tokens in
 * `message_delta` are those that were billed. Blocks are told in the order in which they began, one at a time. The pieces of a call may
 * come in turns with other calls, text or thinking: what begins behind a call waits until its input is whole, or the answer ends.
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export class MessagesAnswer implements AnswerWire {
  readonly #content: JsonBody[] = [];
  /** In their order. The first is told as it comes. */
  readonly #open: OpenBlock[] = [];
  /** By their index in the chat stream. */
  readonly #calls = new Map<number, CallBlock>();
  /** What tells more of the first. */
  #more: TextEvent | null = null;
  /** Thinking that the provider wants back and that no block holds yet. */
  #details: JsonBody[] = [];
  #signatures = new Map<string, string>();
  #finishReason: FinishReason = 'stop';
  #exactStop: ExactStop | null = null;
  #hasRefusal = false;
  #hasBegun = false;
  readonly #events = new EventBuffer();
  readonly #others = new OtherWords();

  constructor(private readonly options: MessagesAnswerOptions) {}

  get hasTold(): boolean {
    return this.#content.length > 0 || this.#open.length > 0;
  }

  toBody(completion: ChatCompletion): (usage: CompletionUsage) => object {
    this.#events.turnOff();
    this.#take(completionToChunk(completion));
    this.#endAll();
    const body = { ...this.#toHead(), content: this.#content, ...this.#stop };
    return (usage) => ({ ...body, usage: toMessagesUsage(usage) });
  }

  toEvents(chunk: ChatCompletionChunk): string {
    this.#beginStream();
    this.#take(chunk);
    return this.#events.take();
  }

  toEnd(usage: CompletionUsage): string {
    this.#beginStream();
    this.#endAll();
    this.#events.tell('message_delta', { delta: this.#stop, usage: toMessagesUsage(usage) });
    this.#events.tell('message_stop', {});
    return this.#events.take();
  }

  toFailure(error: WireError): string {
    const { type, ...fields } = toMessagesError(error, this.options.callId);
    this.#events.tell(type, fields);
    return this.#events.take();
  }

  #beginStream(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const usage = {
      ...toInputCounts({ input: this.options.promptTokensEstimate, read: 0, written: 0 }),
      output_tokens: 1,
    };
    this.#events.tell('message_start', { message: { ...this.#toHead(), content: [], ...noStop, usage } });
    this.#events.tell('ping', {});
  }

  #take(chunk: ChatCompletionChunk): void {
    this.#takeChoice(chunk.choices[0]);
    if (!this.hasTold) this.#others.take(chunk);
  }

  #takeChoice(choice: ChunkChoice | undefined): void {
    if (choice === undefined || choice.index !== 0) return;
    const { delta } = choice;
    this.#takeThinking(delta);
    if (typeof delta.content === 'string') this.#takeText(delta.content);
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      this.#hasRefusal = true;
      this.#takeText(delta.refusal);
    }
    this.#takeText(toImageWords(delta.images));
    for (const piece of delta.tool_calls ?? []) this.#takeCall(piece);
    if (choice.finish_reason === null) return;
    this.#finishReason = choice.finish_reason;
    this.#exactStop = choice[exactStop] ?? null;
  }

  #takeThinking({ reasoning_content: thought, reasoning, reasoning_details: details }: ChatDelta): void {
    const text = typeof thought === 'string' ? thought : reasoning;
    if (typeof text === 'string' && text !== '') this.#addTo('thinking', text);
    for (const detail of Array.isArray(details) ? details.filter(isJsonObject) : []) this.#details.push(detail);
  }

  #takeText(text: string): void {
    if (text !== '') this.#addTo('text', text);
  }

  #addTo(kind: TextBlock['kind'], text: string): void {
    let block = this.#open.at(-1);
    if (block?.kind !== kind) {
      block = { kind, text: '' };
      this.#begin(block);
    }
    this.#add(block, text);
  }

  #takeCall({ index, id, function: target, extra_content: extra }: ToolCallDelta): void {
    let call = this.#calls.get(index);
    if (call === undefined) {
      call = { kind: 'call', id: id ?? `toolu_${index}`, name: target?.name ?? '', text: '', end: new ArgumentsEnd() };
      const signature = extra?.google?.thought_signature;
      if (typeof signature === 'string') this.#signatures.set(call.id, signature);
      this.#calls.set(index, call);
      this.#begin(call);
    }
    const input = target?.arguments ?? '';
    call.end.push(input);
    this.#add(call, input);
    this.#goOn();
  }

  #begin(block: OpenBlock): void {
    this.#open.push(block);
    if (this.#open.length === 1) this.#tellFirst();
    else this.#goOn();
  }

  // What still comes to a call that has ended is no input any more.
  #goOn(): void {
    while (this.#open.length > 1 && isOver(this.#open[0])) {
      this.#endFirst();
      this.#tellFirst();
    }
  }

  #add(block: OpenBlock, text: string): void {
    block.text += text;
    if (block === this.#open[0] && this.#more !== null && text !== '') this.#events.tellText(this.#more, text);
  }

  /** Tells the beginning of the first open block, and what has come of it. */
  #tellFirst(): void {
    const [block] = this.#open;
    if (block === undefined) return;
    if (block.kind === 'call') this.#tellLoose();
    const index = this.#content.length;
    this.#events.tell('content_block_start', { index, content_block: toEmptyBlock(block) });
    const { type, field } = deltas[block.kind];
    this.#more = createTextEvent('content_block_delta', (text) => ({ index, delta: { type, [field]: text } }));
    if (block.text !== '') this.#events.tellText(this.#more, block.text);
  }

  #endFirst(): void {
    const block = this.#open.shift();
    if (block === undefined) return;
    const { text } = block;
    if (block.kind === 'text') this.#end({ type: 'text', text });
    else if (block.kind === 'call') this.#end({ ...toEmptyBlock(block), input: readInput(text) });
    else {
      const signature = this.#takeSealed();
      const delta = { type: 'signature_delta', signature };
      this.#events.tell('content_block_delta', { index: this.#content.length, delta });
      this.#end({ type: 'thinking', thinking: text, signature });
    }
    this.#more = null;
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

  #endAll(): void {
    const { words, thoughts } = this.#others;
    if (!this.hasTold && words !== '') this.#takeText(words);
    else if (!this.hasTold && thoughts !== '') this.#addTo('thinking', thoughts);
    while (this.#open.length > 0) {
      this.#endFirst();
      this.#tellFirst();
    }
    this.#tellLoose();
  }

  #end(block: JsonBody): void {
    this.#events.tell('content_block_stop', { index: this.#content.length });
    this.#content.push(block);
  }

  get #stop(): MessagesStop {
    if (this.#hasRefusal) return refusalStop;
    return toMessagesStop(this.#finishReason, this.#exactStop);
  }

  #toHead(): JsonBody {
    const { callId, model } = this.options;
    const id = `msg_${callId.slice(callId.indexOf('_') + 1)}`;
    return { id, type: 'message', role: 'assistant', model };
  }
}

const deltas: Readonly<Record<OpenBlock['kind'], { readonly type: string; readonly field: string }>> = {
  text: { type: 'text_delta', field: 'text' },
  thinking: { type: 'thinking_delta', field: 'thinking' },
  call: { type: 'input_json_delta', field: 'partial_json' },
};

function toEmptyBlock(block: OpenBlock): JsonBody {
  if (block.kind === 'call') return { type: 'tool_use', id: block.id, name: block.name, input: {} };
  return block.kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' };
}

// Of what is over no more comes once something else has begun.
function isOver(block: OpenBlock | undefined): boolean {
  return block?.kind !== 'call' || block.end.isWhole;
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
