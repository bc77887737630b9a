import type { ProviderAdapter } from '../provider-adapter.js';
import { createOpenAiEmbeddings } from './openai-compatible-embeddings.js';
import { parseOpenAiError } from './openai-compatible-error.js';
import { buildOpenAiRequest, countLogprobs, takesThoughtSignatures } from './openai-compatible-request.js';
import { parseOpenAiResponse } from './openai-compatible-response.js';
import { OpenAiStreamParser } from './openai-compatible-stream.js';
import { isReasoningBeside, type OpenAiDialect } from './openai-dialect.js';

/** The adapter of a provider that speaks OpenAI's chat completions, in its own way. */
export function createOpenAiCompatibleAdapter(dialect: OpenAiDialect): ProviderAdapter {
  return {
    buildRequest: (request, target) => buildOpenAiRequest(request, target, dialect),
    parseResponse: (body, context) => parseOpenAiResponse(body, context, isReasoningBeside(dialect, context.baseUrl)),
    parseStream: (context) =>
      new OpenAiStreamParser(context, { isReasoningBeside: isReasoningBeside(dialect, context.baseUrl) }),
    sentReasoning: (target) => [
      ...(dialect.reasoningField === null ? [] : (['reasoning_content'] as const)),
      ...(takesThoughtSignatures(target, dialect) ? (['extra_content'] as const) : []),
    ],
    countLogprobs: (request, target) => countLogprobs(request, target, dialect),
    parseError: parseOpenAiError,
    embeddings: createOpenAiEmbeddings(dialect),
  };
}
