import type { CallEnding, SettleResult } from '../ledger/ledger-types.js';
import type { ChatRequest } from '../providers/chat-types.js';
import { isEmbeddingRequest } from '../providers/embeddings/embedding-types.js';
import type { UpstreamTarget } from '../providers/provider-adapter.js';
import type { Attributes } from '../tracing/span.js';

/** Providers that OpenTelemetry's conventions call otherwise than we do; all others keep our name. */
const namesByConvention: ReadonlyMap<string, string> = new Map([
  ['gemini', 'gcp.gemini'],
  ['mistral', 'mistral_ai'],
  ['xai', 'x_ai'],
  ['azure', 'azure.ai.openai'],
]);

/** What the span of an attempt is called and says, by the conventions for generative AI: figures and names, no word of the request. */
export function describeAttempt(
  target: UpstreamTarget,
  request: ChatRequest,
): { name: string; attributes: Attributes } {
  const operation = isEmbeddingRequest(request) ? 'embeddings' : 'chat';
  const url = target.kind === 'http' ? new URL(target.baseUrl) : null;
  const attributes = {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': namesByConvention.get(target.providerId) ?? target.providerId,
    'gen_ai.request.model': target.upstreamModel,
    'gen_ai.request.max_tokens': operation === 'chat' ? request.max_completion_tokens : null,
    'gen_ai.request.stream': request.stream === true,
    'server.address': url?.hostname,
    'server.port': url === null ? null : Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
  };
  return { name: `${operation} ${target.upstreamModel}`, attributes };
}

/** What the last attempt is billed for. */
export function describeUsage({ promptTokens, completionTokens, finishReason, usageSource }: CallEnding): Attributes {
  return {
    'gen_ai.usage.input_tokens': promptTokens,
    'gen_ai.usage.output_tokens': completionTokens,
    'gen_ai.response.finish_reasons': finishReason === null ? null : [finishReason],
    'tollgate.usage.source': usageSource,
  };
}

/** How the call ended in the books; `result` null: nothing was booked yet. */
export function describeEnding({ outcome }: CallEnding, result: SettleResult | null): Attributes {
  const charged = result?.status === 'settled' ? result.chargedMillicredits : null;
  return { 'tollgate.outcome': outcome, 'tollgate.charged_millicredits': charged };
}
