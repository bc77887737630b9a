import { isJsonObject, type JsonBody } from '../../kernel/json-body.js';
import { normaliseArguments } from '../json-object.js';
import { markers } from './other-output.js';

/** What is no text of a thought in its details, but says which it is, whose and where it stood, or is its seal. */
const marks: ReadonlySet<string> = new Set([...markers, 'format', 'after', 'data']);

/**
 * The text of fields of an answer that are no longer, or not everywhere, in use: `function_call` of old chat completions, and
 * `reasoning_details` of OpenRouter. Mostly they repeat a known field; where they stand alone, they are the answer.
 */
export function readUncommonFields(piece: object): {
  readonly visible: readonly string[];
  readonly reasoning: readonly string[];
} {
  const { function_call: call, reasoning_details: details } = piece as Record<string, unknown>;
  const reasoning = Array.isArray(details) ? details.filter(isJsonObject).flatMap(listTexts) : [];
  return {
    visible: (isJsonObject(call) ? [call.name, normaliseArguments(call.arguments)] : [call]).filter(isText),
    reasoning: reasoning.filter(isText),
  };
}

// By their names where they have one, since what stands beside them may only describe them.
function listTexts(detail: JsonBody): readonly unknown[] {
  const named = [detail.text, detail.summary];
  if (named.some(isText)) return named;
  return Object.keys(detail).map((name) => !marks.has(name) && detail[name]);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
