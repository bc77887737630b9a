import type { ChatRequest } from '../chat-types.js';
import type { HttpTarget, UpstreamRequest } from '../provider-adapter.js';
import { createUpstreamHeaders } from '../upstream-headers.js';
import { toGeminiConversation } from './gemini-contents.js';
import { toGenerationConfig } from './gemini-generation-config.js';
import { findGeminiFamily } from './gemini-models.js';
import { toGeminiTools } from './gemini-tools.js';
import type { GeminiRequestBody } from './gemini-wire.js';

/** Builds the POST. The key travels in a header: in the address, where Google takes it too, it would reach logs. */
export function buildGeminiRequest(request: ChatRequest, target: HttpTarget): UpstreamRequest {
  const isStream = request.stream === true;
  const model = target.upstreamModel;
  const resource = model.includes('/') ? model : `models/${encodeURIComponent(model)}`;
  // Without `alt=sse` a stream is one JSON array.
  const method = isStream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  return {
    url: `${target.baseUrl}/${resource}:${method}`,
    headers: createUpstreamHeaders({ isStream }, target.apiKey && { 'x-goog-api-key': target.apiKey.reveal() }),
    body: toGeminiBody(request, model),
  };
}

/**
 * The body of a request, the same for a plain and a streamed one.
 * @throws AppError naming what cannot be translated.
 */
export function toGeminiBody(request: ChatRequest, upstreamModel: string): GeminiRequestBody {
  const family = findGeminiFamily(upstreamModel);
  return {
    ...toGeminiConversation(request.messages, family),
    ...toGeminiTools(request, family),
    generationConfig: toGenerationConfig(request, family),
  };
}
