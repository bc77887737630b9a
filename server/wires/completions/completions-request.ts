import { AppError } from '../../kernel/app-error.js';
import { isSent, type JsonBody } from '../../kernel/json-body.js';

/**
 * Reads a body of OpenAI's old `POST /completions`, text in and text out, as one of chat completions: the prompt is one message
 * of the user.
 * @throws AppError naming the field that has no counterpart.
 */
export function readCompletionsBody(received: JsonBody): JsonBody {
  refuseUnoffered(received);
  const { prompt, suffix: _, echo: __, best_of: ___, logprobs: ____, ...rest } = received;
  return { ...rest, messages: [{ role: 'user', content: readPrompt(prompt) }] };
}

// What only a model of the old kind can do, or only chat can tell.
const unofferedFields: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ['suffix', (value) => value !== ''],
  ['echo', (value) => value === true],
  ['best_of', (value) => value !== 0 && value !== 1],
  ['logprobs', (value) => value !== false && value !== 0],
  // Their calls have no place in an answer of text.
  ['tools', (value) => !Array.isArray(value) || value.length > 0],
  ['functions', (value) => !Array.isArray(value) || value.length > 0],
];

function refuseUnoffered(received: JsonBody): void {
  const found = unofferedFields.find(([name, isMeant]) => isSent(received[name]) && isMeant(received[name]));
  if (found === undefined) return;
  const [param] = found;
  throw new AppError('unsupported_parameter', `Unsupported parameter: '${param}' is not offered here. Remove it.`, {
    param,
  });
}

function readPrompt(prompt: unknown): string {
  const [first, ...others] = Array.isArray(prompt) ? prompt : [prompt];
  if (!isSent(first)) {
    throw new AppError('missing_required_parameter', "Missing required parameter: 'prompt'.", { param: 'prompt' });
  }
  if (typeof first === 'string' && others.length === 0) return first;
  const words =
    "Invalid 'prompt': must be one text. Send several prompts as several calls, and text in place of tokens.";
  throw new AppError('invalid_type', words, { param: 'prompt' });
}
