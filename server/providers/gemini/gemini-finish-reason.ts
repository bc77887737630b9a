import type { FinishReason } from '../chat-types.js';

// https://ai.google.dev/api/generate-content#FinishReason
const filtered = new Set([
  'SAFETY',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'RECITATION',
  'LANGUAGE',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
]);
const failed = new Set(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS']);
/** More than the longest of these has. */
const wordCharactersMax = 64;

/** What the answer held before it finished. */
export interface AnswerSoFar {
  readonly hasCalls: boolean;
  /** Text, a refusal or a picture; thoughts are no answer. */
  readonly hasWords: boolean;
}

/**
 * Whether the model made an invalid tool call, in Google's word for it. Its endpoint of OpenAI's kind writes that behind the name of a filter, such
 * as `function_call_filter: MALFORMED_FUNCTION_CALL`.
 */
export function isStumble(reason: string): boolean {
  // Of the whole of a long one the pattern would be tried from each of its letters.
  const [word = ''] = /[A-Z_]*$/.exec(reason.slice(-wordCharactersMax)) ?? [];
  return failed.has(word) || reason.startsWith('function_call_filter');
}

/**
 * Brings Google's reason into OpenAI's five. A model that was about to call tools says STOP, in an event without them. A
 * model that made an invalid tool call has stopped, if it had said something; else it `failed`, because a client would take an
 * empty answer for success. What Google invents counts as a stop.
 */
export function toFinishReason(reason: string, { hasCalls, hasWords }: AnswerSoFar): FinishReason | 'failed' {
  if (reason === 'MAX_TOKENS' || reason === 'CONTINUATION') return 'length';
  if (filtered.has(reason)) return 'content_filter';
  if (hasCalls) return 'tool_calls';
  return isStumble(reason) && !hasWords ? 'failed' : 'stop';
}
