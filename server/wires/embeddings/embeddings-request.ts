import { AppError } from '../../kernel/app-error.js';
import { isSent, type JsonBody } from '../../kernel/json-body.js';
import type { EmbeddingInputs, EmbeddingOrder, VectorEncoding } from '../../providers/embeddings/embedding-types.js';

/** As many as OpenAI takes in one call. */
const inputsMax = 2_048;
/** As many as OpenAI takes in one call; a token is hardly ever longer than a word. */
const charactersMax = 10 * 1024 * 1024;
/** Ids of cl100k_base end before it. */
const tokenMax = 1_000_000;
const nameCharactersMax = 256;
const dimensionsMax = 100_000;

/**
 * Reads a body of OpenAI's `POST /embeddings`. `null` means absent; other fields, `user` among them, are left out.
 * @throws AppError naming the field at fault: `missing_required_parameter`, `invalid_type` or `invalid_value`.
 */
export function readEmbeddingsBody(body: JsonBody): { readonly model: string; readonly embedding: EmbeddingOrder } {
  const { model } = body;
  if (!isSent(model)) throw missing('model');
  if (typeof model !== 'string') throw fault('invalid_type', 'model', 'must be a text');
  if (model === '' || model.length > nameCharactersMax) {
    throw fault('invalid_value', 'model', `must have 1 to ${nameCharactersMax} characters`);
  }
  const inputs = readInputs(body.input);
  return { model, embedding: { inputs, dimensions: readDimensions(body), encoding: readEncoding(body) } };
}

function readInputs(input: unknown): EmbeddingInputs {
  if (!isSent(input)) throw missing('input');
  if (typeof input === 'string') return readTexts([input], () => 'input');
  if (!Array.isArray(input)) throw fault('invalid_type', 'input', inputForms);
  if (input.length === 0) throw fault('invalid_value', 'input', 'must not be empty');
  const [first] = input as unknown[];
  const nameOf = (index: number) => `input[${index}]`;
  // One list of ids is one input.
  if (typeof first === 'number') return { kind: 'tokens', tokens: [readTokens(input, 'input')] };
  if (input.length > inputsMax) {
    throw fault('invalid_value', 'input', `must have at most ${inputsMax.toLocaleString('en')} items. Send fewer`);
  }
  if (typeof first === 'string') return readTexts(input, nameOf);
  if (!Array.isArray(first)) throw fault('invalid_type', 'input', inputForms);
  return { kind: 'tokens', tokens: input.map((ids: unknown, index) => readTokens(ids, nameOf(index))) };
}

const inputForms = 'must be a text, a list of texts, a list of token ids, or a list of such lists';

function readTexts(texts: readonly unknown[], nameOf: (index: number) => string): EmbeddingInputs {
  let characters = 0;
  texts.forEach((text, index) => {
    if (typeof text !== 'string') throw fault('invalid_type', nameOf(index), 'must be a text, as the items before it');
    if (text === '') throw fault('invalid_value', nameOf(index), 'must not be empty');
    characters += text.length;
  });
  if (characters > charactersMax) {
    throw fault('invalid_value', 'input', `must have at most ${charactersMax.toLocaleString('en')} characters in all`);
  }
  return { kind: 'texts', texts: texts as readonly string[] };
}

function readTokens(ids: unknown, name: string): Uint32Array {
  if (!Array.isArray(ids)) throw fault('invalid_type', name, 'must be a list of token ids, as the items before it');
  if (ids.length === 0) throw fault('invalid_value', name, 'must not be empty');
  const at = ids.findIndex((id: unknown) => !Number.isInteger(id) || (id as number) < 0 || (id as number) > tokenMax);
  if (at >= 0) throw fault('invalid_type', `${name}[${at}]`, 'must be the id of a token');
  return Uint32Array.from(ids as number[]);
}

function readDimensions({ dimensions }: JsonBody): number | null {
  if (!isSent(dimensions)) return null;
  if (typeof dimensions !== 'number') throw fault('invalid_type', 'dimensions', 'must be a whole number');
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > dimensionsMax) {
    throw fault('invalid_value', 'dimensions', 'must be a whole number from 1 to what the model has');
  }
  return dimensions;
}

// What is absent is float, since nobody who did not ask for base64 expects a text.
function readEncoding({ encoding_format: encoding }: JsonBody): VectorEncoding {
  if (!isSent(encoding) || encoding === 'float') return 'float';
  if (encoding === 'base64') return 'base64';
  throw fault('invalid_value', 'encoding_format', "must be 'float' or 'base64'");
}

function missing(param: string): AppError {
  return new AppError('missing_required_parameter', `Missing required parameter: '${param}'.`, { param });
}

function fault(code: 'invalid_type' | 'invalid_value', param: string, what: string): AppError {
  return new AppError(code, `Invalid '${param}': ${what}.`, { param });
}
