import type { ChatRequest, FinishReason, ToolCall } from '../chat-types.js';
import type { AnswerContext, EmbeddedTarget, TokenUsage, UpstreamEvent } from '../provider-adapter.js';
import { composeAnswer, type DemoAnswer } from './demo-answer.js';

export const demoProviderId = 'demo';

/**
 * The embedded provider, so that a newcomer sees a billed call without an account anywhere. Its answers are made from the
 * request alone: the same request gives the same answer. It streams, obeys the output cap, calls tools, answers in JSON
 * where asked, and reports usage; a piece of its text is one token. It says of itself that it is a demo.
 */
export function createDemoTarget(upstreamModel: string): EmbeddedTarget {
  return { kind: 'embedded', providerId: demoProviderId, upstreamModel, answer };
}

function* answer(request: ChatRequest, context: AnswerContext): Generator<UpstreamEvent, void, undefined> {
  const whole = composeAnswer(request);
  const tokensMax = request.max_completion_tokens ?? Number.POSITIVE_INFINITY;
  const isCut = whole.pieces.length > tokensMax;
  const pieces = isCut ? whole.pieces.slice(0, tokensMax) : whole.pieces;
  const finishReason: FinishReason = isCut ? 'length' : whole.toolName === null ? 'stop' : 'tool_calls';
  const choiceCount = request.n ?? 1;
  const usage = { type: 'usage', usage: countUsage(request, pieces.length * choiceCount) } as const;

  if (request.stream !== true) {
    yield usage;
    yield { type: 'completion', completion: toCompletion({ ...whole, pieces }, finishReason, choiceCount, context) };
    return;
  }
  for (let index = 0; index < choiceCount; index += 1)
    yield* streamChoice({ ...whole, pieces }, finishReason, index, context);
  yield usage;
}

/** About four bytes to a token, and three for the frame of a message: always below the bound that a hold rests on. */
function countUsage(request: ChatRequest, outputTokens: number): TokenUsage {
  let inputTokens = 0;
  for (const { content } of request.messages) {
    const parts =
      typeof content === 'string' ? [content] : (content ?? []).map((part) => (part.type === 'text' ? part.text : ''));
    inputTokens += 3 + Math.ceil(parts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0) / 4);
  }
  return { inputTokens, cachedInputTokens: null, cacheWriteInputTokens: null, outputTokens, reasoningTokens: null };
}

function toCompletion(
  { pieces, toolName }: DemoAnswer,
  finishReason: FinishReason,
  choiceCount: number,
  context: AnswerContext,
): Extract<UpstreamEvent, { type: 'completion' }>['completion'] {
  const text = pieces.join('');
  return {
    id: context.answerId,
    object: 'chat.completion',
    created: context.createdSeconds,
    model: context.publicModel,
    choices: Array.from({ length: choiceCount }, (_, index) => ({
      index,
      message: {
        role: 'assistant' as const,
        content: toolName === null ? text : null,
        refusal: null,
        ...(toolName === null ? {} : { tool_calls: [toToolCall(toolName, index, text, context)] }),
      },
      logprobs: null,
      finish_reason: finishReason,
    })),
  };
}

function toToolCall(name: string, choiceIndex: number, text: string, context: AnswerContext): ToolCall {
  return { id: `${context.answerId}_${choiceIndex}`, type: 'function', function: { name, arguments: text } };
}

function* streamChoice(
  { pieces, toolName }: DemoAnswer,
  finishReason: FinishReason,
  index: number,
  context: AnswerContext,
): Generator<UpstreamEvent, void, undefined> {
  const toChunk = (delta: object, reason: FinishReason | null = null): UpstreamEvent => ({
    type: 'chunk',
    chunk: {
      id: context.answerId,
      object: 'chat.completion.chunk',
      created: context.createdSeconds,
      model: context.publicModel,
      choices: [{ index, delta: { ...delta }, logprobs: null, finish_reason: reason }],
    },
  });
  if (toolName === null) {
    yield toChunk({ role: 'assistant', content: '' });
    for (const content of pieces) yield toChunk({ content });
  } else {
    const opening = { index: 0, ...toToolCall(toolName, index, '', context) };
    yield toChunk({ role: 'assistant', content: null, tool_calls: [opening] });
    for (const text of pieces) yield toChunk({ tool_calls: [{ index: 0, function: { arguments: text } }] });
  }
  yield toChunk({}, finishReason);
}
