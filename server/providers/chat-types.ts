import type { EmbeddingOrder } from './embeddings/embedding-types.js';

/**
 * The one dialect that Tollgate speaks inside: OpenAI's chat completions, normalised. `proxy/` parses a caller's body into
 * a `ChatRequest`; nothing outside this list of fields ever reaches a provider, because an unknown field may cost money.
 */

export type ChatRole = 'developer' | 'system' | 'user' | 'assistant' | 'tool' | 'function';

/** Up to here a provider may keep what it read, for the next call. Only Anthropic is told. */
export interface CacheControl {
  readonly type: 'ephemeral';
}

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly cache_control?: CacheControl | undefined;
}

export interface ImagePart {
  readonly type: 'image_url';
  readonly image_url: { readonly url: string; readonly detail?: 'auto' | 'low' | 'high' | undefined };
  readonly cache_control?: CacheControl | undefined;
}

export interface RefusalPart {
  readonly type: 'refusal';
  readonly refusal: string;
}

export type ContentPart = TextPart | ImagePart | RefusalPart;

export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: ToolCallExtras | undefined;
}

/** What Google wants back with a call that its models made; a client sends it as it came. Google's own name for it. */
export interface ToolCallExtras {
  readonly google?: { readonly thought_signature?: string | undefined } | undefined;
}

export interface ChatMessage {
  readonly role: ChatRole;
  readonly content?: string | readonly ContentPart[] | null | undefined;
  readonly name?: string | undefined;
  readonly refusal?: string | null | undefined;
  readonly tool_calls?: readonly ToolCall[] | undefined;
  /** On `tool` messages: the call that this message answers. */
  readonly tool_call_id?: string | undefined;
  /** On `assistant` messages: the thinking of an earlier answer, as that answer gave it, for a model that wants it back. */
  readonly reasoning_details?: readonly JsonObject[] | undefined;
}

export type JsonObject = { readonly [key: string]: unknown };

export interface ChatTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string | undefined;
    readonly parameters?: JsonObject | undefined;
    readonly strict?: boolean | null | undefined;
  };
  readonly cache_control?: CacheControl | undefined;
}

export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { readonly type: 'function'; readonly function: { readonly name: string } };

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly json_schema: {
        readonly name: string;
        readonly description?: string | undefined;
        readonly schema?: JsonObject | undefined;
        readonly strict?: boolean | null | undefined;
      };
    };

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/**
 * A caller's request after parsing: `null` for an optional field has become its absence, and `max_tokens` has been
 * folded into `max_completion_tokens`, which each adapter renames as its provider wants.
 */
export interface ChatRequest {
  /** The public name that the caller used; the answer carries it again. */
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly stream?: boolean | undefined;
  /** The most tokens to generate for one choice, reasoning included. */
  readonly max_completion_tokens?: number | undefined;
  readonly n?: number | undefined;
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly frequency_penalty?: number | undefined;
  readonly presence_penalty?: number | undefined;
  readonly stop?: string | readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly logprobs?: boolean | undefined;
  readonly top_logprobs?: number | undefined;
  readonly logit_bias?: Readonly<Record<string, number>> | undefined;
  readonly tools?: readonly ChatTool[] | undefined;
  readonly tool_choice?: ToolChoice | undefined;
  readonly parallel_tool_calls?: boolean | undefined;
  readonly response_format?: ResponseFormat | undefined;
  readonly reasoning_effort?: ReasoningEffort | undefined;
  readonly verbosity?: 'low' | 'medium' | 'high' | undefined;
  /** What the caller calls its own user. No provider ever learns it; one that asks is told a hash. */
  readonly safety_identifier?: string | undefined;
  /** The cap is what a client asks for by itself: it may be lowered to what the model has and the balance affords. */
  readonly isCapAWish?: boolean | undefined;
  /** The effort is what a client asks for by itself: it is left out for a model that does not reason. */
  readonly isEffortAWish?: boolean | undefined;
  /** Vectors are asked for in place of an answer; there are no messages then, and the cap is 0. */
  readonly embedding?: EmbeddingOrder | undefined;
}

/** The only finish reasons that strict clients accept. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call';

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
    [field: string]: unknown;
  }[];
  usage?: CompletionUsage;
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
