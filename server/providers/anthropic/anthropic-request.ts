import { createHmac } from 'node:crypto';
import { AppError } from '../../kernel/app-error.js';
import type { ChatRequest } from '../chat-types.js';
import type { HttpTarget, UpstreamRequest } from '../provider-adapter.js';
import { createUpstreamHeaders } from '../upstream-headers.js';
import { isThinkingLost, toAnthropicConversation } from './anthropic-messages.js';
import { toStructuredSchema } from './anthropic-schema.js';
import { chooseThinking, findThinkingWish, type ThinkingChoice } from './anthropic-thinking.js';
import { type AnswerSchema, chooseAnswerSchema, toToolFields } from './anthropic-tools.js';
import type { AnthropicOutputConfig, AnthropicRequest, TextBlock } from './anthropic-types.js';
import { type ClaudeCapabilities, findClaudeCapabilities } from './claude-models.js';

/**
 * Builds the POST to Anthropic's Messages API.
 * @throws AppError `unsupported_parameter`, `unsupported_value` or `invalid_value`, naming what Claude cannot be told.
 */
export function buildAnthropicRequest(request: ChatRequest, target: HttpTarget): UpstreamRequest {
  const keyHeader = target.apiKey === null ? null : { 'x-api-key': target.apiKey.reveal() };
  const headers = {
    ...createUpstreamHeaders({ isStream: request.stream === true }, keyHeader),
    'anthropic-version': '2023-06-01',
  };
  // Anthropic's own clients are given the address without the version.
  const baseUrl = target.baseUrl.endsWith('/v1') ? target.baseUrl : `${target.baseUrl}/v1`;
  return { url: `${baseUrl}/messages`, headers, body: toAnthropicRequest(request, target) };
}

/**
 * Translates the body. Left out in silence is what only tunes an answer and has no counterpart: `seed`, `logit_bias`, the two
 * penalties and `verbosity`; and the sampling parameters where this model, or its thinking, does not take them.
 */
export function toAnthropicRequest(
  request: ChatRequest,
  target: Pick<HttpTarget, 'upstreamModel' | 'apiKey'>,
): AnthropicRequest {
  refuseUntranslatable(request);
  const capabilities = findClaudeCapabilities(target.upstreamModel);
  const { system, messages } = toAnthropicConversation(request);
  const answerSchema = chooseAnswerSchema(request.response_format, capabilities);
  const toolFields = toToolFields(request, capabilities, answerSchema);
  // The cap is what the hold was made for, so nothing below may raise it. Claude requires one.
  const outputCap = Math.min(
    request.max_completion_tokens ?? capabilities.maxOutputTokens,
    capabilities.maxOutputTokens,
  );
  const choice = chooseThinking({
    ...findThinkingWish(request),
    outputCap,
    capabilities,
    isToolForced: toolFields.tool_choice?.type === 'any' || toolFields.tool_choice?.type === 'tool',
    isThinkingLost: isThinkingLost(messages),
  });
  const instructions = [...system, ...toJsonInstruction(request.response_format, answerSchema)];
  const stopSequences = toStopSequences(request.stop);
  const outputConfig = toOutputConfig(answerSchema, choice);
  return {
    model: target.upstreamModel,
    max_tokens: outputCap,
    messages,
    ...(instructions.length > 0 ? { system: instructions } : {}),
    ...(stopSequences.length > 0 ? { stop_sequences: stopSequences } : {}),
    ...toSampling(request, capabilities, choice),
    ...toolFields,
    ...(choice.thinking === null ? {} : { thinking: choice.thinking }),
    ...(outputConfig === null ? {} : { output_config: outputConfig }),
    ...toMetadata(request, target),
    // The other tier has another price.
    service_tier: 'standard_only',
    ...(request.stream === true ? { stream: true } : {}),
  };
}

function refuseUntranslatable(request: ChatRequest): void {
  if ((request.n ?? 1) > 1) {
    throw new AppError(
      'unsupported_value',
      "Unsupported value: 'n' must be 1, since this model gives one answer a call.",
      {
        param: 'n',
      },
    );
  }
  const param = (['logprobs', 'top_logprobs'] as const).find((name) => request[name]);
  if (param === undefined) return;
  throw new AppError(
    'unsupported_parameter',
    `Unsupported parameter: '${param}' is not known to this model. Remove it.`,
    {
      param,
    },
  );
}

// There is no JSON mode without a schema.
function toJsonInstruction(format: ChatRequest['response_format'], answerSchema: AnswerSchema | null): TextBlock[] {
  if (answerSchema?.by === 'words') {
    const json = JSON.stringify(answerSchema.schema);
    return [{ type: 'text', text: `Respond with JSON that follows this JSON schema, and nothing else: ${json}` }];
  }
  const isWanted = format?.type === 'json_object' || (format?.type === 'json_schema' && answerSchema === null);
  return isWanted ? [{ type: 'text', text: 'Respond with a single JSON object and nothing else.' }] : [];
}

function toStopSequences(stop: ChatRequest['stop']): string[] {
  const sequences = typeof stop === 'string' ? [stop] : (stop ?? []);
  // Blank ones are answered with an error.
  return sequences.filter((sequence) => sequence.trim() !== '');
}

// Temperature and `top_p` exclude each other since 4.5, and thinking excludes all three.
function toSampling(
  { temperature, top_p: topP, topK }: ChatRequest,
  { takesSampling }: ClaudeCapabilities,
  { isThinking }: ThinkingChoice,
): Pick<AnthropicRequest, 'temperature' | 'top_p' | 'top_k'> {
  if (!takesSampling || isThinking) return {};
  const likeliest = topK === undefined ? {} : { top_k: topK };
  if (temperature !== undefined) return { temperature: Math.min(temperature, 1), ...likeliest };
  return { ...(topP === undefined ? {} : { top_p: topP }), ...likeliest };
}

function toOutputConfig(answerSchema: AnswerSchema | null, { effort }: ThinkingChoice): AnthropicOutputConfig | null {
  const schema = answerSchema?.by === 'format' ? answerSchema.schema : null;
  if (schema === null && effort === null) return null;
  return {
    ...(effort === null ? {} : { effort }),
    ...(schema === null ? {} : { format: { type: 'json_schema', schema: toStructuredSchema(schema) } }),
  };
}

// Anthropic wants to tell misuse by one user from misuse by all. It learns no name: without our key the hash says nothing.
function toMetadata(
  { safety_identifier: endUser }: ChatRequest,
  { apiKey }: Pick<HttpTarget, 'apiKey'>,
): Pick<AnthropicRequest, 'metadata'> {
  if (endUser === undefined || apiKey === null) return {};
  return { metadata: { user_id: createHmac('sha256', apiKey.reveal()).update(endUser).digest('hex') } };
}
