import { isJsonObject } from '../../kernel/json-body.js';
import { normaliseArguments } from '../../providers/json-object.js';

/** What is no text of a thought in its details, but says which it is, or is its seal. */
const marks: ReadonlySet<string> = new Set(['id', 'type', 'format', 'index', 'signature', 'data']);

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
    ? details
        .filter(isJsonObject)
        .flatMap((detail) => Object.keys(detail).map((name) => !marks.has(name) && detail[name]))
    : [];
  return {
    visible: (isJsonObject(call) ? [call.name, normaliseArguments(call.arguments)] : [call]).filter(isText),
    reasoning: reasoning.filter(isText),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
