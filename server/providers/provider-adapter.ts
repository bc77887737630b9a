import type { AppError } from '../kernel/app-error.js';
import type { Secret } from '../kernel/secret.js';
import type { RouteLimits } from '../pricing/price-list.js';
import type { ChatCompletion, ChatCompletionChunk, ChatRequest } from './chat-types.js';
import type { EmbeddingAdapter, Vector } from './embeddings/embedding-types.js';
import type { ParsedJson } from './json-object.js';
import type { KeyRing } from './key-ring.js';
import type { StreamConduct } from './stream-conduct.js';

/**
 * What an upstream answer is made of. A plain call gives at most one `usage`, then one `completion`, or `embeddings` where those
 * were asked for. A streamed call gives
 * chunks, and `usage` wherever the provider reports it; usage is cumulative, so it only grows. Where one piece of
 * the stream holds both, `usage` comes first. No `usage` event: the provider said nothing that makes sense. `unasked` comes once, where the
 * provider made more choices than were asked for, which are left out: its count is then of more than the answer.
 */
export type UpstreamEvent =
  | { readonly type: 'chunk'; readonly chunk: ChatCompletionChunk }
  | { readonly type: 'completion'; readonly completion: ChatCompletion }
  | { readonly type: 'unasked' }
  | {
      readonly type: 'embeddings';
      readonly vectors: readonly Vector[];
      /** The numbers of those that the provider wrote as such, in its own digits, without the brackets. */
      readonly texts: ReadonlyMap<Vector, string>;
    }
  | {
      readonly type: 'usage';
      readonly usage: TokenUsage;
      /** Whether it came together with the chunk that follows, and counts that as well. */
      readonly isOfNextChunk?: true;
    };

/** Counts are inclusive: cached and cache-write are part of input, reasoning is part of output. null: not said. */
export type TokenUsage = Readonly<{
  inputTokens: number;
  cachedInputTokens: number | null;
  cacheWriteInputTokens: number | null;
  outputTokens: number;
  reasoningTokens: number | null;
}>;

/** Where a call can be answered: a provider over HTTP, or one that lives in this process. */
export type UpstreamTarget = HttpTarget | EmbeddedTarget;

export interface HttpTarget extends RouteLimits {
  readonly kind: 'http';
  /** Our public name of the provider, such as `openai`; the only thing about it that a caller may learn. */
  readonly providerId: string;
  readonly adapter: ProviderAdapter;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: Secret | null;
  /** Where the operator has set keys in the database: one of them is chosen for each attempt, and stands in the place of `apiKey`. */
  readonly keys?: KeyRing;
  /** The provider's own name of the model. */
  readonly upstreamModel: string;
  /** Left out: nothing is known of it. */
  readonly conduct?: StreamConduct;
}

export interface EmbeddedTarget extends RouteLimits {
  readonly kind: 'embedded';
  readonly providerId: string;
  readonly upstreamModel: string;
  /** Answers in this process, under the same rules as a provider over HTTP. */
  answer(request: ChatRequest, context: AnswerContext): Iterable<UpstreamEvent>;
}

/** A complete POST. */
export interface UpstreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What is sent as JSON; it is written by whoever sends it, since for a large one that takes a while. */
  readonly body: object;
}

/** What the answer to one call carries whatever the provider wrote there. */
export interface AnswerContext {
  readonly providerId: string;
  readonly publicModel: string;
  readonly answerId: string;
  /** Seconds since 1970-01-01 UTC. */
  readonly createdSeconds: number;
  /** The base address that answers; left out of a provider that lives in this process. */
  readonly baseUrl?: string;
  /** How many choices were asked for: no more are read. Left out: one. */
  readonly choicesAsked?: number;
}

/** The head and the text of an upstream answer that is not a success. */
export interface UpstreamRefusal {
  readonly status: number;
  /** How long the provider asks us to wait; null when it does not say. */
  readonly retryAfterMs: number | null;
  /** At most the first 64 KiB. */
  readonly body: string;
}

export interface ServerSentEvent {
  /** The event's name; null when it has none. */
  readonly name: string | null;
  readonly data: string;
}

/** Translates one stream, event by event, and remembers what it needs for that. */
export interface StreamParser {
  /**
   * Translates one event. Nothing comes of events after the end marker.
   * @throws AppError when the provider reports an error in the stream, or writes what cannot be read.
   */
  push(event: ServerSentEvent): readonly UpstreamEvent[];
  /** Whether the provider's end marker was read, and nothing that follows matters. */
  readonly isEnded: boolean;
  /** Whether the answer is whole, should the connection break here; after `end`, whether it is. */
  readonly isWhole: boolean;
  /**
   * Whether the answer is whole and its usage was told at its end or behind it, so that nothing of it is still to come; only where its provider does not
   * write an end, or usage, with every event. So it is behind an end mark, where nothing but usage can be missing. Left out: no.
   */
  readonly isCounted?: boolean;
  /**
   * Takes that the stream has ended: as it should, or by a connection that broke behind a whole answer. Gives what could not be told before;
   * left out where there is nothing such. Called once, and nothing is pushed afterwards.
   * @throws AppError when the answer ended in a failure.
   */
  end?(): readonly UpstreamEvent[];
}

/** Where a message brings the thinking of an earlier answer back: in words, in details with their seals, and in Google's signatures. */
export const reasoningFields = ['reasoning_content', 'reasoning_details', 'extra_content'] as const;
export type ReasoningField = (typeof reasoningFields)[number];

/** One upstream dialect. Pure translation, bytes in and value out: no connection, no clock, no credits. */
export interface ProviderAdapter {
  /**
   * Builds the upstream request.
   * @throws AppError `unsupported_parameter` rather than drop a field that would change the answer.
   */
  buildRequest(request: ChatRequest, target: HttpTarget): UpstreamRequest;
  /**
   * Translates a complete answer with a status of success: its text, or what was parsed of it where that is long.
   * @throws AppError when it is an error in disguise or cannot be read.
   */
  parseResponse(body: string | ParsedJson, context: AnswerContext): readonly UpstreamEvent[];
  /** Begins the translation of one stream. */
  parseStream(context: AnswerContext): StreamParser;
  /** Whether this request may make the model reason; left out, where it did not ask for no reasoning. */
  mayReason?(request: ChatRequest, target: HttpTarget): boolean;
  /** Whether the model can be told to think between calls of tools alone; left out: no. */
  thinksBetweenTools?(target: HttpTarget): boolean;
  /** Which of the thinking of earlier answers it sends on; left out: nothing. What is not listed never comes to it. */
  sentReasoning?(target: HttpTarget): readonly ReasoningField[];
  /** How many log probabilities come with each token of the answer: its own and those of its alternatives; left out: none. */
  countLogprobs?(request: ChatRequest, target: HttpTarget): number;
  /** Translates a refusal. The message never holds our key, the provider's host or its words about our account. */
  parseError(refusal: UpstreamRefusal, target: HttpTarget): AppError;
  /** How it makes embeddings; left out where it makes none. */
  readonly embeddings?: EmbeddingAdapter;
}
