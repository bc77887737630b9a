import { AppError } from '../../kernel/app-error.js';
import { isJsonObject, isSent, type JsonBody } from '../../kernel/json-body.js';
import { readInputItems } from './input-items.js';
import { flattenChoice, type NamespacedTool, readResponsesTools } from './responses-tools.js';

/** What of a request its answer depends on. */
export interface ResponsesSettings {
  readonly namespacedTools: ReadonlyMap<string, NamespacedTool>;
  /** Whether the caller wants to read the thinking. */
  readonly wantsSummary: boolean;
  /** Whether it sends reasoning back with the next turn as `encrypted_content`. */
  readonly wantsThinkingBack: boolean;
  /** Whether a later request may refer to the answer's items: the caller did not say `store: false`. */
  readonly isKept: boolean;
  /** What the answer repeats of the request. */
  readonly echo: JsonBody;
}

export interface ResponsesBody {
  /** The body as one of chat completions. */
  readonly body: JsonBody;
  /** Of each message: the place in the caller's body that it came from. */
  readonly places: readonly string[];
  readonly settings: ResponsesSettings;
}

/**
 * Reads a body of `POST /responses` as one of chat completions. Fields that nobody here knows are left out, and fields of which
 * the answer would be another without them are refused.
 * @throws AppError naming the field that has no counterpart.
 */
export function readResponsesBody(received: JsonBody): ResponsesBody {
  refuseStored(received);
  if (!isSent(received.input)) throw missingInput(received);
  const offered = readResponsesTools(received.tools);
  const { tools, namespaced } = offered;
  const tool_choice = flattenChoice(received.tool_choice, offered);
  const { messages, places } = toMessages(received);
  const include = Array.isArray(received.include) ? received.include : [];
  const {
    functions: _,
    function_call: __,
    n: ___,
    stop: ____,
    top_logprobs,
    ...rest
  } = toChatFields({ ...received, tools, tool_choice });
  // How many there are says nothing where they are not asked for; chat completions refuse the one without the other.
  const logprobs = include.includes('message.output_text.logprobs') ? { logprobs: true, top_logprobs } : {};
  return {
    body: { ...rest, messages, ...logprobs },
    places,
    settings: {
      namespacedTools: namespaced,
      wantsSummary: isJsonObject(received.reasoning) && isSent(received.reasoning.summary),
      wantsThinkingBack: include.includes('reasoning.encrypted_content'),
      isKept: received.store !== false,
      echo: toEcho(received),
    },
  };
}

/**
 * Reads a body of the chat route that is written in the form of Responses, as Cursor sends it when a model's name looks like
 * one of the big providers'. Where a body has both forms of a field, the chat form counts. Any other body is given back as it is.
 * @throws AppError naming the item that chat completions have no word for, or what stands for words that are kept elsewhere.
 */
export function fromResponsesBody(received: JsonBody): JsonBody {
  if (!responsesFields.some((name) => isSent(received[name]))) return received;
  const fields = toChatFields(received);
  const isChat = isSent(received.messages) || !isSent(received.input);
  if (!isChat) refuseStored(received);
  return isChat ? fields : { ...fields, messages: toMessages(received).messages };
}

const responsesFields = ['input', 'instructions', 'max_output_tokens', 'reasoning', 'text'];

function toChatFields(received: JsonBody): JsonBody {
  refuseReasoningMode(received);
  const { input: _, instructions: __, max_output_tokens, text, ...rest } = received;
  const { reasoning } = rest;
  const format = isJsonObject(text) ? toResponseFormat(text.format) : undefined;
  return {
    ...rest,
    max_completion_tokens: rest.max_completion_tokens ?? (isSent(rest.max_tokens) ? undefined : max_output_tokens),
    reasoning_effort:
      rest.reasoning_effort ?? (isJsonObject(reasoning) && reasoning.enabled !== false ? reasoning.effort : undefined),
    verbosity: rest.verbosity ?? (isJsonObject(text) ? text.verbosity : undefined),
    response_format: rest.response_format ?? format,
  };
}

function toMessages({ input, instructions }: JsonBody): { messages: readonly JsonBody[]; places: readonly string[] } {
  const { messages, places } = readInputItems(input);
  if (!isSent(instructions)) return { messages, places };
  return {
    messages: [{ role: 'system', content: instructions }, ...messages],
    places: ['instructions', ...places],
  };
}

function toResponseFormat(format: unknown): unknown {
  if (!isJsonObject(format) || format.type !== 'json_schema' || isJsonObject(format.json_schema)) return format;
  const { type, ...schema } = format;
  return { type, json_schema: schema };
}

// Each rests on something that the provider or we would have to keep.
const storedFields = [
  'previous_response_id',
  'conversation',
  'prompt',
  'context_management',
  'max_tool_calls',
] as const;

function refuseStored(received: JsonBody): void {
  const param = storedFields.find((name) => isSent(received[name]));
  if (param !== undefined) {
    throw new AppError(
      'unsupported_parameter',
      `Unsupported parameter: '${param}' is not offered here, since responses are not stored. Remove it, and send the whole conversation in 'input'.`,
      { param },
    );
  }
  if (received.background === true) {
    throw new AppError(
      'unsupported_parameter',
      "Unsupported parameter: 'background' is not offered here. Remove it; a stream tells what has come so far.",
      { param: 'background' },
    );
  }
}

// Another mode gives another answer, at another price.
function refuseReasoningMode({ reasoning }: JsonBody): void {
  if (!isJsonObject(reasoning) || !isSent(reasoning.mode) || reasoning.mode === 'standard') return;
  const param = 'reasoning.mode';
  const words = `Unsupported value: '${param}' has no price here but 'standard'. Remove it.`;
  throw new AppError('unsupported_value', words, { param });
}

function missingInput(received: JsonBody): AppError {
  const remedy = isSent(received.messages) ? ' `messages` belong to POST /chat/completions.' : '';
  return new AppError('missing_required_parameter', `Missing required parameter: 'input'.${remedy}`, {
    param: 'input',
  });
}

const metadataPairsMax = 16;

// Long texts, instructions and tools, are not sent back: no client reads them. What Open Responses demands is there, also where it says nothing.
function toEcho(received: JsonBody): JsonBody {
  const { text, reasoning, temperature, top_p: topP, metadata, tool_choice: toolChoice } = received;
  const format = isJsonObject(text) && isJsonObject(text.format) ? { type: text.format.type } : { type: 'text' };
  return {
    background: false,
    frequency_penalty: received.frequency_penalty ?? 0,
    instructions: null,
    max_output_tokens: received.max_output_tokens ?? null,
    max_tool_calls: null,
    metadata: readMetadata(metadata),
    parallel_tool_calls: received.parallel_tool_calls ?? true,
    presence_penalty: received.presence_penalty ?? 0,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: isJsonObject(reasoning)
      ? { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null }
      : { effort: null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: false,
    temperature: temperature ?? 1,
    text: { format },
    tool_choice: typeof toolChoice === 'string' ? toolChoice : 'auto',
    tools: [],
    top_logprobs: received.top_logprobs ?? 0,
    top_p: topP ?? 1,
    truncation: 'disabled',
  };
}

function readMetadata(metadata: unknown): JsonBody {
  if (!isSent(metadata)) return {};
  const pairs = isJsonObject(metadata) ? Object.entries(metadata) : null;
  const isWithin =
    pairs !== null &&
    pairs.length <= metadataPairsMax &&
    pairs.every(([name, value]) => name.length <= 64 && typeof value === 'string' && value.length <= 512);
  if (isWithin) return Object.fromEntries(pairs);
  throw new AppError(
    'invalid_value',
    `Invalid 'metadata': must be at most ${metadataPairsMax} pairs of texts, names up to 64 and values up to 512 characters.`,
    { param: 'metadata' },
  );
}
