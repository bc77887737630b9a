import { isJsonObject, type JsonBody, toText } from '../../kernel/json-body.js';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChunkChoice,
  CompletionUsage,
  FinishReason,
  ToolCallDelta,
} from '../../providers/chat-types.js';
import { completionToChunk } from '../../providers/completion-to-chunk.js';
import type { AnswerWire, WireError } from '../answer-wire.js';
import { readCustomInput } from '../chat/caller-dialect.js';
import { EventBuffer } from '../event-buffer.js';
import { toImageWords } from '../image-words.js';
import { OtherWords } from '../other-words.js';
import { sealReasoning } from '../sealed-reasoning.js';
import {
  CustomCallItem,
  FunctionCallItem,
  type ItemPlace,
  MessageItem,
  type OpenItem,
  ReasoningItem,
} from './output-items.js';
import type { ResponsesSettings } from './responses-request.js';

export interface ResponsesAnswerOptions {
  /** `call_…`; the ids of the response and of its items are made of it. */
  readonly callId: string;
  /** The name that the caller used. */
  readonly model: string;
  readonly createdSeconds: number;
  /** In the same seconds, for the end of the answer. */
  readonly nowSeconds: () => number;
  readonly settings: ResponsesSettings;
  /** Names of tools whose input is one text instead of JSON. */
  readonly customTools: ReadonlySet<string>;
}

type CallItem = FunctionCallItem | CustomCallItem;

/**
 * The answer of `POST /responses`. As a stream it tells every event of the documented sequence in its order, numbered from 0,
 * and ends with exactly one of `response.completed`, `response.incomplete` and `response.failed`, so that no client takes a
 * stream for cut. https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class ResponsesAnswer implements AnswerWire {
  readonly #options: ResponsesAnswerOptions;
  readonly #output: JsonBody[] = [];
  /** Calls stay open until the end, since their pieces may come in turns. By their index in the chat stream. */
  readonly #calls = new Map<number, { readonly place: number; readonly item: CallItem }>();
  readonly #events = new EventBuffer({ isNumbered: true });
  readonly #others = new OtherWords();
  #itemCount = 0;
  #message: { readonly place: number; readonly item: MessageItem } | null = null;
  #reasoning: { readonly place: number; readonly item: ReasoningItem } | null = null;
  /** Thinking that the provider wants back and that no item holds yet. */
  #details: JsonBody[] = [];
  #signatures = new Map<string, string>();
  /** Plain thinking that the caller would send back. */
  #thought = '';
  #finishReason: FinishReason | null = null;

  constructor(options: ResponsesAnswerOptions) {
    this.#options = options;
  }

  /** The items of the answer, whole once its end was told. */
  get output(): readonly JsonBody[] {
    return this.#output;
  }

  get hasTold(): boolean {
    return this.#itemCount > 0;
  }

  toBody(completion: ChatCompletion): (usage: CompletionUsage) => object {
    this.#events.turnOff();
    this.#take(completionToChunk(completion));
    this.#closeRest();
    return (usage) => this.#toFinished(usage);
  }

  toEvents(chunk: ChatCompletionChunk): string {
    this.#begin();
    this.#take(chunk);
    return this.#events.take();
  }

  toEnd(usage: CompletionUsage): string {
    this.#begin();
    this.#closeRest();
    const response = this.#toFinished(usage);
    this.#events.tell(`response.${toText(response.status)}`, { response });
    return this.#events.take();
  }

  toFailure({ body }: WireError): string {
    this.#begin();
    this.#closeAll();
    const { code, message } = body.error;
    const response = this.#toResponse('failed', { error: { code: code ?? 'server_error', message } });
    this.#events.tell('response.failed', { response });
    return this.#events.take();
  }

  #begin(): void {
    if (this.#events.count > 0) return;
    const response = { ...this.#toResponse('in_progress', {}), output: [] };
    this.#events.tell('response.created', { response });
    this.#events.tell('response.in_progress', { response });
  }

  #take(chunk: ChatCompletionChunk): void {
    this.#takeChoice(chunk.choices[0]);
    if (!this.hasTold) this.#others.take(chunk);
  }

  #takeChoice(choice: ChunkChoice | undefined): void {
    if (choice === undefined || choice.index !== 0) return;
    const { delta } = choice;
    this.#takeReasoning(delta);
    const logprobs = readLogprobs(choice.logprobs);
    if (typeof delta.content === 'string' && delta.content !== '')
      this.#takeText('output_text', delta.content, logprobs);
    if (typeof delta.refusal === 'string' && delta.refusal !== '') this.#takeText('refusal', delta.refusal, []);
    const imageWords = toImageWords(delta.images);
    if (imageWords !== '') this.#takeText('output_text', imageWords, []);
    for (const piece of delta.tool_calls ?? []) this.#takeCall(piece);
    this.#finishReason = choice.finish_reason ?? this.#finishReason;
  }

  #takeReasoning({ reasoning_content: thought, reasoning, reasoning_details: details }: JsonBody): void {
    const text = typeof thought === 'string' ? thought : reasoning;
    if (typeof text === 'string' && text !== '' && this.#options.settings.wantsSummary) {
      this.#closeMessage();
      this.#addReasoning(text);
    }
    if (typeof text === 'string' && this.#options.settings.wantsThinkingBack) this.#thought += text;
    for (const detail of Array.isArray(details) ? details.filter(isJsonObject) : []) this.#details.push(detail);
  }

  #addReasoning(text: string): void {
    this.#reasoning ??= this.#open('rs', (place) => new ReasoningItem(place));
    this.#reasoning.item.add(text);
  }

  #takeText(type: 'output_text' | 'refusal', text: string, logprobs: readonly unknown[]): void {
    this.#closeReasoning();
    this.#message ??= this.#open('msg', (place) => new MessageItem(place));
    this.#message.item.add(type, text, logprobs);
  }

  #takeCall({ index, id, function: target, extra_content: extra }: ToolCallDelta): void {
    const known = this.#calls.get(index);
    if (known) {
      known.item.add(target?.arguments ?? '');
      return;
    }
    const callId = id ?? `call_${index}`;
    const signature = extra?.google?.thought_signature;
    if (typeof signature === 'string') this.#signatures.set(callId, signature);
    this.#closeReasoning();
    this.#closeMessage();
    const name = target?.name ?? '';
    const call = { call_id: callId, ...(this.#options.settings.namespacedTools.get(name) ?? { name }) };
    const opened = this.#options.customTools.has(name)
      ? this.#open('ctc', (place): CallItem => new CustomCallItem(place, call, readCustomInput))
      : this.#open('fc', (place): CallItem => new FunctionCallItem(place, call));
    this.#calls.set(index, opened);
    opened.item.add(target?.arguments ?? '');
  }

  #open<Item extends OpenItem>(
    prefix: 'msg' | 'rs' | 'fc' | 'ctc',
    create: (place: ItemPlace) => Item,
  ): { readonly place: number; readonly item: Item } {
    const place = this.#itemCount;
    this.#itemCount += 1;
    const id = `${prefix}_${this.idPart}${place}`;
    return { place, item: create({ id, index: place, events: this.#events }) };
  }

  // Before whatever follows thinking. What the provider wants back makes an item of its own where nothing was shown of it.
  #closeReasoning(): void {
    // What is signed has its words with it.
    const thought = this.#details.length > 0 ? '' : this.#thought;
    this.#thought = '';
    // Words before this thinking and words after it are two items, or nobody could tell where it stood.
    if (this.#details.length > 0) this.#closeMessage();
    if (this.#details.length > 0 || this.#signatures.size > 0 || thought !== '') {
      this.#reasoning ??= this.#open('rs', (place) => new ReasoningItem(place));
      this.#reasoning.item.sealed = sealReasoning(this.#details, this.#signatures, thought);
      this.#details = [];
      this.#signatures = new Map();
    }
    this.#close(this.#reasoning);
    this.#reasoning = null;
  }

  #closeMessage(): void {
    this.#close(this.#message);
    this.#message = null;
  }

  #closeAll(): void {
    this.#closeMessage();
    this.#closeReasoning();
    for (const call of this.#calls.values()) this.#close(call);
    this.#calls.clear();
  }

  #close(opened: { readonly place: number; readonly item: OpenItem } | null): void {
    if (opened) this.#output[opened.place] = opened.item.close();
  }

  #closeRest(): void {
    const { words, thoughts } = this.#others;
    if (!this.hasTold && words !== '') this.#takeText('output_text', words, []);
    else if (!this.hasTold && thoughts !== '') this.#addReasoning(thoughts);
    this.#closeAll();
  }

  #toFinished(usage: CompletionUsage): JsonBody {
    const reasons: Partial<Record<FinishReason, string>> = {
      length: 'max_output_tokens',
      content_filter: 'content_filter',
    };
    const reason = this.#finishReason === null ? undefined : reasons[this.#finishReason];
    return this.#toResponse(reason === undefined ? 'completed' : 'incomplete', {
      ...(reason === undefined ? { completed_at: this.#options.nowSeconds() } : { incomplete_details: { reason } }),
      usage: toResponsesUsage(usage),
    });
  }

  #toResponse(status: string, fields: JsonBody): JsonBody {
    const { model, createdSeconds, settings } = this.#options;
    return {
      id: `resp_${this.idPart}`,
      object: 'response',
      created_at: createdSeconds,
      completed_at: null,
      status,
      model,
      error: null,
      incomplete_details: null,
      output: this.#output,
      usage: null,
      ...settings.echo,
      ...fields,
    };
  }

  /** What the ids of the response and of its items have in common. */
  get idPart(): string {
    return this.#options.callId.slice(this.#options.callId.indexOf('_') + 1);
  }
}

function readLogprobs(logprobs: unknown): readonly unknown[] {
  return isJsonObject(logprobs) && Array.isArray(logprobs.content) ? logprobs.content : [];
}

function toResponsesUsage(usage: CompletionUsage): JsonBody {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion, credits } = usage;
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: prompt.cached_tokens, cache_write_tokens: prompt.cache_write_tokens },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: completion.reasoning_tokens },
    total_tokens: usage.total_tokens,
    ...(credits === undefined ? {} : { credits }),
  };
}
