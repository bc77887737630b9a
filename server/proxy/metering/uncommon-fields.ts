import { isJsonObject } from '../../kernel/json-body.js';

/**
 * The text of fields of an answer that are no longer, or not everywhere, in use: `function_call` of old chat completions, and
 * `reasoning_details` of OpenRouter. Mostly they repeat a known field; where they stand alone, they are the answer.
 */
export function readUncommonFields(piece: object): {
  readonly visible: readonly string[];
  readonly reasoning: readonly string[];
} {
  const { function_call: call, reasoning_details: details } = piece as Record<string, unknown>;
  const reasoning = Array.isArray(details)
    ? details.filter(isJsonObject).flatMap(({ text, summary }) => [text, summary])
    : [];
  return {
    visible: isJsonObject(call) ? [call.name, call.arguments].filter(isText) : [],
    reasoning: reasoning.filter(isText),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
