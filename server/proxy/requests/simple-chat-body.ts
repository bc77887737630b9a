import type { z } from 'zod';
import type { JsonBody } from '../../kernel/json-body.js';
import { bodyShape } from '../../providers/chat-request-shape.js';
import type { ChatRequest } from '../../providers/chat-types.js';
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
  const sent = body as Partial<z.output<typeof bodyShape>>;
  const { model, messages, stream } = sent;
  if (model === undefined || messages === undefined) return null;
  const request: ChatRequest = {
    model,
    messages,
    stream,
    max_completion_tokens: sent.max_completion_tokens ?? sent.max_tokens,
    n: sent.n,
    temperature: sent.temperature,
    top_p: sent.top_p,
    frequency_penalty: sent.frequency_penalty,
    presence_penalty: sent.presence_penalty,
    seed: sent.seed,
    safety_identifier: sent.user,
  };
  const wantsUsageChunk = stream === true && sent.stream_options?.include_usage === true;
  return { request, wantsUsageChunk, dialect: plainDialect };
}

type Check = (value: unknown) => boolean;

const isBoolean: Check = (value) => typeof value === 'boolean';
// The bounds are those of the full check, read once. Without one, no value passes, and the full check decides.
const isNumber = ({ minValue, maxValue, isInt }: z.ZodNumber): Check => {
  const [least, most] = [minValue ?? Number.NaN, maxValue ?? Number.NaN];
  return isInt
    ? (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
    : (value) => typeof value === 'number' && value >= least && value <= most;
};
const isText = ({ minLength, maxLength }: z.ZodString): Check => {
  const [least, most] = [minLength ?? 0, maxLength ?? Number.NaN];
  return (value) => typeof value === 'string' && value.length >= least && value.length <= most;
};

const roles: ReadonlySet<unknown> = new Set(['developer', 'system', 'user', 'assistant']);

const { shape } = bodyShape;
const numbers = [
  'max_tokens',
  'max_completion_tokens',
  'n',
  'temperature',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'seed',
] as const;

// A field that is not here, such as tools, makes a body one for the full check.
const checks: ReadonlyMap<string, Check> = new Map([
  ['model', isText(shape.model)],
  ['messages', isTextMessages],
  ['stream', isBoolean],
  ['stream_options', isUsageOption],
  ...numbers.map((name): [string, Check] => [name, isNumber(shape[name].unwrap())]),
  ['user', isText(shape.user.unwrap())],
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
