import { AppError } from '../kernel/app-error.js';
import { type JsonBody, parseJsonBody } from '../kernel/json-body.js';
import { readCompletionsBody } from '../wires/completions/completions-request.js';
import { readMessagesBody } from '../wires/messages/messages-request.js';
import { fromResponsesBody, type ResponsesSettings, readResponsesBody } from '../wires/responses/responses-request.js';
import { type CheckedChatBody, checkChatBody } from './chat-request.js';
import { refuseExcess, refuseLongSchemas } from './refuse-excess.js';

/** Whose form a body has: OpenAI's chat completions, its Responses, its old completions, or Anthropic's Messages. */
export type WireName = 'chat' | 'responses' | 'completions' | 'messages';

/** What a caller asked for, ready to be priced and sent. */
export interface ParsedRequest extends CheckedChatBody {
  /** null: not asked on that wire. */
  readonly responses: ResponsesSettings | null;
}

export interface ParseOptions {
  /** `chat` when left out. */
  readonly wire?: WireName;
  /** Whether schemas in it may be too long. */
  readonly isLarge?: boolean;
}

/**
 * Reads a caller's body.
 * @param text Within `bodyLimits`.
 * @throws AppError naming the field at fault in the caller's own words: `invalid_json`, or as `checkChatBody`.
 */
export function parseRequest(text: string, { wire = 'chat', isLarge = false }: ParseOptions = {}): ParsedRequest {
  const sent = parseJsonBody(text);
  refuseExcess(sent);
  if (isLarge) refuseLongSchemas(sent);
  if (wire === 'chat') return { ...checkChatBody(fromResponsesBody(sent)), responses: null };
  if (wire === 'responses') return parseResponses(sent);
  return wire === 'messages' ? parseMessages(sent) : parseCompletions(sent);
}

function parseResponses(sent: JsonBody): ParsedRequest {
  const { body, places, settings } = readResponsesBody(sent);
  try {
    return { ...checkChatBody(body), responses: settings };
  } catch (error) {
    throw inWordsOf(error, { messages: 'input', places, names: responsesNames });
  }
}

function parseMessages(sent: JsonBody): ParsedRequest {
  const { body, places } = readMessagesBody(sent);
  try {
    const checked = checkChatBody(body);
    // Anthropic's clients choose both by themselves, for whichever model: often more than it has, or the account can pay.
    return { ...checked, request: { ...checked.request, isCapAWish: true, isEffortAWish: true }, responses: null };
  } catch (error) {
    throw inWordsOf(error, { messages: 'messages', places, names: messagesNames });
  }
}

// Fields of chat completions that have another name on the wire of Responses.
const responsesNames: readonly (readonly [string, string])[] = [
  ['max_completion_tokens', 'max_output_tokens'],
  ['reasoning_effort', 'reasoning.effort'],
  ['response_format.json_schema', 'text.format'],
  ['response_format', 'text.format'],
  ['verbosity', 'text.verbosity'],
];

const messagesNames: readonly (readonly [string, string])[] = [
  ['max_completion_tokens', 'max_tokens'],
  ['reasoning_effort', 'output_config.effort'],
  ['response_format.json_schema', 'output_config.format'],
  ['safety_identifier', 'metadata.user_id'],
  ['stop', 'stop_sequences'],
];

function parseCompletions(sent: JsonBody): ParsedRequest {
  const body = readCompletionsBody(sent);
  try {
    return { ...checkChatBody(body), responses: null };
  } catch (error) {
    throw inWordsOf(error, { messages: 'prompt', places: ['prompt'], names: completionsNames });
  }
}

const completionsNames: readonly (readonly [string, string])[] = [['max_completion_tokens', 'max_tokens']];

interface WireWords {
  /** The field that holds the messages. */
  readonly messages: string;
  /** Of each message: where it stands in the caller's body. */
  readonly places: readonly string[];
  readonly names: readonly (readonly [chat: string, wire: string])[];
}

// The check speaks of chat completions; whoever never wrote such a body could not find the place.
function inWordsOf(error: unknown, { messages, places, names }: WireWords): unknown {
  if (!(error instanceof AppError) || error.param === null) return error;
  const { code, message, param } = error;
  const chatName = /^messages\[(\d+)\]/.exec(param);
  const renamed = names.find(([chat]) => param.startsWith(chat));
  const [from, to] = chatName
    ? [chatName[0], places[Number(chatName[1])] ?? messages]
    : (renamed ?? (param === 'messages' ? ['messages', messages] : [param, param]));
  const inWords = (text: string) => text.replaceAll(from, () => to);
  return new AppError(code, inWords(message), { param: inWords(param), cause: error });
}
