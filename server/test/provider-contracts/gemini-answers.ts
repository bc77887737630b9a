import type { BlockedReason, FinishReason, GenerateContentResponse } from '@google/genai';
import type { JsonObject } from '../../providers/chat-types.js';
import { toEvent } from '../provider-contract-case.js';

/*
 * Answers of `models.generateContent` as Google documents them, https://ai.google.dev/api/generate-content, held against the
 * types of Google's own SDK. Those describe the REST shapes field by field, with two differences: what is an enumeration
 * there is a text here, and the SDK's class adds getters (`text`, `functionCalls`, …) that are not on the wire.
 */

/** A type of the SDK as JSON has it. */
export type OnTheWire<Type> = Type extends string
  ? `${Type}`
  : Type extends readonly (infer Item)[]
    ? readonly OnTheWire<Item>[]
    : Type extends object
      ? { readonly [Field in keyof Type]: OnTheWire<Type[Field]> }
      : Type;

type SdkGetter =
  | 'text'
  | 'data'
  | 'functionCalls'
  | 'executableCode'
  | 'codeExecutionResult'
  | 'initialPromptTokenCount';

export type GeminiAnswer = OnTheWire<Omit<GenerateContentResponse, SdkGetter>>;
type Candidate = NonNullable<GeminiAnswer['candidates']>[number];
export type AnswerPart = NonNullable<NonNullable<Candidate['content']>['parts']>[number];
export type AnswerUsage = NonNullable<GeminiAnswer['usageMetadata']>;

export const shortUsage: AnswerUsage = {
  promptTokenCount: 11,
  candidatesTokenCount: 7,
  totalTokenCount: 18,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 11 }],
};
export const shortCounts = {
  inputTokens: 11,
  cachedInputTokens: null,
  cacheWriteInputTokens: null,
  outputTokens: 7,
  reasoningTokens: null,
};

const identity: Pick<GeminiAnswer, 'modelVersion' | 'responseId'> = {
  modelVersion: 'gemini-3.8-flash',
  responseId: 'theirs',
};

/** What the end of an answer says. */
export interface AnswerEnd {
  readonly finishReason?: `${FinishReason}`;
  readonly usage?: AnswerUsage;
}

/** A whole plain answer. */
export function answer(parts: readonly AnswerPart[], end: AnswerEnd = {}): JsonObject & GeminiAnswer {
  const { finishReason = 'STOP', usage = shortUsage } = end;
  const candidate: Candidate = { content: { role: 'model', parts }, finishReason, index: 0 };
  const whole: GeminiAnswer = { candidates: [candidate], usageMetadata: usage, ...identity };
  return { ...whole };
}

/**
 * The same in steps: one event for each list of parts. Usage comes with each, counted up; why it ended comes with the last,
 * or, where `endsApart`, in one more event without words.
 */
export function stream(steps: readonly (readonly AnswerPart[])[], end: AnswerEnd = {}, endsApart = false): string[] {
  const { finishReason = 'STOP', usage = shortUsage } = end;
  const soFar: AnswerUsage = { promptTokenCount: usage.promptTokenCount ?? 0, candidatesTokenCount: 1 };
  const all = endsApart ? [...steps, [{ text: '' }]] : steps;
  return all.map((parts, index) => {
    const isLast = index === all.length - 1;
    const candidate: Candidate = { content: { role: 'model', parts }, index: 0, ...(isLast ? { finishReason } : {}) };
    const step: GeminiAnswer = { candidates: [candidate], usageMetadata: isLast ? usage : soFar, ...identity };
    return toEvent(step).replaceAll('\n', '\r\n');
  });
}

/** The answer to a prompt that was blocked: no candidate. */
export function blockedAnswer(blockReason: `${BlockedReason}`, usage: AnswerUsage): JsonObject & GeminiAnswer {
  const whole: GeminiAnswer = { promptFeedback: { blockReason }, usageMetadata: usage, ...identity };
  return { ...whole };
}
