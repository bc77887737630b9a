import { isJsonObject } from '../../kernel/json-body.js';
import { refuseManyCalls } from '../answers/answer-limits.js';
import { toAnswerEvents } from '../answers/piece-events.js';
import type { AssistantMessage, ChatCompletion } from '../chat-types.js';
import { type ParsedJson, parseObject } from '../json-object.js';
import type { AnswerContext, UpstreamEvent } from '../provider-adapter.js';
import { readTokenUsage } from '../token-usage.js';
import { createUnreadableError } from '../upstream-error.js';
import { isSaid } from './answer-parts.js';
import { AskedChoices, listChoices } from './asked-choices.js';
import { listCalls } from './call-forms.js';
import {
  createStumbleError,
  hasWords,
  isCall,
  keepOthers,
  normaliseFinishReason,
  normaliseToolCalls,
  normaliseWords,
  takeSaid,
} from './normalise-choice.js';
import { findInBandError } from './openai-compatible-error.js';

type WholeChoice = ChatCompletion['choices'][number];

// They say who answered, in a text. As an object they would be taken for output, which is charged.
const describingFields = ['system_fingerprint', 'service_tier'];

// What a provider adds for its own purposes: its price for us, its timings, the prompt once more, padding.
const privateFields = [
  'usage',
  'x_groq',
  'provider',
  'time_info',
  'prompt_filter_results',
  'prompt',
  'obfuscation',
  // Mistral's and Cloudflare's padding, of another length in each event.
  'p',
  'error',
];

/**
 * Translates a complete answer: usage first, if it makes sense, then the completion with our identity and every field that
 * OpenAI's clients require. Fields that the provider adds to a message stay; choices that nobody asked for are left out, and are told of.
 * One answer in several choices is put together.
 *
 * @param isReasoningBeside As `readTokenUsage` takes it.
 * @throws AppError when the text is not an answer, or is an error in disguise.
 */
export function parseOpenAiResponse(
  body: string | ParsedJson,
  context: AnswerContext,
  isReasoningBeside = false,
): readonly UpstreamEvent[] {
  const answer = parseAnswer(body, context);
  const usage = readTokenUsage(findRawUsage(answer, context), isReasoningBeside);
  const choices = listChoices(answer.choices);
  if (choices.length === 0) throw createUnreadableError(context.providerId, 'no choices');
  stampAnswer(answer, context, 'chat.completion');
  const { choicesAsked = 1, providerId } = context;
  const asked = new AskedChoices(choicesAsked, providerId);
  const taken = asked.take(choices, true).map((choice) => normaliseChoice(choice, context));
  answer.choices = choicesAsked === 1 ? [taken.reduce(joinParts)] : taken;
  // Every field that the type asks for was just set.
  const completion = answer as ChatCompletion;
  return toAnswerEvents(completion, usage, asked.hasLeftOut);
}

/**
 * Parses the JSON of an answer or of one event.
 * @throws AppError when it is no object, or reports an error.
 */
export function parseAnswer(
  text: string | ParsedJson,
  context: AnswerContext,
  isErrorEvent = false,
): Record<string, unknown> {
  const answer = parseObject(text);
  if (answer === null) throw createUnreadableError(context.providerId, 'not a JSON object');
  const error = findInBandError(answer, context.providerId, isErrorEvent);
  if (error !== null) throw error;
  return answer;
}

/**
 * The usage object, wherever this provider puts it. Groq's older streams have it one level down, and Moonshot's in the choice that ends:
 * of several choices that is the count of one alone, and none of the answer.
 */
export function findRawUsage(
  { usage, x_groq: groq, choices }: Record<string, unknown>,
  { choicesAsked = 1 }: Pick<AnswerContext, 'choicesAsked'>,
): unknown {
  const [choice] = choicesAsked === 1 ? listChoices(choices) : [];
  return usage ?? (isJsonObject(groq) ? groq.usage : null) ?? (isJsonObject(choice) ? choice.usage : null);
}

/** Writes our identity over the provider's and takes its private fields out. An undefined field is not written as JSON. */
export function stampAnswer(answer: Record<string, unknown>, context: AnswerContext, object: string): void {
  answer.id = context.answerId;
  answer.object = object;
  answer.created = context.createdSeconds;
  answer.model = context.publicModel;
  for (const field of privateFields) if (answer[field] !== undefined) answer[field] = undefined;
  for (const field of describingFields) {
    if (typeof answer[field] === 'object' && answer[field] !== null) answer[field] = undefined;
  }
}

function normaliseChoice(raw: Record<string, unknown>, context: AnswerContext): WholeChoice {
  const said = takeSaid(raw, raw.message ?? raw.delta);
  if (said !== null && raw.delta !== undefined) raw.delta = undefined;
  if (said === null) throw createUnreadableError(context.providerId, 'a choice without a message');
  const message = normaliseMessage(said, context.answerId);
  refuseManyCalls(message.tool_calls?.length ?? 0, context.providerId);
  const reason = typeof raw.finish_reason === 'string' ? raw.finish_reason : 'stop';
  const soFar = { hasCalls: message.tool_calls !== undefined, hasWords: hasWords(message) };
  const finishReason = normaliseFinishReason(reason, soFar);
  if (finishReason === 'stumbled') throw createStumbleError(context.providerId, reason);
  if (finishReason === 'failed') throw createUnreadableError(context.providerId, 'a finish_reason of failure');
  Object.assign(raw, { message, logprobs: raw.logprobs ?? null, finish_reason: finishReason });
  // Every field that the type asks for was just set; the message was changed in its place.
  return raw as WholeChoice;
}

/** Two parts of one answer as one: what the first has nothing of is the other's. */
function joinParts(whole: WholeChoice, part: WholeChoice): WholeChoice {
  const message = { ...whole.message };
  for (const [name, value] of Object.entries(part.message)) if (!isSaid(message[name])) message[name] = value;
  const last = part.finish_reason === 'stop' ? whole.finish_reason : part.finish_reason;
  const finishReason = last === 'stop' && message.tool_calls !== undefined ? 'tool_calls' : last;
  return { ...part, ...whole, message, logprobs: whole.logprobs ?? part.logprobs, finish_reason: finishReason };
}

function normaliseMessage(raw: Record<string, unknown>, answerId: string): AssistantMessage {
  const { tool_calls: rawCalls } = raw;
  const listed = listCalls(rawCalls);
  const calls = listed.calls.filter(isCall);
  const hasCalls = calls.length > 0;
  normaliseWords(raw);
  keepOthers(raw, [...listed.others, ...listed.calls.filter((call) => !isCall(call))]);
  const content = typeof raw.content === 'string' ? raw.content : null;
  raw.role = 'assistant';
  raw.content = hasCalls ? content || null : content;
  raw.refusal = typeof raw.refusal === 'string' ? raw.refusal : null;
  if (rawCalls !== undefined) raw.tool_calls = hasCalls ? normaliseToolCalls(calls, answerId) : undefined;
  return raw as unknown as AssistantMessage;
}
