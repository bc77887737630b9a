import type { JsonBody } from '../kernel/json-body.js';
import type { ChatMessage, ChatRequest } from '../providers/chat-types.js';
import type { CheckedChatBody } from './chat-request.js';

const messagesMax = 64;
const plainDialect = { usesFunctions: false, customTools: new Set<string>() } as const;

/**
 * Reads a body of chat completions that needs no more than a look at each field: text messages and the usual numbers, each within
 * its bounds and none said as `null`. Most calls are such, whichever wire they came on, and this costs a tenth of the full check.
 * @returns exactly what `checkChatBody` would make of it; null for every other body, good or faulty, which has to be given to that.
 */
export function readSimpleChatBody(body: JsonBody): CheckedChatBody | null {
  for (const name in body) {
    const value = body[name];
    // Whoever translates from another wire leaves out a field so.
    if (value !== undefined && checks.get(name)?.(value) !== true) return null;
  }
  const { model, messages, stream, user } = body as SimpleBody;
  if (model === undefined || messages === undefined) return null;
  const request: ChatRequest = {
    model,
    messages,
    stream,
    max_completion_tokens: (body.max_completion_tokens ?? body.max_tokens) as number | undefined,
    n: body.n as number | undefined,
    temperature: body.temperature as number | undefined,
    top_p: body.top_p as number | undefined,
    frequency_penalty: body.frequency_penalty as number | undefined,
    presence_penalty: body.presence_penalty as number | undefined,
    seed: body.seed as number | undefined,
    safety_identifier: user,
  };
  const options = body.stream_options as { readonly include_usage?: boolean } | undefined;
  return { request, wantsUsageChunk: stream === true && options?.include_usage === true, dialect: plainDialect };
}

interface SimpleBody extends Pick<ChatRequest, 'stream'> {
  readonly model?: string;
  readonly messages?: readonly ChatMessage[];
  readonly user?: string;
}

type Check = (value: unknown) => boolean;

const isBoolean: Check = (value) => typeof value === 'boolean';
const isWholeWithin =
  (least: number, most: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
const isWithin =
  (least: number, most: number): Check =>
  (value) =>
    typeof value === 'number' && value >= least && value <= most;
const isTextWithin =
  (least: number, most: number): Check =>
  (value) =>
    typeof value === 'string' && value.length >= least && value.length <= most;

const roles: ReadonlySet<unknown> = new Set(['developer', 'system', 'user', 'assistant']);

// A field that is not here, such as tools, makes a body one for the full check.
const checks: ReadonlyMap<string, Check> = new Map([
  ['model', isTextWithin(1, 256)],
  ['messages', isTextMessages],
  ['stream', isBoolean],
  ['stream_options', isUsageOption],
  ['max_tokens', isWholeWithin(1, 10_000_000)],
  ['max_completion_tokens', isWholeWithin(1, 10_000_000)],
  ['n', isWholeWithin(1, 8)],
  ['temperature', isWithin(0, 2)],
  ['top_p', isWithin(0, 1)],
  ['frequency_penalty', isWithin(-2, 2)],
  ['presence_penalty', isWithin(-2, 2)],
  ['seed', isWholeWithin(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)],
  ['user', isTextWithin(0, 4_096)],
]);

function isTextMessages(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.length <= messagesMax && value.every(isTextMessage);
}

function isTextMessage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { role, content } = value as JsonBody;
  if (typeof content !== 'string' || !roles.has(role)) return false;
  for (const name in value) if (name !== 'role' && name !== 'content') return false;
  return true;
}

function isUsageOption(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const name in value) if (name !== 'include_usage') return false;
  const { include_usage: isAsked } = value as JsonBody;
  return isAsked === undefined || isBoolean(isAsked);
}
