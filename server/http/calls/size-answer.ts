import { findPlainTokensMax } from '../../providers/answers/answer-limits.js';
import type { ChatRequest } from '../../providers/chat-types.js';
import { countInputs, isEmbeddingRequest } from '../../providers/embeddings/embedding-types.js';
import type { FoundModel } from '../../providers/model-catalogue.js';

/** What one call is counted with at most. */
const countedBytesMax = 16 * 1024 * 1024;
/** Words are few; only what is larger is counted, so that a long cap keeps nobody out. */
const freeBytes = 1024 * 1024;

const bytesPerNumber = 4;
/** A token of a long answer, with its JSON. */
const bytesPerToken = 8;
/** `{"token":" hello","logprob":-12.345678901,"bytes":[32,104,101,108,108,111]}`, and what stands between two. */
const bytesPerLogprob = 80;

/**
 * The memory that the answer to this request is counted with before anybody is asked for it, in bytes: what it may come to at most,
 * up to 16 MB; 0 for one that is streamed, which is not held, and for one of less than a megabyte.
 * @param model null: nobody knows it, and the call will be refused.
 */
export function sizeAnswer(request: ChatRequest, model: FoundModel | null): number {
  if (isEmbeddingRequest(request)) {
    const { embedding } = request;
    const numbers = countInputs(embedding) * (embedding.dimensions ?? model?.embedding?.dimensionsMax ?? 0);
    return Math.min(numbers * bytesPerNumber, countedBytesMax);
  }
  if (request.stream) return 0;
  const { logprobs, top_logprobs: alternatives = 0, n: choices = 1 } = request;
  const logprobsPerToken = logprobs || alternatives > 0 ? 1 + alternatives : 0;
  const tokensOfModel = model?.maxOutputTokens ?? 0;
  const tokens = Math.min(
    request.max_completion_tokens ?? tokensOfModel,
    tokensOfModel,
    findPlainTokensMax(request, logprobsPerToken),
  );
  const bytes = choices * tokens * (bytesPerToken + bytesPerLogprob * logprobsPerToken);
  return bytes <= freeBytes ? 0 : Math.min(bytes, countedBytesMax);
}
