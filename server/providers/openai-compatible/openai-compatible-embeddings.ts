import { isJsonObject } from '../../kernel/json-body.js';
import {
  countInputs,
  type EmbeddingAdapter,
  type EmbeddingAnswer,
  type EmbeddingRequest,
  type TakeVector,
  type Vector,
  type VectorEncoding,
} from '../embeddings/embedding-types.js';
import { createTextsOnlyError, refuseTooMany } from '../embeddings/refuse-inputs.js';

import type { AnswerContext, HttpTarget, UpstreamRequest } from '../provider-adapter.js';
import { findCount } from '../token-usage.js';
import { createUnreadableError } from '../upstream-error.js';
import { createUpstreamHeaders } from '../upstream-headers.js';
import { findInBandError } from './openai-compatible-error.js';
import type { OpenAiDialect } from './openai-dialect.js';

/** Up to so many vectors are asked for as numbers where their caller wants numbers. */
const fewInputs = 16;

/** In what one OpenAI-compatible provider's embeddings differ from another's. */
export interface OpenAiEmbeddingDialect {
  /** The most inputs of one call. */
  readonly inputsMax: number;
  /** Whether it takes ids of tokens in cl100k_base. */
  readonly takesTokens: boolean;
  /** How vectors are asked for: base64, which is a third of the bytes, of a provider that knows both. Either is read. */
  readonly encoding: VectorEncoding;
  /** What it calls `dimensions`. */
  readonly dimensionsField: string;
}

/** The embeddings of a provider that speaks as OpenAI does. */
export function createOpenAiEmbeddings(dialect: OpenAiDialect): EmbeddingAdapter {
  return {
    takesTokens: dialect.embeddings.takesTokens,
    buildRequest: (request, target) => buildRequest(request, target, dialect),
    readAnswer,
  };
}

function buildRequest(request: EmbeddingRequest, target: HttpTarget, dialect: OpenAiDialect): UpstreamRequest {
  const { keyHeader, keyScheme, staticHeaders, embeddings } = dialect;
  const keyHeaders = target.apiKey && { [keyHeader]: `${keyScheme} ${target.apiKey.reveal()}`.trim() };
  const { inputs, dimensions } = request.embedding;
  refuseTooMany(request, embeddings.inputsMax, target);
  if (inputs.kind === 'tokens' && !embeddings.takesTokens) throw createTextsOnlyError(target);
  const input = inputs.kind === 'texts' ? inputs.texts : inputs.tokens.map((ids) => Array.from(ids));
  return {
    url: `${target.baseUrl}/embeddings`,
    headers: { ...createUpstreamHeaders({ isStream: false }, keyHeaders), ...staticHeaders },
    body: {
      model: target.upstreamModel,
      input,
      encoding_format: chooseEncoding(request, embeddings),
      ...(dimensions === null ? {} : { [embeddings.dimensionsField]: dimensions }),
    },
  };
}

// To write numbers anew costs more than to pass on the text of a few; of many, the bytes count.
function chooseEncoding({ embedding }: EmbeddingRequest, { encoding }: OpenAiEmbeddingDialect): VectorEncoding {
  return embedding.encoding === 'float' && countInputs(embedding) <= fewInputs ? 'float' : encoding;
}

// OpenAI's answer: {data: [{index, embedding}], usage}. The vectors are in order unless each of them says another place.
function readAnswer(answer: unknown, takeVector: TakeVector, { providerId }: AnswerContext): EmbeddingAnswer {
  if (!isJsonObject(answer)) throw createUnreadableError(providerId, 'not a JSON object');
  const error = findInBandError(answer, providerId);
  if (error !== null) throw error;
  const { data } = answer;
  if (!Array.isArray(data)) throw createUnreadableError(providerId, 'no list of data');
  const vectors = new Map<number, Vector>();
  data.forEach((item: unknown, position) => {
    const vector = isJsonObject(item) ? takeVector(item.embedding) : null;
    if (vector === null) throw createUnreadableError(providerId, 'an embedding without numbers');
    vectors.set(isJsonObject(item) && typeof item.index === 'number' ? item.index : position, vector);
  });
  const inOrder = data.map((_, index) => vectors.get(index));
  if (!inOrder.every((vector) => vector !== undefined))
    throw createUnreadableError(providerId, 'an index that is missing or stands twice');
  return { vectors: inOrder, usage: readUsage(answer.usage) };
}

// Some providers count only the total, which is the same: nothing is written.
function readUsage(raw: unknown): EmbeddingAnswer['usage'] {
  if (!isJsonObject(raw)) return null;
  const inputTokens = findCount(raw.prompt_tokens) || findCount(raw.total_tokens);
  if (!inputTokens) return null;
  return {
    inputTokens,
    cachedInputTokens: null,
    cacheWriteInputTokens: null,
    outputTokens: 0,
    reasoningTokens: null,
  };
}
