import type { z } from 'zod';
import { AppError } from '../../kernel/app-error.js';
import { checkShape, isJsonObject, isSent, type JsonBody, toText } from '../../kernel/json-body.js';
import { bodyShape, messageShape, partShape } from '../../providers/chat-request-shape.js';
import type { ChatRequest } from '../../providers/chat-types.js';
import type { CallerDialect } from '../../wires/chat/caller-dialect.js';
import { describeIssue } from './describe-issue.js';
import { findEffortInOtherFields } from './thinking-fields.js';
import { normaliseTools } from './tool-fields.js';

/** A body of chat completions, checked. */
export interface CheckedChatBody {
  readonly request: ChatRequest;
  /** Whether a streamed answer ends with a chunk of usage. */
  readonly wantsUsageChunk: boolean;
  readonly dialect: CallerDialect;
}

/** A list that is longer is checked item by item, up to the first fault: each one beyond it would only cost time. */
const manyItems = 64;

/**
 * Checks a body of chat completions that is within `refuseExcess`. Fields outside the list are ignored and never sent on;
 * `null` means absent; what clients write in other forms is brought into one.
 * @throws AppError naming the field at fault: `missing_required_parameter`, `invalid_type`, `invalid_value`,
 *   `unsupported_parameter` or `unsupported_value`.
 */
export function checkChatBody(received: JsonBody): CheckedChatBody {
  refuseUnpricedFields(received);
  const { body, dialect } = normaliseTools(received);
  const fields: Record<string, unknown> = { ...body };
  fields.messages = normaliseMessages(body.messages);
  fields.stop = toStopList(body.stop);
  fields.response_format = toResponseFormat(body.response_format);
  const normalised = withoutNulls(fields);
  refuseFaultyMessage(normalised);
  const parsed = checkShape(bodyShape, normalised);
  if (!parsed.success) throw toFieldError(findInnermost(parsed.error.issues[0] as z.core.$ZodIssue), normalised);
  const { data } = parsed;
  // Clients of OpenRouter ask for it in a field of its own.
  const asksForUsage = isJsonObject(received.usage) && received.usage.include === true;
  const wantsUsageChunk = data.stream === true && (asksForUsage || data.stream_options?.include_usage === true);
  data.max_completion_tokens ??= data.max_tokens;
  data.safety_identifier ??= data.user;
  for (const spent of ['max_tokens', 'stream_options', 'user'] as const) data[spent] = undefined;
  const effort = findEffortInOtherFields(received);
  // Absent fields are there as `undefined`; the types allow that, and JSON drops it.
  if (effort === undefined) return { request: data, wantsUsageChunk, dialect };
  const request = { ...data, reasoning_effort: effort, isReasoningEffortOptional: true };
  return { request, wantsUsageChunk, dialect };
}

// Each of these costs more than its tokens, or comes back in a form that tokens do not measure. Dropping them in silence
// would answer another question than was asked; passing them on would give away what was not priced.
const unpricedFields = ['audio', 'web_search_options', 'prediction', 'moderation'] as const;

// What a provider does unasked. The others change its price, and ours knows only one.
const ordinaryServiceTiers: readonly unknown[] = ['auto', 'default'];

// Parts that OpenAI documents and that have no price here.
const unpricedParts = new Set(['input_audio', 'file', 'video_url', 'input_file']);

function refuseUnpricedFields(received: JsonBody): void {
  const field = unpricedFields.find((name) => isSent(received[name]));
  if (field !== undefined) throw unsupportedParameter(field);
  const modalities = Array.isArray(received.modalities) ? received.modalities : ['text'];
  if (modalities.some((modality) => modality !== 'text')) throw unsupportedParameter('modalities');
  if (isSent(received.service_tier) && !ordinaryServiceTiers.includes(received.service_tier)) {
    throw unsupportedValue('service_tier', "Use 'auto' or 'default'; the other tiers have no price here.");
  }
  if (!Array.isArray(received.messages)) return;
  received.messages.forEach((message: unknown, messageIndex) => {
    if (!isJsonObject(message) || !Array.isArray(message.content)) return;
    const partIndex = message.content.findIndex(
      (part: unknown) => isJsonObject(part) && unpricedParts.has(toText(part.type)),
    );
    if (partIndex < 0) return;
    throw unsupportedValue(
      `messages[${messageIndex}].content[${partIndex}].type`,
      'Send text or images; audio, video and files have no price here.',
    );
  });
}

// Some clients send an empty list for "no text". Beside tool calls the adapter makes null of it.
function normaliseMessages(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages;
  return messages.map((message: unknown) => {
    if (!isJsonObject(message)) return message;
    const isEmpty = Array.isArray(message.content) && message.content.length === 0;
    return withoutNulls(foldReasoning(isEmpty ? { ...message, content: '' } : message));
  });
}

// Clients send an answer back as it came, and what it was thought in came under one name or the other. Where it is no text, or no
// answer's, it was never looked at, and is not refused now.
function foldReasoning(message: JsonBody): JsonBody {
  if (!isSent(message.reasoning_content) && !isSent(message.reasoning)) return message;
  const { reasoning_content: thought, reasoning, ...rest } = message;
  const told = message.role === 'assistant' ? [thought, reasoning].find((text) => typeof text === 'string') : undefined;
  return told === undefined ? rest : { ...rest, reasoning_content: told };
}

// That a message has no content is said by null as well, and that stays.
function withoutNulls(fields: JsonBody): JsonBody {
  const sent = Object.entries(fields).filter(([name, value]) => value !== null || name === 'content');
  return sent.length === Object.keys(fields).length ? fields : Object.fromEntries(sent);
}

function toStopList(stop: unknown): unknown {
  if (Array.isArray(stop) && stop.length === 0) return undefined;
  return typeof stop === 'string' ? [stop] : stop;
}

// Together, Fireworks, llama.cpp and their clients write the schema beside the type. Left out, the answer would be any JSON.
function toResponseFormat(format: unknown): unknown {
  if (!isJsonObject(format) || !isJsonObject(format.schema) || isSent(format.json_schema)) return format;
  if (format.type !== 'json_object' && format.type !== 'json_schema') return format;
  const { name = 'output', description, schema, strict } = format;
  return { type: 'json_schema', json_schema: { name, description, schema, strict } };
}

function refuseFaultyMessage(body: JsonBody): void {
  const { messages } = body;
  if (!Array.isArray(messages)) return;
  messages.forEach((message: unknown, index) => {
    if (!isJsonObject(message) || !Array.isArray(message.content) || message.content.length <= manyItems) return;
    refuseFaultyItem(message.content, partShape, { path: ['messages', index, 'content'], body });
  });
  if (messages.length > manyItems) refuseFaultyItem(messages, messageShape, { path: ['messages'], body });
}

function refuseFaultyItem(
  items: readonly unknown[],
  shape: z.ZodType,
  { path, body }: { path: readonly PropertyKey[]; body: JsonBody },
): void {
  items.forEach((item, index) => {
    const [issue] = checkShape(shape, item).error?.issues ?? [];
    if (issue) throw toFieldError({ ...issue, path: [...path, index, ...issue.path] }, body);
  });
}

// Of a value that may have several forms, the form that fits furthest is the one that was meant.
function findInnermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const firsts = issue.errors.flatMap((issues) => issues.slice(0, 1)).filter(({ path }) => path.length > 0);
  const [meant] = firsts.toSorted((one, other) => other.path.length - one.path.length);
  return meant ? findInnermost({ ...meant, path: [...issue.path, ...meant.path] }) : issue;
}

function unsupportedParameter(param: string): AppError {
  return new AppError('unsupported_parameter', `Unsupported parameter: '${param}' is not offered here. Remove it.`, {
    param,
  });
}

function unsupportedValue(param: string, remedy: string): AppError {
  return new AppError('unsupported_value', `Unsupported value: '${param}' is not offered here. ${remedy}`, { param });
}

function toFieldError(issue: z.core.$ZodIssue, received: unknown): AppError {
  const param = toDottedPath(issue.path);
  const isMissing =
    findAt(received, issue.path) === undefined || (issue.code === 'custom' && issue.params?.isMissing === true);
  if (isMissing) {
    return new AppError('missing_required_parameter', `Missing required parameter: '${param}'.`, { param });
  }
  const isTypeFault = issue.code === 'invalid_type' || issue.code === 'invalid_union';
  return new AppError(isTypeFault ? 'invalid_type' : 'invalid_value', `Invalid '${param}': ${describeIssue(issue)}.`, {
    param,
  });
}

// A path may end in a name that the caller made up.
const nameCharactersMax = 100;

function toDottedPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = toText(step).slice(0, nameCharactersMax);
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

function findAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((parent, step) => (parent as Record<PropertyKey, unknown> | undefined)?.[step], value);
}
