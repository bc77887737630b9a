import { AppError } from '../../kernel/app-error.js';
import { isJsonObject, isSent, type JsonBody, toText } from '../../kernel/json-body.js';
import type { ChatRequest } from '../../providers/chat-types.js';
import { refuseUnknownThinking, toEffort } from '../thinking-effort.js';
import { readMessagesTurns } from './messages-turns.js';

export interface MessagesBody {
  /** The body as one of chat completions. */
  readonly body: JsonBody;
  /** Of each message: the place in the caller's body that it came from. */
  readonly places: readonly string[];
  /** What chat completions have no field for. */
  readonly beyondChat: Pick<ChatRequest, 'isThinkingAsked' | 'isThinkingBetweenTools' | 'topK'>;
}

/**
 * Reads a body of Anthropic's `POST /v1/messages` as one of chat completions, for whichever model. Fields that nobody here
 * knows are left out, and fields without which the answer would be another are refused.
 * https://platform.claude.com/docs/en/api/messages
 * @throws AppError naming the field that has no counterpart.
 */
export function readMessagesBody(received: JsonBody): MessagesBody {
  refuseUnoffered(received);
  refuseUnknownThinking(received.thinking, thinkingTypes);
  const { turns, places } = readMessagesTurns(received);
  const { output_config: output, metadata, tool_choice: choice } = received;
  // `output_format` is what the field was called before.
  const [format = null] = [isJsonObject(output) ? output.format : null, received.output_format].filter(isJsonObject);
  const body = {
    model: received.model,
    messages: turns,
    stream: received.stream,
    max_completion_tokens: received.max_tokens,
    stop: received.stop_sequences,
    temperature: received.temperature,
    top_p: received.top_p,
    tools: Array.isArray(received.tools) ? received.tools.map(toFunction) : received.tools,
    tool_choice: toChatChoice(choice),
    parallel_tool_calls: isJsonObject(choice) && choice.disable_parallel_tool_use === true ? false : undefined,
    response_format: format === null ? undefined : toResponseFormat(format),
    reasoning_effort: findEffort(received),
    safety_identifier: isJsonObject(metadata) ? metadata.user_id : undefined,
  };
  return { body, places, beyondChat: { ...readThinking(received), topK: readTopK(received) } };
}

// Each runs at the provider or rests on what it keeps, or the answer would be another without it. With what to do instead.
const unofferedFields: readonly (readonly [name: string, remedy: string])[] = [
  ['container', 'Remove it, and run tools on your side.'],
  ['mcp_servers', 'Remove it, and run tools on your side.'],
  ['thread', "Remove it, and send the whole conversation in 'messages'."],
  ['compaction', 'Remove it, and ask for a summary in words.'],
  ['inference_geo', "Remove it, or send 'global': in which region a provider works is not chosen here."],
  ['speed', "Remove it, or send 'standard': another speed has no price here."],
  ['fallbacks', 'Remove it, and ask the other model yourself where the first one does not answer.'],
  ['output_config.task_budget', "Remove it, and bound the answer by 'max_tokens'."],
  ['task_budget', "Remove it, and bound the answer by 'max_tokens'."],
];

// What is done anyway.
const sayNothing: Readonly<Record<string, unknown>> = { inference_geo: 'global', speed: 'standard' };

function refuseUnoffered(received: JsonBody): void {
  const found = unofferedFields.find(([name]) => {
    const value = name.split('.').reduce<unknown>((at, part) => (isJsonObject(at) ? at[part] : undefined), received);
    return isSent(value) && value !== sayNothing[name] && !(Array.isArray(value) && value.length === 0);
  });
  if (found === undefined) return;
  const [param, remedy] = found;
  throw new AppError('unsupported_parameter', `Unsupported parameter: '${param}' is not offered here. ${remedy}`, {
    param,
  });
}

/** More words than any model has. */
const topKMax = 1_000_000;

function readTopK({ top_k: topK }: JsonBody): number | undefined {
  if (!isSent(topK)) return undefined;
  if (typeof topK === 'number' && Number.isInteger(topK) && topK >= 0 && topK <= topKMax) return topK;
  throw new AppError('invalid_value', `Invalid 'top_k': must be a whole number from 0 to ${topKMax}.`, {
    param: 'top_k',
  });
}

function toFunction(tool: unknown, index: number): unknown {
  if (!isJsonObject(tool)) return tool;
  const { type, name, description, input_schema: parameters, strict, cache_control } = tool;
  if (isSent(type) && type !== 'custom') {
    throw new AppError(
      'unsupported_value',
      `Unsupported value: 'tools[${index}].type' is '${toText(type).slice(0, 64)}', which only Anthropic defines. Send a tool of your own, with a name, a description and an input_schema.`,
      { param: `tools[${index}].type` },
    );
  }
  return { type: 'function', function: { name, description, parameters, strict }, cache_control };
}

const choiceTypes: readonly unknown[] = ['auto', 'any', 'tool', 'none'];

function toChatChoice(choice: unknown): unknown {
  if (!isJsonObject(choice)) return choice;
  if (choice.type === 'any') return 'required';
  if (isSent(choice.type) && !choiceTypes.includes(choice.type)) {
    const param = 'tool_choice.type';
    const words = `Invalid '${param}': must be one of ${choiceTypes.map((type) => `"${type}"`).join(', ')}.`;
    throw new AppError('invalid_value', words, { param });
  }
  return choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : choice.type;
}

function toResponseFormat({ type, schema }: JsonBody): unknown {
  return { type, json_schema: { name: 'output', schema, strict: true } };
}

const thinkingTypes = ['enabled', 'adaptive', 'disabled', 'between_tools'];

// At Anthropic an effort alone turns no thinking on.
function readThinking({ thinking }: JsonBody): Pick<ChatRequest, 'isThinkingAsked' | 'isThinkingBetweenTools'> {
  const type = isJsonObject(thinking) ? thinking.type : null;
  return {
    isThinkingAsked: type === 'enabled' || type === 'adaptive',
    isThinkingBetweenTools: type === 'between_tools' || undefined,
  };
}

// `adaptive` leaves it to the model how much it thinks, as leaving the effort out does.
function findEffort({ thinking, output_config: output }: JsonBody): unknown {
  if (isJsonObject(thinking) && thinking.type === 'disabled') return 'none';
  if (isJsonObject(output) && isSent(output.effort)) return output.effort;
  if (!isJsonObject(thinking) || thinking.type !== 'enabled') return undefined;
  const { budget_tokens: budget } = thinking;
  return typeof budget === 'number' ? toEffort(budget) : 'high';
}
