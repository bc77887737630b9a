import { isObject } from '../../providers/json-object.js';

/**
 * What a piece of an answer says in forms of other times and makes. Mostly they say once more what stands in a known field; where they
 * stand alone, they are the answer.
 */
export function readOtherForms(piece: object): {
  readonly visible: readonly string[];
  readonly reasoning: readonly string[];
} {
  const { function_call: call, reasoning_details: details } = piece as Record<string, unknown>;
  const reasoning = Array.isArray(details)
    ? details.filter(isObject).flatMap(({ text, summary }) => [text, summary])
    : [];
  return {
    visible: isObject(call) ? [call.name, call.arguments].filter(isText) : [],
    reasoning: reasoning.filter(isText),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
