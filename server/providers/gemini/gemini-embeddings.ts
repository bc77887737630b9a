import { isJsonObject } from '../../kernel/json-body.js';
import type {
  EmbeddingAdapter,
  EmbeddingAnswer,
  EmbeddingRequest,
  TakeVector,
  Vector,
} from '../embeddings/embedding-types.js';
import { createTextsOnlyError, refuseTooMany } from '../embeddings/refuse-inputs.js';

import type { AnswerContext, HttpTarget, UpstreamRequest } from '../provider-adapter.js';
import { createUnreadableError } from '../upstream-error.js';
import { createUpstreamHeaders } from '../upstream-headers.js';
import { findGeminiInBandError } from './gemini-error.js';
import { readGeminiUsage } from './gemini-usage.js';

const inputsMax = 100;
const bytesPerNumber = 4;

/** Google's own interface, `batchEmbedContents`: https://ai.google.dev/api/embeddings */
export const geminiEmbeddings: EmbeddingAdapter = { takesTokens: false, buildRequest, readAnswer };

function buildRequest(request: EmbeddingRequest, target: HttpTarget): UpstreamRequest {
  const { inputs, dimensions } = request.embedding;
  refuseTooMany(request, inputsMax, target);
  if (inputs.kind === 'tokens') throw createTextsOnlyError(target);
  const model = target.upstreamModel;
  const resource = model.includes('/') ? model : `models/${encodeURIComponent(model)}`;
  const size = dimensions === null ? {} : { outputDimensionality: dimensions };
  return {
    url: `${target.baseUrl}/${resource}:batchEmbedContents`,
    headers: createUpstreamHeaders({ isStream: false }, target.apiKey && { 'x-goog-api-key': target.apiKey.reveal() }),
    body: {
      requests: inputs.texts.map((text) => ({ model: resource, content: { parts: [{ text }] }, ...size })),
    },
  };
}

function readAnswer(answer: unknown, takeVector: TakeVector, { providerId }: AnswerContext): EmbeddingAnswer {
  const error = findGeminiInBandError(answer, providerId);
  if (error !== null) throw error;
  if (!isJsonObject(answer) || !Array.isArray(answer.embeddings))
    throw createUnreadableError(providerId, 'no list of embeddings');
  const vectors = answer.embeddings.map((item: unknown) => {
    const vector = isJsonObject(item) ? takeVector(item.values) : null;
    if (vector === null) throw createUnreadableError(providerId, 'an embedding without numbers');
    return toUnitLength(vector);
  });
  const usage = readGeminiUsage(answer.usageMetadata);
  return { vectors, usage: usage !== null && usage.inputTokens > 0 ? usage : null };
}

// Vectors of fewer dimensions than the model makes come as they were cut; OpenAI's have the length 1, and so have ours.
function toUnitLength(vector: Vector): Vector {
  let squares = 0;
  for (let at = 0; at < vector.length; at += bytesPerNumber) squares += vector.readFloatLE(at) ** 2;
  const length = Math.sqrt(squares);
  if (length === 0 || Math.abs(length - 1) < 1e-3) return vector;
  for (let at = 0; at < vector.length; at += bytesPerNumber) vector.writeFloatLE(vector.readFloatLE(at) / length, at);
  return vector;
}
