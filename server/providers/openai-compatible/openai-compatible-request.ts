import { AppError } from '../../kernel/app-error.js';
import { findCapabilities } from '../../pricing/model-capabilities.js';
import { type ChatParam, chatParams } from '../chat-request-shape.js';
import type { ChatMessage, ChatRequest, ChatTool, ContentPart, ToolCall } from '../chat-types.js';
import { findGeminiFamily, type GeminiFamily } from '../gemini/gemini-models.js';
import { findSentSignatures, readSignature, toExtras } from '../gemini/thought-signatures.js';
import type { HttpTarget, UpstreamRequest } from '../provider-adapter.js';
import { refuseManyStops } from '../refuse-many-stops.js';
import { createUpstreamHeaders } from '../upstream-headers.js';
import { findNineCharacterIds } from './call-ids.js';
import { isGoogleAddress, type OpenAiDialect } from './openai-dialect.js';

/**
 * Builds the POST for one OpenAI-compatible provider. Every field is named here or is one of `chatParams`, so nothing that the
 * caller sent beyond them goes out, and what the caller says about its own users never does.
 * @throws AppError `unsupported_parameter` for one that the provider does not know and that cannot be left out.
 */
export function buildOpenAiRequest(request: ChatRequest, target: HttpTarget, dialect: OpenAiDialect): UpstreamRequest {
  const isStream = request.stream === true;
  const { keyHeader, keyScheme, staticHeaders, path } = dialect;
  const keyHeaders = target.apiKey && { [keyHeader]: `${keyScheme} ${target.apiKey.reveal()}`.trim() };
  return {
    url: `${target.baseUrl}${path}`,
    headers: { ...createUpstreamHeaders({ isStream }, keyHeaders), ...staticHeaders },
    body: buildBody(request, target, dialect),
  };
}

/** How many log probabilities come with each token of the answer: its own and those of its alternatives. */
export function countLogprobs(
  request: ChatRequest,
  { upstreamModel }: Pick<HttpTarget, 'upstreamModel'>,
  dialect: OpenAiDialect,
): number {
  const isReasoning = dialect.maxTokensField === 'by_model' && isReasoningModel(upstreamModel);
  const isSent = (param: 'logprobs' | 'top_logprobs') =>
    Boolean(request[param]) &&
    ![...dialect.droppedParams, ...dialect.refusedParams].includes(param) &&
    !dialect.modelQuirks.some(
      ({ models, droppedParams }) => models.test(upstreamModel) && droppedParams.includes(param),
    ) &&
    !(isReasoning && isRefusedByReasoning(param, request, upstreamModel));
  const alternatives = isSent('top_logprobs') ? (request.top_logprobs ?? 0) : 0;
  return isSent('logprobs') || alternatives > 0 ? 1 + alternatives : 0;
}

function buildBody(request: ChatRequest, target: HttpTarget, dialect: OpenAiDialect): Record<string, unknown> {
  const { upstreamModel, providerId } = target;
  const isReasoning = dialect.maxTokensField === 'by_model' && isReasoningModel(upstreamModel);
  const gemini = takesThoughtSignatures(target, dialect) ? findGeminiFamily(upstreamModel) : null;
  const canReason = findCapabilities(upstreamModel, null).reasoning;
  const body: Record<string, unknown> = {
    model: upstreamModel,
    messages: withTheirIds(request.messages, dialect).map((message) => ({
      ...toUpstreamMessage(message, dialect),
      ...reasoningOf(message, { dialect, canReason }),
      ...(gemini === null ? {} : signaturesOf(message, gemini)),
    })),
  };
  if (request.max_completion_tokens !== undefined) {
    const { maxTokensField } = dialect;
    const fieldByModel = isReasoning ? 'max_completion_tokens' : 'max_tokens';
    body[maxTokensField === 'by_model' ? fieldByModel : maxTokensField] = request.max_completion_tokens;
  }
  const quirks = dialect.modelQuirks.filter(({ models }) => models.test(upstreamModel));
  for (const param of chatParams) {
    if (request[param] === undefined || dialect.droppedParams.includes(param)) continue;
    if (quirks.some(({ droppedParams }) => droppedParams.includes(param))) continue;
    if (dialect.refusedParams.includes(param)) {
      if (saysNothing(request[param])) continue;
      throw createUnsupportedError(param, providerId);
    }
    if (isReasoning && isRefusedByReasoning(param, request, upstreamModel)) continue;
    if (param === 'stop') refuseManyStops(request, { providerId, stopsMax });
    body[dialect.renamedParams[param] ?? param] =
      param === 'tools' ? request.tools?.map(toUpstreamTool) : request[param];
  }
  if (request.stream === true) {
    body.stream = true;
    if (dialect.usageMode !== 'unasked') {
      // Asked for whatever the caller wants to see: without usage there is no exact bill.
      body.stream_options = {
        include_usage: true,
        ...(dialect.usageMode === 'continuous' ? { continuous_usage_stats: true } : {}),
        ...(dialect.isObfuscationSent ? { include_obfuscation: false } : {}),
      };
    }
  }
  return body;
}

// As many as OpenAI takes.
const stopsMax = 4;

// One choice, no log probabilities, no tools: what a provider does anyway.
function saysNothing(value: unknown): boolean {
  return value === 1 || value === false || (Array.isArray(value) && value.length === 0);
}

function createUnsupportedError(param: string, providerId: string): AppError {
  const message = `Unsupported parameter: provider ${providerId} does not take '${param}'. Remove it, or use another provider.`;
  return new AppError('unsupported_parameter', message, { param, metadata: { provider: providerId } });
}

// The o series, and GPT from version 5 on, apart from their `chat` variants.
function isReasoningModel(upstreamModel: string): boolean {
  return /^o\d/.test(upstreamModel) || (findGptVersion(upstreamModel) >= 5 && !upstreamModel.includes('-chat'));
}

const samplingParams = new Set<ChatParam>(['temperature', 'top_p', 'logprobs', 'top_logprobs']);
const neverReasoningParams = new Set<ChatParam>(['frequency_penalty', 'presence_penalty', 'logit_bias']);

// OpenAI answers these with an error; from 5.1 on it takes the sampling ones when there is no reasoning.
function isRefusedByReasoning(param: ChatParam, request: ChatRequest, upstreamModel: string): boolean {
  if (neverReasoningParams.has(param)) return true;
  const isReasoningOff = request.reasoning_effort === 'none' && findGptVersion(upstreamModel) >= 5.1;
  return samplingParams.has(param) && !isReasoningOff;
}

function findGptVersion(upstreamModel: string): number {
  return Number(/^gpt-(\d+(?:\.\d+)?)/.exec(upstreamModel)?.[1] ?? 0);
}

// A conversation may have begun at another provider, whose ids are longer.
function withTheirIds(messages: readonly ChatMessage[], { callIds }: OpenAiDialect): readonly ChatMessage[] {
  if (callIds === 'any') return messages;
  const ids = findNineCharacterIds(messages);
  const theirs = (id: string) => ids.get(id) ?? id;
  return messages.map((message) => ({
    ...message,
    tool_calls: message.tool_calls?.map((call) => ({ ...call, id: theirs(call.id) })),
    tool_call_id: message.tool_call_id === undefined ? undefined : theirs(message.tool_call_id),
  }));
}

function toUpstreamMessage(message: ChatMessage, dialect: OpenAiDialect): Record<string, unknown> {
  return {
    role: dialect.roles[message.role] ?? message.role,
    content: toUpstreamContent(message),
    name: dialect.isAuthorNameKnown ? message.name : undefined,
    tool_calls: message.tool_calls?.length ? message.tool_calls.map(toUpstreamCall) : undefined,
    tool_call_id: message.tool_call_id,
    // A stored refusal goes back only where the field is known.
    refusal: dialect.isRefusalKnown ? (message.refusal ?? undefined) : undefined,
  };
}

function reasoningOf(
  { role, reasoning_content: thought, tool_calls: calls }: ChatMessage,
  { dialect, canReason }: { readonly dialect: OpenAiDialect; readonly canReason: boolean },
): Record<string, string> {
  if (dialect.reasoningField === null || role !== 'assistant') return {};
  const isNeeded = dialect.isReasoningNeeded && canReason && Boolean(calls?.length);
  const told = isNeeded ? thought || ' ' : thought;
  return told === undefined ? {} : { [dialect.reasoningField]: told };
}

/** Whether this target is sent Google's signatures of thoughts. */
export function takesThoughtSignatures({ baseUrl }: HttpTarget, { thoughtSignatures }: OpenAiDialect): boolean {
  if (thoughtSignatures !== 'by_address') return thoughtSignatures === 'sent';
  return isGoogleAddress(baseUrl);
}

// https://ai.google.dev/gemini-api/docs/thought-signatures#openai
function signaturesOf({ role, extra_content, tool_calls: calls }: ChatMessage, family: GeminiFamily): object {
  if (role !== 'assistant') return {};
  const own = toExtras(readSignature(extra_content));
  if (!calls?.length) return own;
  const signatures = findSentSignatures(calls, family);
  const signed = calls.map((call, index) => ({ ...toUpstreamCall(call), ...toExtras(signatures[index] ?? '') }));
  return { ...own, tool_calls: signed };
}

function toUpstreamTool({ type, function: target }: ChatTool): ChatTool {
  return { type, function: target };
}

// What another provider wants back with its calls is not known here.
function toUpstreamCall({ id, type, function: target }: ToolCall): ToolCall {
  return { id, type, function: target };
}

// Some clients send '' or [] beside tool calls, which OpenAI refuses.
function toUpstreamContent({ content, tool_calls: toolCalls }: ChatMessage): string | readonly ContentPart[] | null {
  if (toolCalls?.length && (content === undefined || content?.length === 0)) return null;
  if (!Array.isArray(content)) return content ?? null;
  return content.map((part) => ('cache_control' in part ? { ...part, cache_control: undefined } : part));
}
