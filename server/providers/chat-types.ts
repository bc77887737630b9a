import type { z } from 'zod';
import type { bodyShape, messageShape, partShape, toolCallShape } from './chat-request-shape.js';
import type { EmbeddingOrder } from './embeddings/embedding-types.js';

/**
 * The one dialect that Tollgate speaks inside: OpenAI's chat completions, normalised. `proxy/` parses a caller's body into
 * a `ChatRequest`; nothing outside its list of fields ever reaches a provider, because an unknown field may cost money.
 * The list, with the bounds of each field, is in `chat-request-shape.ts`.
 */

type ReadOnly<Value> = Value extends object ? { readonly [Name in keyof Value]: ReadOnly<Value[Name]> } : Value;

export type ChatMessage = ReadOnly<z.output<typeof messageShape>>;
export type ChatRole = ChatMessage['role'];
export type ContentPart = ReadOnly<z.output<typeof partShape>>;
export type ImagePart = Extract<ContentPart, { type: 'image_url' }>;
export type ToolCall = ReadOnly<z.output<typeof toolCallShape>>;
export type ToolCallExtras = NonNullable<ToolCall['extra_content']>;

export type JsonObject = { readonly [key: string]: unknown };

type SentRequest = ReadOnly<z.output<typeof bodyShape>>;
export type ChatTool = NonNullable<SentRequest['tools']>[number];
export type ResponseFormat = NonNullable<SentRequest['response_format']>;
export type ReasoningEffort = NonNullable<SentRequest['reasoning_effort']>;

/**
 * A caller's request after parsing: `null` for an optional field has become its absence, and `max_tokens` has been
 * folded into `max_completion_tokens`, which each adapter renames as its provider wants, and `user` into `safety_identifier`.
 */
export interface ChatRequest extends Omit<SentRequest, 'max_tokens' | 'stream_options' | 'user' | 'stop'> {
  /** A body that was parsed has a list; adapters take a single text, too. */
  readonly stop?: string | readonly string[] | undefined;
  /** The cap is what a client asks for by itself: it may be lowered to what the model has and the balance affords. */
  readonly isOutputCapOptional?: boolean | undefined;
  /** The effort is what a client asks for by itself: it is left out for a model that does not reason. */
  readonly isReasoningEffortOptional?: boolean | undefined;
  /**
   * Whether thinking is asked for, on a wire that asks for it apart from the effort; for models that know the two apart. Left out:
   * whoever asks for an effort asks for thinking.
   */
  readonly isThinkingAsked?: boolean | undefined;
  /** The model is to think between calls of tools, and not before; only for models that have a word for it. */
  readonly isThinkingBetweenTools?: true | undefined;
  /** Of how many of the likeliest tokens each is chosen, from 0; left out for a provider that does not know it. */
  readonly topK?: number | undefined;
  /** Vectors are asked for in place of an answer; there are no messages then, and the cap is 0. */
  readonly embedding?: EmbeddingOrder | undefined;
}

/** The only finish reasons that strict clients accept. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call';

/**
 * Why a model stopped, where its provider says more than a finish reason can. Under a symbol, which JSON leaves out: only a wire
 * that has a word for it tells it, and no provider can send it as a field.
 */
export const exactStop: unique symbol = Symbol('exactStop');

export type ExactStop =
  | { readonly reason: 'stop_sequence'; readonly sequence: string }
  | { readonly reason: 'context_full' };

/**
 * What an answer, or a piece of one, brings in fields that nobody lists: it was generated as well, is passed on and counts as output. Under a
 * symbol, as `exactStop`.
 */
export const otherOutput: unique symbol = Symbol('otherOutput');

export interface OtherOutput {
  /** Of its texts, numbers and truth values, in UTF-8; above 0. */
  readonly bytes: number;
  /** The index of a choice that has it, or that it stands beside. */
  readonly choice: number;
  /** Each with the name of its field. */
  readonly parts: readonly (readonly [name: string, value: unknown])[];
}

/** On a chunk that brings words and nothing else: one object that all such chunks of its stream share, since they differ in their words alone. Under a symbol, as `exactStop`. */
export const sameButWords: unique symbol = Symbol('sameButWords');

/** Fields that a provider adds (such as `reasoning_content`) are kept, hence the open ends. */
export interface AssistantMessage {
  role: 'assistant';
  content: string | null;
  refusal: string | null;
  tool_calls?: ToolCall[];
  [field: string]: unknown;
}

/** A complete answer. `usage` is absent: it travels as an event of its own and whoever bills it writes it in. */
export interface ChatCompletion {
  id: string;
  object: 'chat.completion';
  /** Seconds since 1970-01-01 UTC. */
  created: number;
  model: string;
  choices: {
    index: number;
    message: AssistantMessage;
    logprobs: unknown;
    finish_reason: FinishReason;
    [exactStop]?: ExactStop;
    [field: string]: unknown;
  }[];
  usage?: CompletionUsage;
  [otherOutput]?: OtherOutput;
  [field: string]: unknown;
}

export interface ToolCallDelta {
  index: number;
  id?: string;
  type?: 'function';
  function?: { name?: string; arguments?: string };
  extra_content?: ToolCallExtras;
}

export interface ChatDelta {
  role?: 'assistant';
  content?: string | null;
  refusal?: string | null;
  tool_calls?: ToolCallDelta[];
  [field: string]: unknown;
}

export interface ChunkChoice {
  index: number;
  delta: ChatDelta;
  logprobs: unknown;
  finish_reason: FinishReason | null;
  /** Beside a finish reason only. */
  [exactStop]?: ExactStop;
  [field: string]: unknown;
}

/** One piece of a streamed answer; never without choices. `usage` is absent, as in `ChatCompletion`. */
export interface ChatCompletionChunk {
  id: string;
  object: 'chat.completion.chunk';
  /** Seconds since 1970-01-01 UTC; the same in all chunks of one answer. */
  created: number;
  model: string;
  choices: ChunkChoice[];
  usage?: CompletionUsage | null;
  [otherOutput]?: OtherOutput;
  [sameButWords]?: object;
  [field: string]: unknown;
}

/** `usage` as OpenAI's clients read it. */
export interface CompletionUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  completion_tokens_details: { reasoning_tokens: number };
  [field: string]: unknown;
}
