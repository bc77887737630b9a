import type { ProviderAdapter } from '../provider-adapter.js';
import { geminiEmbeddings } from './gemini-embeddings.js';
import { parseGeminiError } from './gemini-error.js';
import { buildGeminiRequest } from './gemini-request.js';
import { parseGeminiResponse } from './gemini-response.js';
import { GeminiStreamParser } from './gemini-stream.js';

/** The adapter of Google's own interface, `generateContent`: https://ai.google.dev/api/generate-content */
export const geminiAdapter: ProviderAdapter = {
  buildRequest: buildGeminiRequest,
  parseResponse: parseGeminiResponse,
  parseStream: (context) => new GeminiStreamParser(context),
  parseError: parseGeminiError,
  sentReasoning: () => ['extra_content'],
  embeddings: geminiEmbeddings,
};
