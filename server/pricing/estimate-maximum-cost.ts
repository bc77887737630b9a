import { AppError } from '../kernel/app-error.js';
import { assertInvariant, assertNever } from '../kernel/assert.js';
import { innerJsonLimits } from '../kernel/json-gauge.js';
import { type Millicredits, multiplyMillicredits, toMillicredits } from '../kernel/millicredits.js';
import { priceTokens } from '../kernel/token-price.js';
import { type ImageTokensMax, priceList } from './price-list.js';

/** What of a request counts as prompt; a `ChatRequest` is one. */
export interface PromptToSize {
  readonly messages: readonly MessageToSize[];
  readonly tools?: readonly object[] | undefined;
  readonly response_format?: unknown;
  /** Then it is all there is. */
  readonly embedding?: { readonly inputs: InputsToSize } | undefined;
}

type InputsToSize =
  | { readonly kind: 'texts'; readonly texts: readonly string[] }
  | { readonly kind: 'tokens'; readonly tokens: readonly { readonly length: number }[] };

interface MessageToSize {
  readonly role?: string | undefined;
  readonly content?: string | readonly PartToSize[] | null | undefined;
  readonly name?: string | undefined;
  readonly refusal?: string | null | undefined;
  readonly tool_call_id?: string | undefined;
  readonly tool_calls?:
    | readonly {
        readonly id: string;
        readonly function: { readonly name: string; readonly arguments: string };
        readonly extra_content?: unknown;
      }[]
    | undefined;
  readonly reasoning_details?: readonly unknown[] | undefined;
  readonly reasoning_content?: string | undefined;
  readonly extra_content?: unknown;
}

type PartToSize =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'refusal'; readonly refusal: string }
  | {
      readonly type: 'image_url';
      readonly image_url: { readonly url: string; readonly detail?: 'auto' | 'low' | 'high' | undefined };
    };

// What a provider's chat template adds around each message or tool call, and once around the whole.
const frameTokens = 16;
const promptFrameTokens = 64;
// What marks beginning and end of a text of which a vector is made.
const inputFrameTokens = 4;

const dearestImage: ImageTokensMax = {
  low: Math.max(...priceList.map((model) => model.imageTokensMax?.low ?? 0)),
  high: Math.max(...priceList.map((model) => model.imageTokensMax?.high ?? 0)),
};

/**
 * An upper bound of the prompt's tokens: its bytes in UTF-8 (a tokenizer on bytes makes at most one token of each), plus
 * a frame for each message and the dearest case of each image. Costs one pass over the text, and no tokenizer.
 *
 * @param imageTokensMax The model's; left out, that of the dearest model; null for a model that takes no images.
 * @throws AppError `unsupported_parameter` on an image for a model that is not sold with images.
 */
export function findPromptTokensMax(
  request: PromptToSize,
  imageTokensMax: ImageTokensMax | null = dearestImage,
): number {
  if (request.embedding) return findInputsTokensMax(request.embedding.inputs);
  let tokensMax = promptFrameTokens + countToolsBytes(request.tools) + countJsonBytes(request.response_format);
  const nameBytesByCall = new Map<string, number>();
  const growth = new JsonGrowth();
  request.messages.forEach((message, index) => {
    for (const { id, function: target } of message.tool_calls ?? []) nameBytesByCall.set(id, countBytes(target.name));
    tokensMax += frameTokens + countMessageBytes(message, growth);
    // Some providers are told the name of the tool once more with each of its results, and read a result in JSON as such.
    tokensMax += nameBytesByCall.get(message.tool_call_id ?? '') ?? 0;
    if (message.role === 'tool' || message.role === 'function') growth.noteResult(message);
    if (typeof message.content === 'string') tokensMax += Buffer.byteLength(message.content);
    else tokensMax += findPartsTokensMax(message.content ?? [], index, imageTokensMax);
  });
  return tokensMax + growth.bytesMax;
}

/** How much of `findPromptTokensMax` is images. */
export function findImageTokensMax(request: PromptToSize, imageTokensMax: ImageTokensMax | null): number {
  let tokensMax = 0;
  for (const { content } of request.messages) {
    if (!Array.isArray(content)) continue;
    for (const part of content as readonly PartToSize[]) {
      if (part.type === 'image_url')
        tokensMax += imageTokensMax?.[part.image_url.detail === 'low' ? 'low' : 'high'] ?? 0;
    }
  }
  return tokensMax;
}

function findInputsTokensMax(inputs: InputsToSize): number {
  const sizes =
    inputs.kind === 'texts'
      ? inputs.texts.map((text) => Buffer.byteLength(text))
      : inputs.tokens.map(({ length }) => length);
  return sizes.reduce((sum, size) => sum + inputFrameTokens + size, 0);
}

export interface CallBounds {
  readonly millicreditsPerToken: Millicredits;
  /** Per mille of that which the account pays; left out: 1,000. */
  readonly priceMultiplier?: number;
  readonly promptTokensMax: number;
  /** For one choice. */
  readonly outputTokensMax: number;
  /** How many answers are generated (`n`). */
  readonly choices: number;
}

/** The most that a call can cost: what its hold must cover. Exact on integers; refuses to overflow. */
export function estimateMaximumCost(bounds: CallBounds): Millicredits {
  const { promptTokensMax, outputTokensMax, choices } = bounds;
  const areCounts = [promptTokensMax, outputTokensMax, choices].every(
    (count) => Number.isSafeInteger(count) && count >= 0,
  );
  assertInvariant(areCounts, 'the bounds of a call are counts');
  const tokensMax = promptTokensMax + outputTokensMax * choices;
  // Refuses what no price covers, before a multiplier hides it.
  multiplyMillicredits(bounds.millicreditsPerToken, tokensMax);
  return toMillicredits(priceTokens(tokensMax, bounds));
}

function countMessageBytes(message: MessageToSize, growth: JsonGrowth): number {
  let bytes = countBytes(message.name) + countBytes(message.refusal) + countBytes(message.tool_call_id);
  bytes += countDetailsBytes(message.reasoning_details) + countBytes(message.reasoning_content);
  bytes += countJsonBytes(message.extra_content);
  for (const call of message.tool_calls ?? []) {
    const { name, arguments: text } = call.function;
    bytes += frameTokens + countBytes(call.id) + countBytes(name) + countBytes(text);
    growth.note(text);
    bytes += countJsonBytes(call.extra_content);
  }
  return bytes;
}

function findPartsTokensMax(parts: readonly PartToSize[], messageIndex: number, image: ImageTokensMax | null): number {
  let tokensMax = 0;
  parts.forEach((part, partIndex) => {
    switch (part.type) {
      case 'text':
        tokensMax += Buffer.byteLength(part.text);
        break;
      case 'refusal':
        tokensMax += Buffer.byteLength(part.refusal);
        break;
      case 'image_url':
        if (image === null) throw noImagesError(`messages[${messageIndex}].content[${partIndex}]`);
        tokensMax += part.image_url.detail === 'low' ? image.low : image.high;
        break;
      default:
        assertNever(part);
    }
  });
  return tokensMax;
}

function noImagesError(param: string): AppError {
  return new AppError('unsupported_parameter', 'This model takes no images here. Send text, or choose another model.', {
    param,
  });
}

function countBytes(text: string | null | undefined): number {
  return text ? Buffer.byteLength(text) : 0;
}

// `1e20` becomes a 1 and twenty zeros. No other number has more characters when it is written anew, and no text in JSON has.
const exponentNumber = /(?:^|[[,:\s])-?\d+(?:\.\d+)?[eE]/g;
const exponentGrowthMax = 17;

/**
 * By how many bytes the texts of a prompt may grow at most that are parsed as JSON and written anew, as for providers that take no
 * text there. So many numbers are looked for as are read at all.
 */
class JsonGrowth {
  #numbers = 0;

  get bytesMax(): number {
    return exponentGrowthMax * this.#numbers;
  }

  note(text: string): void {
    if (this.#numbers >= innerJsonLimits.valuesMax || !/\d[eE]/.test(text)) return;
    for (const _ of text.matchAll(exponentNumber)) {
      this.#numbers += 1;
      if (this.#numbers >= innerJsonLimits.valuesMax) return;
    }
  }

  // The texts of a result are put together before they are parsed, so a number may begin in one and go on in the next.
  noteResult({ content, refusal }: MessageToSize): void {
    const parts = typeof content === 'string' ? [content] : (content ?? []).map(findPartText);
    this.note(`${parts.join('')}${refusal ?? ''}`);
  }
}

function findPartText(part: PartToSize): string {
  if (part.type === 'text') return part.text;
  return part.type === 'refusal' ? part.refusal : '';
}

function countJsonBytes(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}

// A mark for the provider's cache is no text that the model reads, and goes to those only that know it.
function countToolsBytes(tools: readonly object[] | undefined): number {
  if (!tools?.some((tool) => 'cache_control' in tool)) return countJsonBytes(tools);
  return countJsonBytes(tools.map((tool) => ({ ...tool, cache_control: undefined })));
}

/** Longer texts are measured as they are: writing megabytes as JSON holds the event loop, and no tokenizer sees the escapes. */
const longText = 65_536;

function countDetailsBytes(details: readonly unknown[] | undefined): number {
  if (details === undefined) return 0;
  const betweenThem = 2 + Math.max(0, details.length - 1);
  return details.reduce((sum: number, detail) => sum + countDetailBytes(detail), betweenThem);
}

function countDetailBytes(detail: unknown): number {
  if (typeof detail !== 'object' || detail === null) return countJsonBytes(detail);
  const isLong = (part: unknown): part is string => typeof part === 'string' && part.length > longText;
  if (!Object.values(detail).some(isLong)) return countJsonBytes(detail);
  const measured = Object.entries(detail).map(([name, part]) =>
    isLong(part) ? ([name, ''] as const) : ([name, part] as const),
  );
  const longBytes = Object.values(detail).reduce((sum: number, part) => sum + (isLong(part) ? countBytes(part) : 0), 0);
  return countJsonBytes(Object.fromEntries(measured)) + longBytes;
}
