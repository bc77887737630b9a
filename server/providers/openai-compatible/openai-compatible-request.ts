import type { ChatMessage, ChatRequest, ContentPart, ToolCall } from '../chat-types.js';
import type { HttpTarget, UpstreamRequest } from '../provider-adapter.js';
import { createUpstreamHeaders } from '../upstream-headers.js';
import type { OpenAiDialect } from './openai-dialect.js';

/**
 * Builds the POST for one OpenAI-compatible provider. Every field is named here, so nothing that the caller sent beyond
 * them goes out, and what the caller says about its own users never does.
 */
export function buildOpenAiRequest(request: ChatRequest, target: HttpTarget, dialect: OpenAiDialect): UpstreamRequest {
  const isStream = request.stream === true;
  return {
    url: `${target.baseUrl}/chat/completions`,
    headers: createUpstreamHeaders(isStream, target.apiKey && { authorization: `Bearer ${target.apiKey.reveal()}` }),
    body: JSON.stringify(buildBody(request, target.upstreamModel, dialect)),
  };
}

// The parameters that travel unchanged where no exception names them.
const plainParams = [
  'n',
  'temperature',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'stop',
  'seed',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'reasoning_effort',
  'verbosity',
] as const satisfies readonly (keyof ChatRequest)[];

function buildBody(request: ChatRequest, upstreamModel: string, dialect: OpenAiDialect): Record<string, unknown> {
  const isReasoning = dialect.maxTokensField === 'by_model' && isReasoningModel(upstreamModel);
  const body: Record<string, unknown> = {
    model: upstreamModel,
    messages: request.messages.map((message) => toUpstreamMessage(message, dialect)),
  };
  if (request.max_completion_tokens !== undefined) {
    body[isReasoning ? 'max_completion_tokens' : 'max_tokens'] = request.max_completion_tokens;
  }
  for (const param of plainParams) {
    if (request[param] === undefined || dialect.droppedParams.includes(param)) continue;
    if (isReasoning && isRefusedByReasoning(param, request, upstreamModel)) continue;
    body[dialect.renamedParams[param] ?? param] = request[param];
  }
  if (request.stream === true) {
    body.stream = true;
    if (dialect.usageMode === 'include_usage') {
      // Asked for whatever the caller wants to see: without usage there is no exact bill.
      body.stream_options = {
        include_usage: true,
        ...(dialect.isObfuscationSent ? { include_obfuscation: false } : {}),
      };
    }
  }
  return body;
}

// The o series, and GPT from version 5 on, apart from their `chat` variants.
function isReasoningModel(upstreamModel: string): boolean {
  return /^o\d/.test(upstreamModel) || (findGptVersion(upstreamModel) >= 5 && !upstreamModel.includes('-chat'));
}

const samplingParams = new Set<string>(['temperature', 'top_p', 'logprobs', 'top_logprobs']);
const neverReasoningParams = new Set<string>(['frequency_penalty', 'presence_penalty', 'logit_bias']);

// OpenAI answers these with an error; from 5.1 on it takes the sampling ones when there is no reasoning.
function isRefusedByReasoning(param: string, request: ChatRequest, upstreamModel: string): boolean {
  if (neverReasoningParams.has(param)) return true;
  const isReasoningOff = request.reasoning_effort === 'none' && findGptVersion(upstreamModel) >= 5.1;
  return samplingParams.has(param) && !isReasoningOff;
}

function findGptVersion(upstreamModel: string): number {
  return Number(/^gpt-(\d+(?:\.\d+)?)/.exec(upstreamModel)?.[1] ?? 0);
}

function toUpstreamMessage(message: ChatMessage, dialect: OpenAiDialect): Record<string, unknown> {
  const isDeveloper = message.role === 'developer';
  return {
    role: isDeveloper && !dialect.isDeveloperRoleKnown ? 'system' : message.role,
    content: toUpstreamContent(message),
    name: message.name,
    tool_calls: message.tool_calls?.length ? message.tool_calls.map(toUpstreamCall) : undefined,
    tool_call_id: message.tool_call_id,
    // A stored refusal goes back only where the field is known.
    refusal: dialect.isDeveloperRoleKnown ? (message.refusal ?? undefined) : undefined,
  };
}

// What another provider wants back with its calls is not known here.
function toUpstreamCall({ id, type, function: target }: ToolCall): ToolCall {
  return { id, type, function: target };
}

// Some clients send '' or [] beside tool calls, which OpenAI refuses.
function toUpstreamContent({ content, tool_calls: toolCalls }: ChatMessage): string | readonly ContentPart[] | null {
  if (toolCalls?.length && (content === undefined || content?.length === 0)) return null;
  return content ?? null;
}
