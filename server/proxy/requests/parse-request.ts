import { AppError } from '../../kernel/app-error.js';
import { isSent, type JsonBody, parseJsonBody } from '../../kernel/json-body.js';
import { readCompletionsBody } from '../../wires/completions/completions-request.js';
import { readEmbeddingsBody } from '../../wires/embeddings/embeddings-request.js';
import { readMessagesBody } from '../../wires/messages/messages-request.js';
import { type EarlierOutputs, resolveReferences } from '../../wires/responses/item-references.js';
import {
  fromResponsesBody,
  type ResponsesSettings,
  readResponsesBody,
} from '../../wires/responses/responses-request.js';
import { type CallMarks, readMarks } from './call-marks.js';
import { type CheckedChatBody, checkChatBody } from './chat-request.js';
import { refuseExcess, refuseLongPrompt, refuseLongSchemas } from './refuse-excess.js';
import { readSimpleChatBody } from './simple-chat-body.js';

/**
 * Whose form a body has: OpenAI's chat completions, its Responses, its old completions, its embeddings, or Anthropic's Messages.
 * `estimate`: either of chat completions or of embeddings; which of the two, its model tells.
 */
export type WireName = 'chat' | 'responses' | 'completions' | 'embeddings' | 'messages' | 'estimate';

/** What a caller asked for, ready to be priced and sent. */
export interface ParsedRequest extends CheckedChatBody {
  /** null: not asked on that wire. */
  readonly responses: ResponsesSettings | null;
  readonly marks: CallMarks;
  /** The same body read as one of embeddings, where it may be either. */
  readonly asEmbeddings?: ParsedRequest['request'] | undefined;
}

export interface ParseOptions {
  /** `chat` when left out. */
  readonly wire?: WireName;
  /** Stands in the place of the body's own; null: the body names it. */
  readonly model?: string | null;
  /** What a body of Responses may refer to; null: nothing. */
  readonly earlier?: EarlierOutputs | null;
  /** Whether schemas in it may be too long. */
  readonly isLarge?: boolean;
}

/**
 * Reads a caller's body.
 * @param text Within `bodyLimits`.
 * @throws AppError naming the field at fault in the caller's own words: `invalid_json`, or as `checkChatBody`; naming none, `invalid_type` for
 *   an object whose members stand in the way of reading it.
 */
export function parseRequest(
  text: string,
  { wire = 'chat', model = null, earlier = null, isLarge = false }: ParseOptions = {},
): ParsedRequest {
  const read = parseJsonBody(text);
  try {
    return readParsed(read, { wire, model, earlier, isLarge });
  } catch (error) {
    if (isAskedForText(error)) throw new AppError('invalid_type', noTextWords, { cause: error });
    throw error;
  }
}

const noTextWords =
  'The body has an object with a member such as `toString` or `length` where a text, a number or a list belongs. Send one of these.';

// What JavaScript says of an object that has something else than a function in the place of `toString` or `valueOf`, as JSON may; zod asks
// the length of one as well.
function isAskedForText(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'Cannot convert object to primitive value';
}

function readParsed(read: JsonBody, { wire, model, earlier, isLarge }: Required<ParseOptions>): ParsedRequest {
  const named = model === null ? read : { ...read, model };
  const sent = earlier === null ? named : { ...named, input: resolveReferences(named.input, earlier) };
  const marks = readMarks(sent);
  // Each field by its name: V8 takes its slow way to add one to a copy that was spread.
  const { request, wantsUsageChunk, dialect, responses, asEmbeddings } = readers[wire](sent, isLarge);
  return { request, wantsUsageChunk, dialect, responses, marks, asEmbeddings };
}

type Unmarked = Omit<ParsedRequest, 'marks'>;

const readers: Readonly<Record<WireName, (sent: JsonBody, isLarge: boolean) => Unmarked>> = {
  chat: (sent, isLarge) => {
    const simple = isLarge ? null : readSimpleChatBody(sent);
    if (simple === null) {
      return parseChat({ body: fromResponsesBody(refuseTooMuch(sent, isLarge)), words: null }, isLarge);
    }
    const { request, wantsUsageChunk, dialect } = simple;
    return { request, wantsUsageChunk, dialect, responses: null };
  },
  responses: (sent, isLarge) => {
    const { body, places, settings } = readResponsesBody(refuseTooMuch(sent, isLarge));
    const words = { messages: 'input', places, names: responsesNames, toolSchema: 'parameters' };
    return { ...parseChat({ body, words }, isLarge), responses: settings };
  },
  completions: (sent, isLarge) => {
    const words = { messages: 'prompt', places: ['prompt'], names: completionsNames, toolSchema: 'parameters' };
    return parseChat({ body: readCompletionsBody(refuseTooMuch(sent, isLarge)), words }, isLarge);
  },
  messages: (sent, isLarge) => {
    const { body, places, beyondChat } = readMessagesBody(refuseTooMuch(sent, isLarge));
    const words = { messages: 'messages', places, names: messagesNames, toolSchema: 'input_schema' };
    const parsed = parseChat({ body, words }, isLarge);
    // Anthropic's clients choose both by themselves, for whichever model: often more than it has, or the account can pay.
    return {
      ...parsed,
      request: { ...parsed.request, ...beyondChat, isOutputCapOptional: true, isReasoningEffortOptional: true },
    };
  },
  embeddings: (sent) => ({
    request: { ...readEmbeddingsBody(sent), messages: [], max_completion_tokens: 0 },
    wantsUsageChunk: false,
    dialect: { usesFunctions: false, customTools: new Set() },
    responses: null,
  }),
  estimate: (sent, isLarge) => {
    const [asChat, asEmbeddings] = [readers.chat, readers.embeddings].map((read) => attempt(() => read(sent, isLarge)));
    if (asChat?.parsed) return { ...asChat.parsed, asEmbeddings: asEmbeddings?.parsed?.request };
    if (asEmbeddings?.parsed) return asEmbeddings.parsed;
    throw isSent(sent.input) && !isSent(sent.messages) ? asEmbeddings?.error : asChat?.error;
  },
};

function attempt(read: () => Unmarked): { readonly parsed: Unmarked | null; readonly error: unknown } {
  try {
    return { parsed: read(), error: null };
  } catch (error) {
    return { parsed: null, error };
  }
}

function refuseTooMuch(sent: JsonBody, isLarge: boolean): JsonBody {
  refuseExcess(sent);
  if (isLarge) refuseLongSchemas(sent);
  return sent;
}

function parseChat({ body, words }: ReadBody, isLarge: boolean): Unmarked {
  try {
    const simple = isLarge ? null : readSimpleChatBody(body);
    const checked = simple ?? checkChatBody(body);
    if (isLarge) refuseLongPrompt(checked.request);
    return { ...checked, responses: null };
  } catch (error) {
    throw words === null ? error : inWordsOf(error, words);
  }
}

/** A body in the form of chat completions, and how its sender calls what is in it. */
interface ReadBody {
  readonly body: JsonBody;
  /** null: as chat completions do. */
  readonly words: WireWords | null;
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

const completionsNames: readonly (readonly [string, string])[] = [['max_completion_tokens', 'max_tokens']];

interface WireWords {
  /** The field that holds the messages. */
  readonly messages: string;
  /** Of each message: where it stands in the caller's body. */
  readonly places: readonly string[];
  readonly names: readonly (readonly [chat: string, wire: string])[];
  /** What a tool calls the schema of its input. */
  readonly toolSchema: string;
}

// The check speaks of chat completions; whoever never wrote such a body could not find the place.
function inWordsOf(error: unknown, { messages, places, names, toolSchema }: WireWords): unknown {
  if (!(error instanceof AppError) || error.param === null) return error;
  const { code, message, param } = error;
  const chatName = /^messages\[(\d+)\]/.exec(param);
  const renamed = names.find(([chat]) => param.startsWith(chat));
  const [from, to] = chatName
    ? [chatName[0], places[Number(chatName[1])] ?? messages]
    : (renamed ?? (param === 'messages' ? ['messages', messages] : [param, param]));
  const inWords = (text: string) =>
    text
      .replaceAll(from, () => to)
      .replaceAll(/\b(tools\[\d+\])\.function\.parameters\b/g, `$1.${toolSchema}`)
      .replaceAll(/\b(tools\[\d+\]|tool_choice)\.function\b/g, '$1');
  return new AppError(code, inWords(message), { param: inWords(param), cause: error });
}
