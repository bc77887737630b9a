import type { ChatRequest } from '../chat-types.js';
import type { AnswerContext, HttpTarget, TokenUsage, UpstreamRequest } from '../provider-adapter.js';

/** What vectors are made of: texts, or ids of tokens in OpenAI's encoding cl100k_base. Never empty, nor is one of them. */
export type EmbeddingInputs =
  | { readonly kind: 'texts'; readonly texts: readonly string[] }
  | { readonly kind: 'tokens'; readonly tokens: readonly Uint32Array[] };

/** Vectors that a caller wants. */
export interface EmbeddingOrder {
  readonly inputs: EmbeddingInputs;
  /** How many numbers each vector shall have; null: as many as the model makes. */
  readonly dimensions: number | null;
  /** How they are written to the caller; a provider is asked for them in its own way. */
  readonly encoding: VectorEncoding;
}

export type VectorEncoding = 'float' | 'base64';

/** A request for vectors. Its messages are empty. */
export type EmbeddingRequest = ChatRequest & { readonly embedding: EmbeddingOrder };

/** One vector: its numbers as 32-bit floats, little-endian, all of them finite. */
export type Vector = Buffer;

/** What a provider answered. */
export interface EmbeddingAnswer {
  /** In the order of the inputs. */
  readonly vectors: readonly Vector[];
  /** null: it said nothing that makes sense. */
  readonly usage: TokenUsage | null;
}

/** How one upstream dialect speaks of embeddings. Pure translation, as its `ProviderAdapter` is. */
export interface EmbeddingAdapter {
  /** Whether it takes ids of tokens in cl100k_base. */
  readonly takesTokens: boolean;
  /**
   * Builds the upstream request.
   * @throws AppError naming `input` or `dimensions` for what this provider does not take.
   */
  buildRequest(request: EmbeddingRequest, target: HttpTarget): UpstreamRequest;
  /**
   * Finds vectors and usage in a whole answer with a status of success.
   * @param answer Its JSON, in which each vector is what `takeVector` takes.
   * @throws AppError when it is an error in disguise or cannot be read.
   */
  readAnswer(answer: unknown, takeVector: TakeVector, context: AnswerContext): EmbeddingAnswer;
}

/** Gives the vector that stands in this place of an answer; null: there is none. */
export type TakeVector = (value: unknown) => Vector | null;

/** How many vectors were ordered. */
export function countInputs({ inputs }: EmbeddingOrder): number {
  return inputs.kind === 'texts' ? inputs.texts.length : inputs.tokens.length;
}

/** Whether vectors are asked for. */
export function isEmbeddingRequest(request: ChatRequest): request is EmbeddingRequest {
  return request.embedding !== undefined;
}
